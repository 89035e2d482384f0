/**
 * Finds where in the reference a block begins, through bit errors: every four bytes of the block that stand in the
 * reference too vote for a rotation. At a bit error rate of 0.15 one in 180 survives, which of a block are still twenty
 * voices for the true rotation and none for others.
 *
 * V1. What stands in the reference too often (padding) does not vote: it would vote for everything.
 * V2. Tables are made once for a reference and cleared behind each block by what was touched: a block costs what it
 *     votes.
 */

import type { Reference } from './reference.ts';

/** Bytes of a shingle. */
const SHINGLE = 4;
/** Places of one shingle that are still useful: a PRBS of order 9 has each eight or nine times in a block. */
const PLACES = 12;
/** Rotations worth an exact count: where bit errors leave one or two votes, a few by chance have as many. */
const CANDIDATES = 20;

export class Shingles {
  readonly #bytes: Uint8Array;
  /** Last place of a hash, one more than its index; 0: none. */
  readonly #heads: Int32Array;
  /** Place before that, likewise. */
  readonly #before: Int32Array;
  readonly #votes: Uint16Array;
  readonly #mask: number;

  constructor(reference: Reference) {
    const { bytes } = reference;
    this.#bytes = bytes;
    // Twice as many heads as places keep the chains short.
    const size = 2 ** Math.ceil(Math.log2(bytes.length * 2 + 1));
    this.#mask = size - 1;
    this.#heads = new Int32Array(size);
    this.#before = new Int32Array(bytes.length);
    this.#votes = new Uint16Array(bytes.length);
    for (let place = 0; place < bytes.length; place += 1) this.#enter(place);
  }

  /** The rotations with the most votes of the block, best first; of equal ones the smaller first. */
  candidates(block: Uint8Array): number[] {
    const touched: number[] = [];
    for (let index = 0; index + SHINGLE <= block.length; index += 1) this.#vote(block, index, touched);
    const best = this.#best(touched);
    for (const rotation of touched) this.#votes[rotation] = 0;
    return best;
  }

  #enter(place: number): void {
    const key = this.#keyOf(place);
    let found = 0;
    for (let at = this.#heads[this.#hash(key)]!; at !== 0; at = this.#before[at - 1]!) {
      if (this.#keyOf(at - 1) === key) found += 1;
    }
    // One more than votes are taken for, as the sign of too many (V1).
    if (found > PLACES) return;
    const hash = this.#hash(key);
    this.#before[place] = this.#heads[hash]!;
    this.#heads[hash] = place + 1;
  }

  #vote(block: Uint8Array, index: number, touched: number[]): void {
    const key = keyOf(block[index]!, block[index + 1]!, block[index + 2]!, block[index + 3]!);
    const head = this.#heads[this.#hash(key)]!;
    if (head === 0 || this.#isTooOften(head, key)) return;
    const length = this.#bytes.length;
    for (let at = head; at !== 0; at = this.#before[at - 1]!) {
      if (this.#keyOf(at - 1) !== key) continue;
      const rotation = (((at - 1 - index) % length) + length) % length;
      if (this.#votes[rotation] === 0) touched.push(rotation);
      this.#votes[rotation]! += 1;
    }
  }

  #isTooOften(head: number, key: number): boolean {
    let found = 0;
    for (let at = head; at !== 0; at = this.#before[at - 1]!) if (this.#keyOf(at - 1) === key) found += 1;
    return found > PLACES;
  }

  #best(touched: readonly number[]): number[] {
    const votes = this.#votes;
    const chosen: number[] = [];
    for (const rotation of touched) {
      let at = chosen.length;
      while (at > 0 && isBefore(votes, rotation, chosen[at - 1]!)) at -= 1;
      if (at >= CANDIDATES) continue;
      chosen.splice(at, 0, rotation);
      if (chosen.length > CANDIDATES) chosen.pop();
    }
    return chosen;
  }

  /** Four bytes from a place on, around the end. */
  #keyOf(place: number): number {
    const { length } = this.#bytes;
    const bytes = this.#bytes;
    if (place + SHINGLE <= length)
      return keyOf(bytes[place]!, bytes[place + 1]!, bytes[place + 2]!, bytes[place + 3]!);
    const at = (offset: number) => bytes[(place + offset) % length]!;
    return keyOf(at(0), at(1), at(2), at(3));
  }

  #hash(key: number): number {
    // Knuth's multiplier: the golden ratio of 32 bits.
    const mixed = Math.imul(key, 0x9e37_79b1);
    return (mixed ^ (mixed >>> 15)) & this.#mask;
  }
}

function keyOf(a: number, b: number, c: number, d: number): number {
  return (a << 24) | (b << 16) | (c << 8) | d;
}

function isBefore(votes: Uint16Array, one: number, other: number): boolean {
  const more = votes[one]! - votes[other]!;
  return more > 0 || (more === 0 && one < other);
}
