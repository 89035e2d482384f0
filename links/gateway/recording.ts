/**
 * A gateway that plays a file of space packets as if they were received now. It sends nothing. Settings: `file`
 * (relative to the folder of the mission), `rate` (packets a second) or `as_fast_as_possible`, `loop`.
 *
 * N1. Packets leave in the order of the file; none is left out, whatever the rate.
 * N2. Due times count from the start, so that a late timer does not slow the rate; a clock that jumped ahead begins a
 *     new count instead of a burst.
 * N3. A file that cannot be read is reported once, by name and reason; the gateway then is silent.
 * N4. Nothing is kept of how far it was: whoever takes the gateway up plays the file from its beginning.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { accepted, type Result, refused } from '../../contract/result.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { PacketSplitter } from '../../protocol/packet-splitter.ts';
import type { Gateway, Listener, Sent } from './gateway.ts';
import { Pace } from './pace.ts';

export interface RecordingSettings {
  readonly file: string;
  /** Packets a second; undefined: as fast as the bus takes them. */
  readonly rate: number | undefined;
  readonly loop: boolean;
}

/** Read at once: 64 KiB hold about a thousand packets and are read in well under a millisecond. */
const CHUNK_BYTES = 64 * 1024;
/** Packets a second when the document says nothing: slow enough to watch. */
const DEFAULT_RATE = 1;

/** The settings of a recording; refuses a file outside the folder of the mission and a malformed rate. */
export function recordingSettings(
  settings: Readonly<Record<string, unknown>>,
  missionFolder: string,
): Result<RecordingSettings, string> {
  const { file, rate, as_fast_as_possible: unpaced, loop } = settings;
  if (typeof file !== 'string') return refused('a recording needs `file`');
  const path = resolve(missionFolder, file);
  const inside = relative(missionFolder, path);
  if (inside.startsWith('..') || isAbsolute(inside))
    return refused(`file ${file} is outside the mission folder`);
  if (rate !== undefined && !(typeof rate === 'number' && rate > 0)) {
    return refused(`rate is ${JSON.stringify(rate)}; write packets a second, above 0`);
  }
  if (unpaced === true && rate !== undefined)
    return refused('write `rate` or `as_fast_as_possible`, not both');
  return accepted({
    file: path,
    rate: unpaced === true ? undefined : ((rate as number | undefined) ?? DEFAULT_RATE),
    loop: loop === true,
  });
}

/** A gateway that plays the recording from its `start`. */
export function createRecording(settings: RecordingSettings, options: { clock: Clock; log: Log }): Gateway {
  return new Recording(settings, options.clock, options.log);
}

class Recording implements Gateway {
  readonly #settings: RecordingSettings;
  readonly #log: Log;
  readonly #pace: Pace;
  #stopped = false;
  #playing: Promise<void> = Promise.resolve();

  constructor(settings: RecordingSettings, clock: Clock, log: Log) {
    this.#settings = settings;
    this.#log = log;
    this.#pace = new Pace(clock, settings.rate);
  }

  async send(): Promise<Sent> {
    return { sent: false, detail: 'this gateway plays a recording and sends nothing' };
  }

  start(listener: Listener): void {
    this.#playing = this.#play(listener).catch((error: unknown) => {
      const { file } = this.#settings;
      this.#log.error({ file, err: error }, `recording ${file} cannot be played`);
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#pace.stop();
    await this.#playing;
  }

  async #play(listener: Listener): Promise<void> {
    const { file, loop } = this.#settings;
    do {
      const packets = await this.#playOnce(listener);
      if (packets === 0) throw new Error('it contains no space packet');
    } while (loop && !this.#stopped);
    if (!this.#stopped) this.#log.info({ file }, 'recording played to its end');
  }

  async #playOnce(listener: Listener): Promise<number> {
    const handle = await open(this.#settings.file, 'r');
    const splitter = new PacketSplitter();
    let packets = 0;
    try {
      for (let more = true; more && !this.#stopped; ) {
        const bytes = await read(handle);
        more = bytes.length > 0;
        const next = more ? splitter.push(bytes) : splitter.end();
        packets += next.length;
        await this.#give(next, listener);
      }
    } finally {
      await handle.close();
    }
    if (splitter.skipped > 0) this.#log.warn({ skipped: splitter.skipped }, 'bytes outside packets skipped');
    return this.#stopped ? 1 : packets;
  }

  async #give(packets: readonly Buffer[], listener: Listener): Promise<void> {
    for (const packet of packets) {
      const due = this.#pace.next();
      if (due !== undefined) await due;
      if (this.#stopped) return;
      const room = listener.frame(packet);
      if (room !== undefined) await room;
    }
  }
}

async function read(handle: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
  return buffer.subarray(0, bytesRead);
}
