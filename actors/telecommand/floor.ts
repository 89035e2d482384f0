/**
 * The floor of a lane: what its owner has finished, written so that a new owner reads only what may still be open. Mission
 * Control Service, section 4.1 rule 4.
 *
 * J2. What is below the floor is over.
 * J4. The floor is written with the epoch of the owner; a new owner writes it first, so an old one can write no more.
 */

import { buckets } from '../../contract/subject.ts';
import type { Bucket, Bus, Entry } from '../../ports/bus.ts';

export interface Floor {
  readonly epoch: number;
  /** Submissions below are over. */
  readonly submission: number;
  /** Events of open telecommands stand at or above. */
  readonly event: number;
}

interface LaneFloorOptions {
  readonly target: string;
  readonly epoch: number;
  readonly bus: Bus;
  /** Where the lane stands now. */
  readonly stands: () => Omit<Floor, 'epoch'>;
  /** Another owner wrote. */
  readonly lost: (error: Error) => void;
}

export class LaneFloor {
  readonly #options: LaneFloorOptions;
  readonly #bucket: Bucket;
  readonly #key: string;
  #revision = 0;
  #written: Floor | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: LaneFloorOptions) {
    this.#options = options;
    this.#bucket = options.bus.bucket(buckets.members);
    this.#key = `checkpoint.lane.${options.target}`;
  }

  /** The floor as it stands, from now on under this epoch; throws when another owner has it or takes it. */
  async take(): Promise<Floor> {
    const { epoch, target } = this.#options;
    const entry = await this.#bucket.get(this.#key);
    const before = entry && parse(entry);
    const taken = new Error(`another owner takes the lane of ${target}`);
    if (before !== undefined && before.epoch > epoch) throw taken;
    const floor: Floor = { epoch, submission: before?.submission ?? 1, event: before?.event ?? 1 };
    const written = await this.#bucket.put(this.#key, bytes(floor), entry?.revision ?? 0);
    if (written.outcome === 'conflict') throw taken;
    this.#revision = written.revision;
    this.#written = floor;
    return floor;
  }

  /** Writes where the lane stands, one write at a time: a lane that stops waits for the one under way. */
  write(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#writeNow());
    return this.#writing;
  }

  async #writeNow(): Promise<void> {
    const floor = { epoch: this.#options.epoch, ...this.#options.stands() };
    if (this.#revision === 0 || floor.submission === this.#written?.submission) return;
    const written = await this.#bucket.put(this.#key, bytes(floor), this.#revision);
    if (written.outcome === 'conflict') return this.#meet(await this.#bucket.get(this.#key));
    this.#revision = written.revision;
    this.#written = floor;
  }

  /** What stands in the way: one's own write whose answer an outage took, or another owner's (J4). */
  #meet(entry: Entry | undefined): void {
    const floor = entry && parse(entry);
    if (entry === undefined || floor?.epoch !== this.#options.epoch)
      return this.#options.lost(new Error('another owner wrote the floor (J4)'));
    this.#revision = entry.revision;
    this.#written = floor;
  }
}

function parse({ value }: Entry): Floor {
  return JSON.parse(Buffer.from(value).toString()) as Floor;
}

function bytes(floor: Floor): Buffer {
  return Buffer.from(JSON.stringify(floor));
}
