/**
 * Which bytes of a file are there: sorted, disjoint ranges [start, end) that do not touch each other, of files up to
 * 2^53 - 1 bytes. Mission Control Service, section 2.8 (`received`).
 *
 * B1. Every byte is in one range or in none: ranges that overlap or touch are one.
 * B2. There are never more ranges than the bound given; what would need one more is refused as a whole and changes
 *     nothing. So alternating bytes cost at most the bound in memory (16 bytes each) and a move of as many numbers.
 * B3. An add finds its place by binary search. What it merges is gone, so that each range is merged once: the cost does
 *     not depend on how much was merged before.
 */

import { assert } from './assert.ts';
import { BYTE_RANGES_MOST } from './limits/transfer.ts';

/** The bytes from `start` to before `end`. */
export type ByteRange = readonly [start: number, end: number];

export class ByteRanges {
  readonly #most: number;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #total = 0;

  constructor(most: number = BYTE_RANGES_MOST) {
    this.#most = most;
  }

  /** The ranges of a list in any order; `undefined` when one is malformed or they are too many (B2). */
  static from(list: readonly ByteRange[], most?: number): ByteRanges | undefined {
    const ranges = new ByteRanges(most);
    const sound = list.every(([start, end]) => isRange(start, end) && ranges.add(start, end) !== undefined);
    return sound ? ranges : undefined;
  }

  /** Bytes in all ranges. */
  get total(): number {
    return this.#total;
  }

  get count(): number {
    return this.#starts.length;
  }

  /** End of the last range; 0 without any. */
  get end(): number {
    return this.#ends.at(-1) ?? 0;
  }

  /** The lowest range. */
  get first(): ByteRange | undefined {
    return this.#starts.length === 0 ? undefined : [this.#starts[0]!, this.#ends[0]!];
  }

  /** All ranges in order. */
  list(): ByteRange[] {
    return this.#starts.map((start, index) => [start, this.#ends[index]!]);
  }

  /** Adds the bytes and gives those of them that are new, in order; `undefined` when refused (B2). */
  add(start: number, end: number): ByteRange[] | undefined {
    assert(isRange(start, end), 'B1 a range of whole numbers');
    if (start === end) return [];
    const from = this.#endingAtOrAfter(start);
    const to = this.#startingAfter(end);
    if (from === to && this.count >= this.#most) return undefined;
    const added = this.missing(start, end);
    const merged = [Math.min(start, this.#starts[from] ?? start), end] as [number, number];
    if (to > from) merged[1] = Math.max(end, this.#ends[to - 1]!);
    this.#replace(from, to, [merged]);
    for (const [low, high] of added) this.#total += high - low;
    return added;
  }

  /** Takes the bytes away; false when that would split a range in two beyond the bound (B2). */
  remove(start: number, end: number): boolean {
    assert(isRange(start, end), 'B1 a range of whole numbers');
    const from = this.#endingAtOrAfter(start + 1);
    const to = this.#startingAfter(end - 1);
    if (start === end || from >= to) return true;
    const left: ByteRange = [this.#starts[from]!, start];
    const right: ByteRange = [end, this.#ends[to - 1]!];
    const kept = [left, right].filter(([low, high]) => low < high);
    if (this.count - (to - from) + kept.length > this.#most) return false;
    for (let index = from; index < to; index += 1) this.#total -= this.#ends[index]! - this.#starts[index]!;
    for (const [low, high] of kept) this.#total += high - low;
    this.#replace(from, to, kept);
    return true;
  }

  /** Whether every byte is there; true of no bytes. */
  covers(start: number, end: number): boolean {
    if (start >= end) return true;
    const index = this.#endingAtOrAfter(start + 1);
    return index < this.count && this.#starts[index]! <= start && end <= this.#ends[index]!;
  }

  /** Whether any byte is there. */
  overlaps(start: number, end: number): boolean {
    return start < end && (this.#starts[this.#endingAtOrAfter(start + 1)] ?? end) < end;
  }

  /** What is not there of [from, to), in order, the first `most` of it. */
  missing(from: number, to: number, most = Number.POSITIVE_INFINITY): ByteRange[] {
    const gaps: ByteRange[] = [];
    let at = from;
    for (let index = this.#endingAtOrAfter(from); at < to && gaps.length < most; index += 1) {
      const start = Math.min(this.#starts[index] ?? to, to);
      if (start > at) gaps.push([at, start]);
      at = Math.max(at, this.#ends[index] ?? to);
    }
    return gaps;
  }

  /** Index of the first range that ends at `byte` or behind it. */
  #endingAtOrAfter(byte: number): number {
    return lowest(this.count, (index) => this.#ends[index]! >= byte);
  }

  /** Index of the first range that starts behind `byte`. */
  #startingAfter(byte: number): number {
    return lowest(this.count, (index) => this.#starts[index]! > byte);
  }

  #replace(from: number, to: number, by: readonly ByteRange[]): void {
    // Most adds lengthen one range: nothing is moved then.
    if (to - from === 1 && by.length === 1) {
      this.#starts[from] = by[0]![0];
      this.#ends[from] = by[0]![1];
      return;
    }
    this.#starts.splice(from, to - from, ...by.map(([start]) => start));
    this.#ends.splice(from, to - from, ...by.map(([, end]) => end));
  }
}

function isRange(start: number, end: number): boolean {
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end;
}

/** The lowest index below `count` of which `holds` is true, as of all behind it; else `count`. */
function lowest(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
