/**
 * The floor of a shard of runs: what its owner has read and need not be read again. Mission Control Service, section 4.2
 * rules 5 and 6.
 *
 * F1. Submissions below it are taken up: each has its entry among the open runs, or is over.
 * F2. Answers below it are logged.
 * F3. It is written with the epoch of the owner; a new owner writes it first, so an old one can write no more.
 */

import { buckets } from '../../contract/subject.ts';
import type { Bucket, Bus, Entry } from '../../ports/bus.ts';

export interface ShardFloor {
  readonly epoch: number;
  readonly submission: number;
  readonly answer: number;
}

interface FloorOptions {
  readonly shard: string;
  readonly epoch: number;
  readonly bus: Bus;
  /** Where the shard stands now. */
  readonly stands: () => Omit<ShardFloor, 'epoch'>;
  /** Another owner wrote. */
  readonly lost: (error: Error) => void;
}

export class Floor {
  readonly #options: FloorOptions;
  readonly #bucket: Bucket;
  readonly #key: string;
  #revision = 0;
  #written: ShardFloor | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: FloorOptions) {
    this.#options = options;
    this.#bucket = options.bus.bucket(buckets.members);
    this.#key = `checkpoint.runs.${options.shard}`;
  }

  /** The floor as it stands, from now on under this epoch; throws when another owner has it or takes it. */
  async take(): Promise<ShardFloor> {
    const { epoch, shard } = this.#options;
    const entry = await this.#bucket.get(this.#key);
    const before = entry && parse(entry);
    const taken = new Error(`another owner takes shard ${shard} of the runs`);
    if (before !== undefined && before.epoch > epoch) throw taken;
    const floor: ShardFloor = { epoch, submission: before?.submission ?? 1, answer: before?.answer ?? 1 };
    const written = await this.#bucket.put(this.#key, bytes(floor), entry?.revision ?? 0);
    if (written.outcome === 'conflict') throw taken;
    this.#revision = written.revision;
    this.#written = floor;
    return floor;
  }

  /** Writes where the shard stands, one write at a time. */
  write(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#writeNow());
    return this.#writing;
  }

  async #writeNow(): Promise<void> {
    const floor = { epoch: this.#options.epoch, ...this.#options.stands() };
    const before = this.#written;
    if (this.#revision === 0) return;
    if (floor.submission === before?.submission && floor.answer === before.answer) return;
    const written = await this.#bucket.put(this.#key, bytes(floor), this.#revision);
    if (written.outcome === 'conflict') return this.#meet(await this.#bucket.get(this.#key));
    this.#revision = written.revision;
    this.#written = floor;
  }

  /** What stands in the way: one's own write whose answer an outage took, or another owner's (F3). */
  #meet(entry: Entry | undefined): void {
    const floor = entry && parse(entry);
    if (entry === undefined || floor?.epoch !== this.#options.epoch)
      return this.#options.lost(new Error('another owner wrote the floor (F3)'));
    this.#revision = entry.revision;
    this.#written = floor;
  }
}

function parse({ value }: Entry): ShardFloor {
  return JSON.parse(Buffer.from(value).toString()) as ShardFloor;
}

function bytes(floor: ShardFloor): Buffer {
  return Buffer.from(JSON.stringify(floor));
}
