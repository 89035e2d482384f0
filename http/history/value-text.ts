/**
 * Values of the past as JSON and as cells of CSV.
 *
 * T1. Integers past 2^53 are written with all their digits, and a negative zero with its sign, as numbers.
 * T2. What JSON has no number for is null there; CSV says `Infinity`, and leaves the cell of an unknown value empty. An
 *     empty text is `""` in both.
 */

import type { SampleValue } from '../../contract/history.ts';

/** T1, T2 */
export function jsonValue(value: SampleValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'number') return String(value);
  return Number.isFinite(value) ? numberText(value) : 'null';
}

/** T1, T2 */
export function csvValue(value: SampleValue): string {
  if (value === null) return '';
  if (typeof value === 'string') return csvText(value);
  if (typeof value !== 'number') return String(value);
  return Number.isNaN(value) ? '' : numberText(value);
}

const QUOTED = /[",\r\n]/;

/** RFC 4180 */
export function csvText(text: string): string {
  return text === '' || QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function numberText(value: number): string {
  return value === 0 && 1 / value < 0 ? '-0' : String(value);
}
