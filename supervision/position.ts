/**
 * How far a partition has read its stream, kept with the epoch of the owner so that an old owner cannot write over a new
 * one. Written at most once a second: what lies between is read again, and its results carry message ids.
 */

import { buckets } from '../contract/subject.ts';
import type { Bus, Entry } from '../ports/bus.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

interface PositionOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** `<prefix>.<partition>` */
  readonly name: string;
  readonly epoch: number;
  /** Another owner wrote it. */
  readonly lost: () => void;
}

const WRITE_EVERY_MS = 1_000;

export class Position {
  readonly #options: PositionOptions;
  #next = 1;
  #written = 1;
  #revision = 0;
  #timer: TimerHandle | undefined;
  /** The write under way: two at once would each refute the other. */
  #writing: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: PositionOptions) {
    this.#options = options;
  }

  /** Takes it over and says where to read on. */
  async take(): Promise<number> {
    const bucket = this.#options.bus.bucket(buckets.members);
    const entry = await bucket.get(this.#key);
    if (entry !== undefined)
      this.#next = (JSON.parse(Buffer.from(entry.value).toString()) as { next: number }).next;
    this.#revision = entry?.revision ?? 0;
    this.#written = -1;
    await this.#write();
    this.#later();
    return this.#next;
  }

  /** Everything up to `seq` is done. */
  done(seq: number): void {
    this.#next = Math.max(this.#next, seq + 1);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    await this.#writing.catch(() => undefined);
    await this.#write().catch(() => undefined);
  }

  get #key(): string {
    return `checkpoint.${this.#options.name}`;
  }

  #later(): void {
    const { clock, log } = this.#options;
    this.#timer = clock.setTimeout(() => {
      this.#writing = this.#write();
      this.#writing
        .catch((error: unknown) => log.warn({ err: error, position: this.#key }, 'position not written'))
        .finally(() => {
          if (!this.#stopped) this.#later();
        });
    }, WRITE_EVERY_MS);
  }

  async #write(): Promise<void> {
    const { bus, epoch } = this.#options;
    const next = this.#next;
    if (next === this.#written) return;
    const value = Buffer.from(JSON.stringify({ next, epoch }));
    const written = await bus.bucket(buckets.members).put(this.#key, value, this.#revision);
    if (written.outcome === 'conflict') return this.#meet(await bus.bucket(buckets.members).get(this.#key));
    this.#revision = written.revision;
    this.#written = next;
  }

  /** What stands in the way: one's own write whose answer an outage took, or another owner's. */
  #meet(entry: Entry | undefined): void {
    const found = entry && (JSON.parse(Buffer.from(entry.value).toString()) as { epoch: number });
    if (entry === undefined || found?.epoch !== this.#options.epoch) return this.#options.lost();
    this.#revision = entry.revision;
  }
}
