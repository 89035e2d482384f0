/**
 * The analog filters of the AD9361: the driver clamps what is asked and echoes that, the part quantises it. The width
 * that is really there follows from the PLL clock, as the driver divides it down for its tuning of the filters.
 */

import type { AttributeRange } from './attribute-text.ts';
import type { Direction } from './oscillator.ts';

export const BANDWIDTH_RANGE: Readonly<Record<Direction, AttributeRange>> = {
  rx: { least: 200_000, step: 1, most: 56_000_000 },
  tx: { least: 200_000, step: 1, most: 40_000_000 },
};

/**
 * Corner of the filter at baseband over the clock of its tuning (1.4 and 1.6 times 2 pi / ln 2), and its bounds in Hz.
 */
const TUNING = {
  rx: { factor: 12.6906, least: 200_000, most: 28_000_000 },
  tx: { factor: 14.5036, least: 625_000, most: 20_000_000 },
} as const;
const LARGEST_DIVIDER = 511;

/** What `rf_bandwidth` reads back after `hertz` was written. */
export function echoedBandwidth(direction: Direction, hertz: number): number {
  const { least, most } = BANDWIDTH_RANGE[direction];
  return Math.min(most, Math.max(least, hertz));
}

/** The width of the filter, in Hz, for an echoed bandwidth and a PLL clock. */
export function physicalBandwidth(direction: Direction, echoedHz: number, pllHz: number): number {
  const { factor, least, most } = TUNING[direction];
  const half = Math.min(most, Math.max(least, echoedHz / 2));
  const divider = Math.min(LARGEST_DIVIDER, Math.ceil(pllHz / (factor * half)));
  return Math.round((2 * pllHz) / (factor * divider));
}
