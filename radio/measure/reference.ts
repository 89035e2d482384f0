/**
 * What a measurement compares with: the payload as it is fed, padded to whole blocks and repeated without end.
 *
 * F1. The length of a reference is its period: a payload that repeats within itself is kept once. Rotations beyond the
 *     period cannot be distinguished, and such a reference says so.
 */

import { assert } from '../../contract/assert.ts';
import { BLOCK_BYTES } from '../../contract/bench/datapath.ts';
import { MEASURE_PAYLOAD_BYTES } from '../../contract/limits/bench.ts';
import { PAD_BYTE } from '../packet/blocks.ts';

export interface Reference {
  /** One period. */
  readonly bytes: Uint8Array;
  /** The padded payload repeats within itself: its rotation is known up to a multiple of the period only (F1). */
  readonly ambiguous: boolean;
  /** Share of bytes that are equal at a wrong rotation, on average. */
  readonly chance: number;
}

/** The reference of a payload of at least one byte. */
export function createReference(payload: Uint8Array, pad: number = PAD_BYTE): Reference {
  assert(payload.length > 0 && payload.length <= MEASURE_PAYLOAD_BYTES, 'F1 size of the payload');
  const padded = new Uint8Array(Math.ceil(payload.length / BLOCK_BYTES) * BLOCK_BYTES).fill(pad);
  padded.set(payload);
  const bytes = padded.subarray(0, periodOf(padded));
  return { bytes, ambiguous: bytes.length < padded.length, chance: chanceOf(bytes) };
}

/** Bytes of the block that equal the reference when the block begins at `rotation` of it. */
export function matchedAt(reference: Reference, block: Uint8Array, rotation: number): number {
  const { bytes } = reference;
  let matched = 0;
  let at = rotation;
  for (let index = 0; index < block.length; index += 1) {
    if (block[index] === bytes[at]) matched += 1;
    at += 1;
    if (at === bytes.length) at = 0;
  }
  return matched;
}

/** The smallest cyclic period: it divides the length, so primes are taken out of the length while it still repeats. */
function periodOf(bytes: Uint8Array): number {
  let period = bytes.length;
  for (const prime of primesOf(bytes.length)) {
    while (period % prime === 0 && repeats(bytes, period / prime)) period /= prime;
  }
  return period;
}

function repeats(bytes: Uint8Array, period: number): boolean {
  return Buffer.compare(bytes.subarray(period), bytes.subarray(0, bytes.length - period)) === 0;
}

function primesOf(number: number): number[] {
  const primes: number[] = [];
  let rest = number;
  for (let factor = 2; factor * factor <= rest; factor += 1) {
    if (rest % factor === 0) primes.push(factor);
    while (rest % factor === 0) rest /= factor;
  }
  return rest > 1 ? [...primes, rest] : primes;
}

function chanceOf(bytes: Uint8Array): number {
  const counts = new Float64Array(256);
  for (const byte of bytes) counts[byte]! += 1;
  return counts.reduce((sum, count) => sum + (count / bytes.length) ** 2, 0);
}
