/**
 * A column value as conditions, limits and verdicts take it: the one place that says so. Mission Control Service,
 * sections 2.2 and 3.3 (unknown changes nothing).
 *
 * U1. Unknown is what clients see as null, for every consumer alike: no finite number, an enumeration without a name
 *     for it, a raw value that no double holds of a calibrated measure, a number where the measure is text.
 * U2. An integer that no double holds keeps its digits, as text: logs show it whole, and evaluations round it
 *     themselves.
 */

import type { WideValue } from '../../contract/batch.ts';
import type { MeasureDefinition } from '../../mission/platform.ts';

const INTEGER = /^-?\d{1,40}$/;

/**
 * Enums as their number, booleans as 0 and 1, text and bytes as string, integers past 2^53 as digits; null is unknown.
 */
export type PlainValue = number | string | null;

export function plainSample(
  { type, enumeration, calibrate }: MeasureDefinition,
  value: number,
  wide: WideValue | undefined,
): PlainValue {
  if (enumeration !== undefined) return enumeration.nameOf(value) === undefined ? null : value;
  if (type === 'string' || type === 'bytes') return typeof wide === 'string' ? wide : null;
  if (Number.isFinite(value)) return value;
  return wide === undefined || calibrate !== undefined || type === 'bool' ? null : digitsOf(wide);
}

/** Drivers may give a large integer as its digits. */
function digitsOf(wide: WideValue): string | null {
  const text = String(wide);
  return INTEGER.test(text) ? text : null;
}

/** The number nearest to a plain value; NaN where it is unknown or text. */
export function plainNumber(value: PlainValue): number {
  if (typeof value === 'number') return value;
  return value === null || value === '' ? Number.NaN : Number(value);
}
