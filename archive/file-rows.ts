/** What one file of a segment has of a question: samples of the first page, sums of buckets. */

import type { HistoryQuery, SampleValue } from '../contract/history.ts';
import { addMinute, addNumbers, addSample, type ColumnSums, type CountedMinute } from './bucket-sums.ts';
import { countedOf, type OpenSample, orNull, sayRaw, valuesOf } from './cell-values.ts';
import type { Cells, Numbers, Texts } from './cells.ts';
import type { GroupHead } from './chunk-index.ts';
import type { Grid } from './history-query.ts';
import { LONG_COLUMNS, type LongRow, longRowsOf } from './long-rows.ts';
import type { FileEntry } from './manifest.ts';
import {
  COUNT,
  FIRST_TIME,
  isText,
  KNOWN,
  LAST,
  LAST_TIME,
  MAX,
  MEAN,
  MIN,
  MINUTE,
  MINUTE_MS,
} from './minutes.ts';
import type { ParquetInput } from './parquet-input.ts';
import {
  GROUND,
  LINK,
  numbersOf,
  POSITION,
  type Shape,
  type ShapeMeasure,
  SUPERSEDED,
  TIME,
} from './row-shape.ts';
import type { SampleCollector } from './sample-collector.ts';

/** A file that is open, and the question to it. */
export interface AskedFile {
  readonly shape: Shape;
  readonly entry: FileEntry;
  readonly input: ParquetInput;
  readonly query: HistoryQuery;
}

/** The row groups of the target and the time. */
function groupsOf({ input, entry, query }: Omit<AskedFile, 'shape'>): GroupHead[] {
  const { target, from, to } = query;
  const place = entry.targets.indexOf(target);
  const longer = entry.kind === 'minutes' ? MINUTE_MS : 0;
  const has = ({ targets: [first, last] }: GroupHead): boolean => first <= place && place <= last;
  return input.groups.filter((group) => has(group) && group.to + longer >= from && group.from < to);
}

/** Measures of the question that a shape has, with their place in the question. */
function askedMeasures({ shape, query }: AskedFile): { measure: ShapeMeasure; place: number }[] {
  return shape.measures.flatMap((measure) => {
    const place = query.measures.indexOf(measure.key);
    return place < 0 ? [] : [{ measure, place }];
  });
}

interface AskedColumn {
  readonly place: number;
  readonly key: string;
  readonly value: (row: number) => SampleValue;
  readonly raw: ((row: number) => SampleValue) | undefined;
}

/** Rows of samples that are wanted for a page. */
export function collectRows(collector: SampleCollector, asked: AskedFile): void {
  const { shape, input, query } = asked;
  const superseded = shape.columns[LINK + 1]?.name === SUPERSEDED ? [LINK + 1] : [];
  for (const group of groupsOf(asked)) {
    if (group.from > collector.horizon) continue;
    const fixed = input.read(group, [TIME, GROUND, POSITION, LINK, ...superseded]);
    const columns = askedMeasures(asked).map((each) => askedColumn(asked, group, each));
    const [times, positions] = [fixed[0] as Numbers, fixed[2] as Numbers];
    for (let row = firstAt(times, query.from); row < times.length && times[row]! < query.to; row += 1) {
      if (times[row]! > collector.horizon) break;
      if (collector.wants(times[row]!, positions[row]!))
        for (const column of columns) collector.add(sampleAt(fixed, row, column, shape.deferred));
    }
  }
}

function askedColumn(
  { shape, input }: AskedFile,
  group: GroupHead,
  { measure, place }: { readonly measure: ShapeMeasure; readonly place: number },
): AskedColumn {
  const { key, type, column, raw, labels } = measure;
  const [cells, rawCells] = input.read(group, raw === undefined ? [column] : [column, raw]);
  const value = valuesOf(type, shape.columns[column]!, cells!);
  if (raw !== undefined) return { place, key, value, raw: valuesOf('', shape.columns[raw]!, rawCells!) };
  if (labels === undefined) return { place, key, value, raw: undefined };
  const numbers = numbersOf(cells as Texts, labels);
  return { place, key, value, raw: (row) => orNull(numbers[row]!) };
}

function sampleAt(
  [time, ground, position, link, superseded]: readonly Cells[],
  row: number,
  { place, key, value, raw }: AskedColumn,
  deferred: boolean,
): OpenSample {
  const sample: OpenSample = {
    measure: place,
    value: value(row),
    time: (time as Numbers)[row]!,
    ground: (ground as Numbers)[row]!,
    position: (position as Numbers)[row]!,
    link: (link as Texts)[row]!,
    deferred,
  };
  if (raw !== undefined) sayRaw(sample, raw(row));
  const names = (superseded as Texts | undefined)?.[row] ?? null;
  if (names !== null && (names === '*' || names.split(',').includes(key))) sample.superseded = true;
  return sample;
}

/** The first row whose time is not before. */
function firstAt(times: Numbers, from: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Counts rows of samples; the time of the question is that of the grid. */
export function sumRows(sums: readonly ColumnSums[], { start, width }: Grid, asked: AskedFile): void {
  const { shape, input, query } = asked;
  for (const group of groupsOf(asked)) {
    const times = input.read(group, [TIME])[0] as Numbers;
    const [first, end] = [firstAt(times, query.from), firstAt(times, query.to)];
    for (const { measure, place } of askedMeasures(asked)) {
      const [cells] = input.read(group, [measure.column]);
      const column = sums[place]!;
      if (cells instanceof Float64Array) {
        addNumbers(column, { times, values: cells, first, end, start, width });
        continue;
      }
      const value = valuesOf(measure.type, shape.columns[measure.column]!, cells!);
      for (let row = first; row < end; row += 1) {
        const bucket = Math.floor((times[row]! - start) / width);
        addSample(column, bucket, times[row]!, countedOf(value(row)));
      }
    }
  }
}

/** Counts minutes. */
export function sumMinutes(sums: readonly ColumnSums[], grid: Grid, asked: AskedFile): void {
  const { shape, input } = asked;
  const { start, width, count } = grid;
  for (const group of groupsOf(asked)) {
    const fixed = input.read(group, [MINUTE, FIRST_TIME, LAST_TIME, COUNT]) as Numbers[];
    // Where buckets are shorter than a minute, samples are deleted: the minute counts where its first sample was.
    const places = width % MINUTE_MS === 0 ? fixed[0]! : fixed[1]!;
    for (const { measure, place } of askedMeasures(asked)) {
      const text = isText(shape.columns[measure.column]!);
      const columns = (text ? [0] : [MIN, MAX, MEAN, KNOWN, LAST]).map((each) => measure.column + each);
      const cells = input.read(group, columns);
      for (let row = 0; row < group.rows; row += 1) {
        const bucket = Math.floor((places[row]! - start) / width);
        if (bucket >= 0 && bucket < count) addMinute(sums[place]!, bucket, minuteAt(fixed, cells, row, text));
      }
    }
  }
}

function minuteAt(
  fixed: readonly Numbers[],
  cells: readonly Cells[],
  row: number,
  text: boolean,
): CountedMinute {
  const [n, first, last] = [fixed[3]![row]!, fixed[1]![row]!, fixed[2]![row]!];
  if (text) return { n, first, last, value: (cells[0] as Texts)[row]!, known: 0, min: 0, max: 0, mean: 0 };
  const number = (column: number): number => (cells[column] as Numbers)[row]!;
  const value = orNull(number(LAST));
  const [min, max, mean, known] = [number(MIN), number(MAX), number(MEAN), number(KNOWN)];
  return { n, first, last, value, known, min, max, mean };
}

const EVERY = LONG_COLUMNS.map((_, column) => column);

/** Rare rows of the target, the measures and the time. */
export function longRows(asked: Omit<AskedFile, 'shape'>): LongRow[] {
  const { input, query } = asked;
  const { target, measures, from, to, delivery } = query;
  return groupsOf(asked).flatMap((group) => {
    const cells = input.read(group, EVERY);
    const [targets, names] = [cells[0] as Texts, cells[1] as Texts];
    const [deferred, times] = [cells[4] as Numbers, cells[6] as Numbers];
    return longRowsOf(
      cells,
      (row) =>
        targets[row] === target &&
        times[row]! >= from &&
        times[row]! < to &&
        measures.includes(names[row]!) &&
        (delivery === 'all' || (deferred[row] === 1) === (delivery === 'deferred')),
    );
  });
}
