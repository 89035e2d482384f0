/**
 * Sequence counts that no two processes and no two lives of a process draw: each reserves a block in the bucket
 * `mcs_drivers` by conditional write and draws from it.
 *
 * U1. A count is drawn only from a block whose reservation is durable. A crash leaves a gap and never a repetition,
 *     until the counts wrap.
 * U3. Where the reservation of before cannot be read no count is drawn: which ones were drawn is not known. A person
 *     removes it.
 * U2. Blocks divide the range of the counter, so a block never crosses the wrap.
 */

import { assert } from '../../contract/assert.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { parseJsonBytes } from '../../contract/json-bytes.ts';
import { COUNTER_BLOCK, COUNTER_RESERVATION_ATTEMPTS } from '../../contract/limits/bus.ts';
import { Outage } from '../../contract/outage.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import { isToken } from '../../contract/token.ts';
import type { Bucket } from '../../ports/bus.ts';
import { SEQUENCE_COUNTS } from '../../protocol/space-packet.ts';

interface Block {
  next: number;
  end: number;
}

export class CounterBlocks {
  readonly #bucket: Bucket;
  readonly #driver: string;
  readonly #blocks = new Map<string, Block>();
  readonly #reserving = new Map<string, Promise<Result<true, string>>>();

  constructor(bucket: Bucket, driver: string) {
    assert(isToken(driver), 'U1 driver');
    this.#bucket = bucket;
    this.#driver = driver;
  }

  /**
   * The next count of the counter, 0 to 16,383, or why there is none (U3). Throws `Outage` when a new block cannot be
   * reserved.
   */
  async next(counter: string): Promise<Result<number, string>> {
    for (;;) {
      const block = this.#blocks.get(counter);
      if (block !== undefined && block.next < block.end) {
        block.next += 1;
        return accepted(block.next - 1);
      }
      const reserved = await this.#reserveOnce(counter);
      if (!reserved.ok) return reserved;
    }
  }

  /** Callers that find the block empty at the same time share one reservation. */
  #reserveOnce(counter: string): Promise<Result<true, string>> {
    let reserving = this.#reserving.get(counter);
    if (reserving === undefined) {
      reserving = this.#reserve(counter).finally(() => this.#reserving.delete(counter));
      this.#reserving.set(counter, reserving);
    }
    return reserving;
  }

  async #reserve(counter: string): Promise<Result<true, string>> {
    assert(isToken(counter), 'U1 counter');
    const key = `${this.#driver}.${counter}`;
    for (let attempt = 0; attempt < COUNTER_RESERVATION_ATTEMPTS; attempt += 1) {
      const entry = await this.#bucket.get(key);
      const start = entry === undefined ? 0 : reservedUpTo(entry.value);
      if (start === undefined) return refused(unreadable(key));
      const end = start + COUNTER_BLOCK;
      const record = Buffer.from(JSON.stringify({ next: end % SEQUENCE_COUNTS }));
      const written = await this.#bucket.put(key, record, entry?.revision ?? 0);
      if (written.outcome === 'conflict') continue;
      this.#blocks.set(counter, { next: start, end });
      return accepted(true);
    }
    throw new Outage('bus.unavailable', `no block of counter ${key}: other processes reserved it each time`);
  }
}

/** Where the next block begins; undefined where the bytes do not say (U2). */
export function reservedUpTo(record: Uint8Array): number | undefined {
  try {
    const { next } = parseJsonBytes(record) as { next?: unknown };
    const isBlock =
      typeof next === 'number' && next >= 0 && next < SEQUENCE_COUNTS && next % COUNTER_BLOCK === 0;
    return isBlock ? next : undefined;
  } catch {
    return undefined;
  }
}

function unreadable(key: string): string {
  return `which sequence counts were used is not known, entry ${key} of bucket ${buckets.drivers.name} cannot be read: \`mcs bus check\``;
}
