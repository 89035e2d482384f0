/**
 * What the owner of a partition has read of its streams and need not be read again: a position for each, kept in bucket
 * `mcs_members` with the epoch of the owner. Architecture, "Ownership".
 *
 * F1. A new owner writes the floor before it reads, so an old one can write no more; one that was only asleep takes
 *     nothing from a newer one.
 * F2. It is written at most once a second: what lies between is read again, and is known by what it has led to.
 */

import { buckets } from '../contract/subject.ts';
import type { Bucket, Bus, Entry } from '../ports/bus.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

type Positions = Readonly<Record<string, number>>;

interface FloorOptions<Stands extends Positions> {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** `<prefix>.<partition>` */
  readonly name: string;
  readonly epoch: number;
  /** Where a partition begins that nobody has had. */
  readonly first: Stands;
  /** Where it stands now. */
  readonly stands: () => Stands;
  /** Another owner wrote. */
  readonly lost: (error: Error) => void;
}

const WRITE_EVERY_MS = 1_000;

export class Floor<Stands extends Positions> {
  readonly #options: FloorOptions<Stands>;
  readonly #bucket: Bucket;
  readonly #key: string;
  #revision = 0;
  #written: Stands | undefined;
  /** The write under way: two at once would each refute the other. */
  #writing: Promise<void> = Promise.resolve();
  #timer: TimerHandle | undefined;
  #stopped = false;

  constructor(options: FloorOptions<Stands>) {
    this.#options = options;
    this.#bucket = options.bus.bucket(buckets.members);
    this.#key = `checkpoint.${options.name}`;
  }

  /** Where to read on, from now on under this epoch; throws when another owner has it or takes it. */
  async take(): Promise<Stands> {
    const { epoch, first, name } = this.#options;
    const entry = await this.#bucket.get(this.#key);
    const { epoch: of = 0, ...before } = entry === undefined ? { ...first } : parse(entry);
    const taken = new Error(`another owner takes ${name}`);
    if (of > epoch) throw taken;
    const stands = { ...first, ...before };
    const written = await this.#bucket.put(this.#key, bytes(stands, epoch), entry?.revision ?? 0);
    if (written.outcome === 'conflict') throw taken;
    this.#revision = written.revision;
    this.#written = stands;
    return stands;
  }

  /** Writes it again and again from now on. */
  keep(): void {
    if (this.#stopped) return;
    const { clock, log } = this.#options;
    this.#timer = clock.setTimeout(() => {
      void this.#write()
        .catch((error: unknown) => log.warn({ err: error, floor: this.#key }, 'floor not written'))
        .then(() => this.keep());
    }, WRITE_EVERY_MS);
  }

  /** Writes it a last time. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    await this.#write().catch(() => undefined);
  }

  #write(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#writeNow());
    return this.#writing;
  }

  async #writeNow(): Promise<void> {
    const { epoch, stands } = this.#options;
    const now = stands();
    if (this.#revision === 0 || Object.keys(now).every((key) => now[key] === this.#written?.[key])) return;
    const written = await this.#bucket.put(this.#key, bytes(now, epoch), this.#revision);
    if (written.outcome === 'conflict') return this.#meet(await this.#bucket.get(this.#key));
    this.#revision = written.revision;
    this.#written = now;
  }

  /** What stands in the way: one's own write whose answer an outage took, or another owner's (F1). */
  #meet(entry: Entry | undefined): void {
    const { epoch, name, lost } = this.#options;
    if (entry === undefined || parse(entry).epoch !== epoch)
      return lost(new Error(`another owner wrote the floor of ${name}`));
    this.#revision = entry.revision;
    this.#written = undefined;
  }
}

function parse({ value }: Entry): { readonly epoch?: number } & Positions {
  return JSON.parse(Buffer.from(value).toString()) as { epoch?: number } & Positions;
}

function bytes(stands: Positions, epoch: number): Buffer {
  return Buffer.from(JSON.stringify({ epoch, ...stands }));
}
