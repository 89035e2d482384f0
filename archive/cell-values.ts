/** Cells of columns as values of samples. */

import type { HistorySample, SampleValue } from '../contract/history.ts';
import type { Cells, Column } from './cells.ts';

const INTEGER = /^-?\d+$/;
const TEXT: ReadonlySet<string> = new Set(['string', 'bytes', 'enum']);

/** The values of a column, by row. */
export function valuesOf(type: string, { kind }: Column, cells: Cells): (row: number) => SampleValue {
  if (cells instanceof Float64Array) {
    if (kind === 'bool') return (row) => (Number.isNaN(cells[row]!) ? null : cells[row] === 1);
    return (row) => (Number.isNaN(cells[row]!) ? null : cells[row]!);
  }
  if (kind === 'i64' || kind === 'u64') return (row) => plainBig(cells[row] as bigint | null);
  const texts = cells as readonly (string | null)[];
  return TEXT.has(type) ? (row) => texts[row]! : (row) => valueOfText(type, texts[row]!);
}

/** An integer as a number where a double holds it. */
export function plainBig(big: bigint | null): number | bigint | null {
  if (big === null) return null;
  const number = Number(big);
  return Number.isSafeInteger(number) ? number : big;
}

/** What was kept as text because a sample of its column did not fit (fitted.T2). */
export function valueOfText(type: string, text: string | null): SampleValue {
  if (text === null || TEXT.has(type)) return text;
  if (type === 'bool' && (text === 'true' || text === 'false')) return text === 'true';
  if (INTEGER.test(text) && text !== '-0') return plainBig(BigInt(text));
  const number = Number(text);
  return text !== '' && (String(number) === text || text === '-0') ? number : text;
}

/** As buckets count it: a finite number, a text, or null. */
export function countedOf(value: SampleValue): number | string | null {
  if (typeof value === 'string' || value === null) return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

export type OpenSample = { -readonly [Name in keyof HistorySample]: HistorySample[Name] };

/** Raw values are said where they are not the value: one meaning, wherever the sample is kept. */
export function sayRaw(sample: OpenSample, raw: SampleValue): void {
  const { value } = sample;
  if (raw === null || raw === value || (typeof value === 'boolean' && raw === Number(value))) return;
  sample.raw = raw;
}

export function orNull(number: number): number | null {
  return Number.isNaN(number) ? null : number;
}
