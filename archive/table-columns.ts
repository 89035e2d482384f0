/**
 * Answers about the past as rows with columns, for tables that are written as segments are. Their columns are always
 * the same, so that tables of pages can be joined (joined-tables.ts), and so that a table can be begun before it is
 * known what comes.
 *
 * C1. Samples have a row each, with the columns of rare rows (long-rows.ts) as far as answers have them: `number` or
 *     `text`, and what they were before calibration. 0 and 1 stand for booleans; integers past 2^53 are text.
 * C2. Times are microseconds, as every tool reads them, and beside them doubles in ms, which are exact.
 */

import type { HistorySample, SampleValue } from '../contract/history.ts';
import type { BucketRows } from '../ports/history-tables.ts';
import type { Cells, Column } from './cells.ts';
import { LONG_COLUMNS } from './long-rows.ts';

/** C1 */
export const SAMPLE_COLUMNS: readonly Column[] = LONG_COLUMNS.filter(
  ({ name }) => name !== 'type' && name !== 'platform',
);

export const BUCKET_COLUMNS: readonly Column[] = [
  { name: 'target', kind: 'text', nullable: false },
  { name: 'measure', kind: 'text', nullable: false },
  { name: 'time', kind: 'us', nullable: false },
  { name: 'time_ms', kind: 'f64', nullable: false },
  { name: 'n', kind: 'count', nullable: false },
  { name: 'min', kind: 'f64', nullable: false },
  { name: 'max', kind: 'f64', nullable: false },
  { name: 'mean', kind: 'f64', nullable: false },
  { name: 'first_time_ms', kind: 'f64', nullable: false },
  { name: 'last_time_ms', kind: 'f64', nullable: false },
  { name: 'last_number', kind: 'f64', nullable: false },
  { name: 'last_text', kind: 'text', nullable: true },
  { name: 'lost', kind: 'bool', nullable: false },
];

export function sampleCells(
  target: string,
  measures: readonly string[],
  samples: readonly HistorySample[],
): Cells[] {
  const numbers = (take: (sample: HistorySample) => number): Float64Array => Float64Array.from(samples, take);
  return [
    samples.map(() => target),
    samples.map(({ measure }) => measures[measure]!),
    numbers(({ deferred }) => Number(deferred)),
    numbers(({ time }) => time),
    numbers(({ time }) => time),
    numbers(({ ground }) => ground),
    numbers(({ position }) => position),
    samples.map(({ link }) => link),
    numbers(({ superseded }) => Number(superseded === true)),
    numbers(({ value }) => numberOf(value)),
    samples.map(({ value }) => textOf(value)),
    numbers(({ raw = null }) => numberOf(raw)),
    samples.map(({ raw = null }) => textOf(raw)),
  ];
}

/** C1 */
function numberOf(value: SampleValue): number {
  if (typeof value === 'number') return value;
  return typeof value === 'boolean' ? Number(value) : Number.NaN;
}

function textOf(value: SampleValue): string | null {
  return typeof value === 'string' || typeof value === 'bigint' ? String(value) : null;
}

export function bucketCells(target: string, measures: readonly BucketRows[]): Cells[] {
  const numbers = (take: (rows: BucketRows, place: number) => number): Float64Array =>
    Float64Array.from(measures.flatMap((rows) => rows.places.map((place) => take(rows, place))));
  const texts = (take: (rows: BucketRows, place: number) => string | null): (string | null)[] =>
    measures.flatMap((rows) => rows.places.map((place) => take(rows, place)));
  const begins = ({ start, width }: BucketRows, place: number): number => start + place * width;
  const last = ({ column }: BucketRows, place: number): number | string | null => column.value[place]!;
  return [
    texts(() => target),
    texts(({ measure }) => measure),
    numbers(begins),
    numbers(begins),
    numbers(({ column }, place) => column.n[place]!),
    numbers(({ column }, place) => column.min[place]!),
    numbers(({ column }, place) => column.max[place]!),
    numbers(({ column }, place) => column.mean[place]!),
    numbers(({ column }, place) => column.first[place]!),
    numbers(({ column }, place) => column.last[place]!),
    numbers((rows, place) => numberOf(last(rows, place))),
    texts((rows, place) => textOf(last(rows, place))),
    numbers(({ lost }, place) => Number(lost[place] === true)),
  ];
}
