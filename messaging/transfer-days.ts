/**
 * On which day a transfer that is long over was changed last, by its name: `mcs_transfer_days`. It spares whoever asks
 * for one a search through a year of its target.
 *
 * E1. A name stands before the record it leads to, and for longer: what is kept by day is found.
 * E2. The latest day counts, whoever writes last: every write is conditional on what was read.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { AGED_READS, AGED_ROUNDS } from '../contract/limits/aged.ts';
import type { Bucket, Bus } from '../ports/bus.ts';

/** No key of a transfer is without dots. */
const WITHOUT_CONTENT = 'content-removed';

interface NamedDay {
  /** `20260102`, UTC */
  readonly day: string;
  /** When that was written, ms since 1970. */
  readonly at: number;
}

export class TransferDays {
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** Undefined where it is long over for nobody. Throws `Outage`. */
  async of(key: string): Promise<NamedDay | undefined> {
    const entry = await this.#bucket.get(key);
    return entry && { day: Buffer.from(entry.value).toString(), at: entry.at };
  }

  /** Leads from these to their day, or leaves them at a later one; since when, of those that it did. Throws `Outage`. */
  async lead(keys: readonly string[], day: string, now: number): Promise<ReadonlyMap<string, number>> {
    const since = new Map<string, number>();
    for (let next = 0; next < keys.length; next += AGED_READS) {
      const some = keys.slice(next, next + AGED_READS);
      const led = await Promise.all(some.map((key) => this.#lead(key, day, now)));
      for (const [index, at] of led.entries()) if (at !== undefined) since.set(some[index]!, at);
    }
    return since;
  }

  async #lead(key: string, day: string, now: number): Promise<number | undefined> {
    for (let round = 0; round < AGED_ROUNDS; round += 1) {
      const entry = await this.#bucket.get(key);
      if (entry !== undefined && Buffer.from(entry.value).toString() >= day) return entry.at;
      const written = await this.#bucket.put(key, Buffer.from(day), entry?.revision ?? 0);
      if (written.outcome === 'written') return now;
    }
    return undefined;
  }

  /** The content of what was over by the end of that day is gone; undefined: of none. Throws `Outage`. */
  async withoutContent(): Promise<string | undefined> {
    const entry = await this.#bucket.get(WITHOUT_CONTENT);
    return entry && Buffer.from(entry.value).toString();
  }

  /** Throws `Outage`. */
  async noteWithoutContent(day: string): Promise<void> {
    await this.#bucket.overwrite(WITHOUT_CONTENT, Buffer.from(day));
  }

  get #bucket(): Bucket {
    return this.#bus.bucket(buckets.transferDays);
  }
}
