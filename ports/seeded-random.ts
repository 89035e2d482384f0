/**
 * Chance from a seed (mulberry32): small, fast, good enough for noise, jitter and simulation; the same seed gives the
 * same sequence.
 */

import type { Random } from './clock.ts';

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next: () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}
