/**
 * Copies of every stream and bucket, as many as the mission wants: added where they are missing, looked at again and
 * again since a server may be lost at any time. Mission Control Service, section 6.
 *
 * R1. One copy is all that one server can have: nothing is asked then.
 * R3. A copy of a stream that is written all the time is behind for a moment now and then, and not missing: what is
 *     short is looked at again, and counts where it is so each time.
 * R2. What could not be asked counts as missing: a stream without a leader takes nothing.
 */

import { setTimeout as pause } from 'node:timers/promises';
import {
  BUS_ATTEMPT_MS,
  REPLICAS_ASKED,
  REPLICAS_LOOK_MS,
  REPLICAS_SHORT_LOOK_MS,
  REPLICAS_SURE_LOOKS,
  REPLICAS_SURE_MS,
} from '../contract/limits/bus.ts';
import type { Log } from '../ports/log.ts';
import type { Installation, Replication, ShortStream } from '../ports/replication.ts';
import type { AssetHandle } from './asset.ts';
import type { Assets } from './assets.ts';
import type { Connection } from './connection.ts';

interface ReplicasOptions {
  readonly connection: Pick<Connection, 'connected' | 'onChange'>;
  readonly assets: Assets;
  readonly handles: () => AssetHandle[];
  readonly log: Log;
}

interface Short {
  readonly handle: AssetHandle;
  readonly copies: ShortStream;
}

export class Replicas implements Replication {
  readonly #options: ReplicasOptions;
  readonly #forget: () => void;
  #short: readonly ShortStream[] = [];
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  /** Something changed while it looked. */
  #again = false;
  #stopped = false;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#forget = options.connection.onChange((connected) => connected && this.#lookIn(0));
  }

  get wanted(): number {
    return this.#options.assets.replicas;
  }

  get short(): readonly ShortStream[] {
    return this.#short;
  }

  install(installation: Installation): void {
    this.#options.assets.install(installation);
    this.#lookIn(0);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#forget();
  }

  #lookIn(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#look(), delayMs);
    // Nobody waits for it, least of all the end of the process.
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    if (this.wanted === 1 || !this.#options.connection.connected) return;
    this.#looking = true;
    let short = await this.#shortOf(this.#options.handles());
    for (let looks = 1; looks < REPLICAS_SURE_LOOKS && short.length > 0 && !this.#stopped; looks += 1) {
      await pause(REPLICAS_SURE_MS, undefined, { ref: false });
      short = await this.#shortOf(short.map(({ handle }) => handle));
    }
    this.#looking = false;
    if (this.#stopped) return;
    const copies = short.map((each) => each.copies);
    this.#report(copies.sort((one, other) => (one.stream < other.stream ? -1 : 1)));
    const nextMs = copies.length === 0 ? REPLICAS_LOOK_MS : REPLICAS_SHORT_LOOK_MS;
    this.#lookIn(this.#again ? 0 : nextMs);
    this.#again = false;
  }

  /** Those that have too few copies, some asked at once. */
  async #shortOf(handles: readonly AssetHandle[]): Promise<Short[]> {
    const left = handles.values();
    const short: Short[] = [];
    const ask = async (): Promise<void> => {
      for (const handle of left) {
        if (this.#stopped) return;
        const nothing = { stream: handle.name, inPlace: 0 };
        const copies = await handle.copies(BUS_ATTEMPT_MS).catch(() => nothing);
        if (copies.inPlace < this.wanted) short.push({ handle, copies });
      }
    };
    await Promise.all(Array.from({ length: REPLICAS_ASKED }, ask));
    return short;
  }

  /** In the log when it begins and when it is over. */
  #report(short: readonly ShortStream[]): void {
    const { log } = this.#options;
    const [before, now] = [this.#short.length, short.length];
    this.#short = short;
    if (before === 0 && now > 0)
      log.warn({ wanted: this.wanted, streams: short }, 'streams have fewer copies than configured');
    if (before > 0 && now === 0) log.info({ wanted: this.wanted }, 'every stream has its copies');
  }
}
