/**
 * A sample of a column as limits and conditions take it. Mission Control Service, sections 2.2 and 3.3 (unknown changes
 * nothing).
 *
 * U1. Unknown is what clients see as null: no finite number, an enumeration without a name for it, a raw value that no
 *     double holds of a calibrated measure.
 */

import type { WideValue } from '../../contract/batch.ts';
import type { MeasureDefinition } from '../../mission/platform.ts';

/** Enums as their number, booleans as 0 and 1, text and bytes as string; null is unknown. */
export function plainSample(
  { enumeration, calibrate }: MeasureDefinition,
  value: number,
  wide: WideValue | undefined,
): number | string | null {
  if (Number.isFinite(value))
    return enumeration === undefined || enumeration.nameOf(value) !== undefined ? value : null;
  if (wide === undefined || calibrate !== undefined) return null;
  return typeof wide === 'bigint' ? Number(wide) : wide;
}
