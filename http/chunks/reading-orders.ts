/**
 * In which order somebody reads a file that comes down, and what that one has of it: each byte once. Knows no store and
 * no socket.
 */

import { type ByteRange, ByteRanges } from '../../contract/byte-ranges.ts';
import { TRANSFER_RANGES } from '../../contract/limits/transfer.ts';

export interface ReadingOrder {
  /** Bytes that came: those of them that are to be sent now, which then count as sent; or it is not their turn yet. */
  arrived(start: number, end: number): readonly ByteRange[] | 'early';
  /** The next bytes to be sent of those that are stored; undefined: none now. */
  next(stored: ByteRanges): ByteRange | undefined;
  /** These bytes are sent now: those of them that were not. */
  sent(start: number, end: number): readonly ByteRange[];
}

export const READING_ORDERS = ['arrival', 'offset'] as const;
export type ReadingOrderName = (typeof READING_ORDERS)[number];

export function readingOrder(name: ReadingOrderName): ReadingOrder {
  return name === 'offset' ? new ByOffset() : new ByArrival();
}

/** As they come; what is stored first, and what was missed when there is time. */
class ByArrival implements ReadingOrder {
  /** Room for what is stored, however it lies between what came. */
  readonly #sent = new ByteRanges(2 * TRANSFER_RANGES + 1);

  arrived(start: number, end: number): readonly ByteRange[] {
    // More holes than any record has: it is stored, and sent from there.
    return this.#sent.count < TRANSFER_RANGES ? this.sent(start, end) : [];
  }

  next(stored: ByteRanges): ByteRange | undefined {
    for (const [start, end] of stored.list()) {
      const [missing] = this.#sent.missing(start, end, 1);
      if (missing !== undefined) return missing;
    }
    return undefined;
  }

  sent(start: number, end: number): readonly ByteRange[] {
    return this.#sent.add(start, end) ?? [];
  }
}

/** From the first byte to the last. */
class ByOffset implements ReadingOrder {
  #next = 0;

  arrived(start: number, end: number): readonly ByteRange[] | 'early' {
    return start <= this.#next ? this.sent(start, end) : 'early';
  }

  next(stored: ByteRanges): ByteRange | undefined {
    if (!stored.covers(this.#next, this.#next + 1)) return undefined;
    const [gap] = stored.missing(this.#next, stored.end, 1);
    return [this.#next, gap?.[0] ?? stored.end];
  }

  sent(start: number, end: number): readonly ByteRange[] {
    if (start > this.#next || end <= this.#next) return [];
    const fresh: ByteRange = [this.#next, end];
    this.#next = end;
    return [fresh];
  }
}
