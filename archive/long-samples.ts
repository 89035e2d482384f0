/** Rows of one sample each, rare ones and those in memory, as answers take them. */

import type { HistoryQuery, HistorySample } from '../contract/history.ts';
import { addSample, type ColumnSums } from './bucket-sums.ts';
import { countedOf, type OpenSample, orNull, sayRaw, valueOfText } from './cell-values.ts';
import type { Grid } from './history-query.ts';
import type { LongRow } from './long-rows.ts';
import type { SampleCollector } from './sample-collector.ts';

/** The value of a rare row as that of a sample. */
function longValue(type: string, number: number, text: string | null): HistorySample['value'] {
  if (text !== null) return valueOfText(type, text);
  if (Number.isNaN(number)) return null;
  return type === 'bool' && (number === 0 || number === 1) ? number === 1 : number;
}

export function collectLong(collector: SampleCollector, query: HistoryQuery, row: LongRow): void {
  const { time, position, ground, link, deferred, type } = row;
  if (!collector.wants(time, position)) return;
  const value = longValue(type, row.number, row.text);
  const raw =
    row.rawText !== null && type !== 'enum' ? valueOfText(type, row.rawText) : orNull(row.rawNumber);
  const measure = query.measures.indexOf(row.measure);
  const sample: OpenSample = {
    measure,
    value,
    time,
    ground,
    position,
    link,
    deferred,
  };
  sayRaw(sample, raw);
  if (row.superseded) sample.superseded = true;
  collector.add(sample);
}

export function sumLong(
  sums: readonly ColumnSums[],
  { start, width, count }: Grid,
  query: HistoryQuery,
  row: LongRow,
): void {
  const bucket = Math.floor((row.time - start) / width);
  const place = query.measures.indexOf(row.measure);
  if (bucket < 0 || bucket >= count) return;
  addSample(sums[place]!, bucket, row.time, countedOf(longValue(row.type, row.number, row.text)));
}
