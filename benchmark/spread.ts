/**
 * Numbers of repeated rounds: the median with its extremes, and percentiles of one round.
 *
 * S1. The median of a ratio is taken over pairs of rounds that followed each other, never over medians: what slows the
 *     machine for a while slows both of a pair.
 */

import { assert } from '../contract/assert.ts';

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The spread of at least one number. */
export function spreadOf(numbers: readonly number[]): Spread {
  assert(numbers.length > 0, 'a spread needs a number');
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, least: sorted[0]!, most: sorted.at(-1)! };
}

/** S1 */
export function ratioOf(numerators: readonly number[], denominators: readonly number[]): Spread {
  return spreadOf(numerators.map((numerator, round) => numerator / denominators[round]!));
}

/** The value below which `share` (0 to 1) of the numbers lie; NaN of none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
