/**
 * Decodes files that are offered on `mcs.file.decode.<target>`, for every target whose catalogue says how frames stand
 * in files of a type, with the driver of its default link. Mission Control Service, section 4.7 rule 6. Any number of
 * processes serve a target; each offer goes to one of them.
 *
 * D1. Every offer is answered in its time: the files of a process are decoded one after the other, and what waits too
 *     long is refused and offered again.
 * D2. A type whose frames the catalogue does not say is decoded by a driver outside of this service; where it says them
 *     of none, nobody here answers for the target.
 */

import { subject } from '../../contract/bus/subjects.ts';
import { type DecodeFileReply, readDecodeFileCall } from '../../contract/file-decoding.ts';
import {
  FILE_DECODE_MARGIN_MS,
  FILE_DECODE_MS,
  FILE_DECODES_WAITING,
} from '../../contract/limits/transfer.ts';
import { contentObject } from '../../contract/transfer.ts';
import type { Driver as DriverDefinition, Link, Mission, Target } from '../../mission/mission.ts';
import type { Bus, CoreMessage, Stoppable } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { createDriver, isKnownProtocol } from '../driver/protocols.ts';
import { decodeFile, type OfferedFile } from './decode-file.ts';

/** What there is to count of it. */
export interface DecodedFilesCount {
  /** An offer was answered like this. */
  answered(target: string, outcome: DecodeFileReply['outcome']): void;
  /** So many samples of files were published. */
  published(target: string, samples: number): void;
}

export interface FileDecodingOptions {
  readonly count: DecodedFilesCount;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: MissionSource;
}

/** Serves the targets of the current mission and follows its changes until stopped. */
export function startFileDecoding(options: FileDecodingOptions): Stoppable {
  return new FileDecodingService(options);
}

class FileDecodingService implements Stoppable {
  readonly #options: FileDecodingOptions;
  readonly #served = new Map<string, Stoppable>();
  readonly #abort = new AbortController();
  readonly #forget: () => void;
  /** The file that is being decoded, and those behind it (D1). */
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: FileDecodingOptions) {
    this.#options = options;
    this.#forget = options.missions.onChange((mission) => this.#takeUp(mission));
  }

  async stop(): Promise<void> {
    this.#forget();
    this.#abort.abort();
    await Promise.all([...this.#served.keys()].map((target) => this.#withdraw(target)));
    await this.#tail;
  }

  #takeUp(mission: Mission): void {
    const wanted = [...mission.targets.values()].filter((target) => decoderOf(target, mission) !== undefined);
    const names = new Set(wanted.map(({ name }) => name));
    for (const name of this.#served.keys()) if (!names.has(name)) void this.#withdraw(name);
    for (const name of names) {
      if (this.#served.has(name)) continue;
      const answer = (message: CoreMessage): Promise<Uint8Array> => this.#answer(name, message);
      this.#served.set(
        name,
        this.#options.bus.serve(subject.fileDecode(name), answer, { queue: `file-decode-${name}` }),
      );
    }
  }

  async #withdraw(target: string): Promise<void> {
    const served = this.#served.get(target);
    this.#served.delete(target);
    await served?.stop();
  }

  async #answer(target: string, { data }: CoreMessage): Promise<Uint8Array> {
    const until = this.#options.clock.monotonic() + FILE_DECODE_MS - FILE_DECODE_MARGIN_MS;
    const reply = await this.#decode(target, data, until);
    this.#options.count.answered(target, reply.outcome);
    return Buffer.from(JSON.stringify(reply));
  }

  /** D1 */
  async #decode(target: string, data: Uint8Array, until: number): Promise<DecodeFileReply> {
    if (this.#waiting >= FILE_DECODES_WAITING)
      return failed(`${this.#waiting} files wait for being decoded in the process that was asked`);
    this.#waiting += 1;
    const turn = this.#tail.then(() => this.#decodeNow(target, data, until));
    this.#tail = turn;
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #decodeNow(target: string, data: Uint8Array, until: number): Promise<DecodeFileReply> {
    const { bus, clock, log, count } = this.#options;
    const { signal } = this.#abort;
    if (signal.aborted) return failed('the process that was asked ends');
    if (clock.monotonic() >= until) return failed('other files were decoded first');
    const file = this.#offered(target, data);
    if ('outcome' in file) return file;
    const reply = await decodeFile(file, {
      bus,
      clock,
      log,
      signal,
      until,
      published: (samples) => count.published(target, samples),
    });
    const { object } = file.call;
    if (reply.outcome === 'decoded') log.info({ object, ...reply }, 'file decoded');
    else log.warn({ object, ...reply }, 'file not decoded');
    return reply;
  }

  /** What is to be decoded; the answer where it cannot be. */
  #offered(name: string, data: Uint8Array): OfferedFile | DecodeFileReply {
    const call = readDecodeFileCall(data);
    if (call === undefined || call.object !== contentObject({ ...call, target: name }))
      return failed('malformed offer');
    const mission = this.#options.missions.current;
    const target = mission?.targets.get(name);
    const decoder = mission && target && decoderOf(target, mission);
    if (mission === undefined || target?.platform === undefined || decoder === undefined)
      return failed('its target is not configured any more');
    const type = target.platform.files?.types.find(({ number }) => number === call.file_type);
    if (type?.frames === undefined)
      return {
        outcome: 'not_decodable',
        reason: `the catalogue says no \`frames\` of file type ${call.file_type}`,
      };
    const driver = createDriver(decoder.definition, this.#options.bus);
    if (!driver.ok) return failed(`driver ${decoder.definition.name} cannot be used: ${driver.faults[0]}`);
    const source = { target, link: decoder.link, platform: target.platform };
    return { call, source, driver: driver.value, framing: type.frames, revision: mission.revision };
  }
}

/** The default link with its driver, where files of the target are decoded here (D2). */
function decoderOf(
  { platform, links, defaultLink }: Target,
  { drivers }: Mission,
): { readonly link: Link; readonly definition: DriverDefinition } | undefined {
  if (platform?.files?.types.some(({ frames }) => frames !== undefined) !== true) return undefined;
  const link = links.get(defaultLink);
  const definition = link?.driver === undefined ? undefined : drivers.get(link.driver);
  if (link === undefined || definition === undefined || !isKnownProtocol(definition.protocol))
    return undefined;
  return { link, definition };
}

function failed(reason: string): DecodeFileReply {
  return { outcome: 'failed', reason };
}
