/**
 * What rows of takeovers share: waiting for one with a bound, and its times as a figure. There is no rate in turns
 * here.
 */

import type { Figure } from './row.ts';
import { percentile, spreadOf } from './spread.ts';

/** A takeover that takes longer never comes. */
const PATIENCE_MS = 60_000;
/** Short beside what is measured. */
const LOOK_MS = 2;

/** Resolves when it is so; rejects when that takes too long. */
export async function until(check: () => boolean, what: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!check()) {
    if (performance.now() > end) throw new Error(`${what} did not come within ${PATIENCE_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Times of takeovers: their median, and the longest in place of a p99. */
export function takeoverFigure(name: string, ms: readonly number[]): Figure {
  const longest = Math.max(...ms);
  const only = (value: number) => ({ median: value, least: value, most: value });
  return {
    name,
    rate: spreadOf(ms.map((each) => 1_000 / each)),
    cpuUs: only(Number.NaN),
    p50Ms: { ...spreadOf(ms), median: percentile(ms, 0.5) },
    p99Ms: only(longest),
    valid: true,
  };
}
