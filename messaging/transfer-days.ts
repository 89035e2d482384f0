/**
 * On which day a transfer that is long over was changed last, by its name: `mcs_transfer_days`. It spares whoever asks
 * for one a search through a year of its target.
 *
 * E1. A name stands before the record it leads to, and for longer: what is kept by day is found.
 * E2. The latest day counts, whoever writes last: every write is conditional on what was read.
 * E3. What is no day leads nowhere: it is said in the log, and replaced by the next day that is written.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { AGED_READS, AGED_ROUNDS } from '../contract/limits/aged.ts';
import type { Bucket, Bus, Entry } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';

/** No key of a transfer is without dots. */
const WITHOUT_CONTENT = 'content-removed';
const DAY = /^\d{8}$/;

interface NamedDay {
  /** `20260102`, UTC */
  readonly day: string;
  /** When that was written, ms since 1970. */
  readonly at: number;
}

export class TransferDays {
  readonly #bus: Bus;
  readonly #log: Log;
  /** The last entry that was said to be no day. */
  #said = '';

  constructor({ bus, log }: { readonly bus: Bus; readonly log: Log }) {
    this.#bus = bus;
    this.#log = log;
  }

  /** Undefined where it is long over for nobody. Throws `Outage`. */
  async of(key: string): Promise<NamedDay | undefined> {
    return this.#dayIn(await this.#bucket.get(key));
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
      const known = this.#dayIn(entry);
      if (known !== undefined && known.day >= day) return known.at;
      const written = await this.#bucket.put(key, Buffer.from(day), entry?.revision ?? 0);
      if (written.outcome === 'written') return now;
    }
    return undefined;
  }

  /** The content of what was over by the end of that day is gone; undefined: of none. Throws `Outage`. */
  async withoutContent(): Promise<string | undefined> {
    return this.#dayIn(await this.#bucket.get(WITHOUT_CONTENT))?.day;
  }

  /** Throws `Outage`. */
  async noteWithoutContent(day: string): Promise<void> {
    await this.#bucket.overwrite(WITHOUT_CONTENT, Buffer.from(day));
  }

  /** E3 */
  #dayIn(entry: Entry | undefined): NamedDay | undefined {
    if (entry === undefined) return undefined;
    const { key, value, at } = entry;
    const day = Buffer.from(value).toString();
    if (DAY.test(day)) return { day, at };
    if (this.#said !== key)
      this.#log.error(
        { key, bucket: buckets.transferDays.name },
        'malformed day of a finished transfer: ignored',
      );
    this.#said = key;
    return undefined;
  }

  get #bucket(): Bucket {
    return this.#bus.bucket(buckets.transferDays);
  }
}
