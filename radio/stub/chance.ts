/**
 * Chance of the model: a seed for each purpose, mixed from numbers that say what is decided, so that order changes
 * nothing.
 */

import type { Random } from '../../ports/clock.ts';

/** A 32-bit number from others: equal numbers, equal result; neighbours have nothing to do with each other. */
export function mixed(...numbers: readonly number[]): number {
  let state = 0x9e37_79b9;
  for (const number of numbers) {
    state = Math.imul(state ^ (number >>> 0), 0x85eb_ca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2_ae35);
    state ^= state >>> 16;
  }
  return state >>> 0;
}

/** Purposes that a number is drawn for: the second argument of `mixed`, behind the seed of the board. */
export const PURPOSE = {
  errors: 1,
  rotation: 2,
  stale: 3,
  noise: 4,
  phase: 5,
  slip: 6,
  waves: 7,
  symbols: 8,
  thermal: 9,
  converter: 10,
} as const;

/** Fills bytes with chance. */
export function fillRandom(bytes: Uint8Array, random: Random): void {
  for (let at = 0; at < bytes.length; at += 4) {
    const word = random.next() * 2 ** 32;
    bytes[at] = word;
    bytes[at + 1] = word / 2 ** 8;
    bytes[at + 2] = word / 2 ** 16;
    bytes[at + 3] = word / 2 ** 24;
  }
}

/** Two independent normal numbers of variance 1. */
export function normalPair(random: Random): readonly [number, number] {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  const angle = 2 * Math.PI * random.next();
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}
