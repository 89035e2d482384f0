/**
 * Local oscillators of the AD9361: how far they reach and what the driver makes of a frequency.
 *
 * O1. The clock framework keeps half the frequency in whole Hz, so an odd number of Hz reads back one lower. The
 *     synthesiser's own step (0.6 to 4.8 Hz) is not modelled beyond that: compare what was written and what is read
 *     with a tolerance.
 */

import { accepted, type Result, refused } from '../../contract/result.ts';
import type { AttributeRange } from './attribute-text.ts';

export type Direction = 'rx' | 'tx';

export const LO_RANGE: Readonly<Record<Direction, AttributeRange>> = {
  rx: { least: 70_000_000, step: 1, most: 6_000_000_000 },
  tx: { least: 46_875_001, step: 1, most: 6_000_000_000 },
};

/** The frequency that reads back after `hertz` was written; refused outside the range or when not whole. */
export function tunedLo(direction: Direction, hertz: number): Result<number, string> {
  const { least, most } = LO_RANGE[direction];
  if (!Number.isInteger(hertz)) return refused(`${hertz} Hz is not a whole number of Hz`);
  if (hertz < least || hertz > most) {
    return refused(`${hertz} Hz is outside ${least} Hz to ${most} Hz of the ${direction.toUpperCase()} LO`);
  }
  return accepted(hertz - (hertz % 2));
}
