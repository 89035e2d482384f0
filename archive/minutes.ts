/**
 * Minutes: what the samples of a minute come to, counted once when an hour is compacted, so that a month of a measure
 * is drawn without reading its samples.
 *
 * U1. A row is a minute of one target; its columns are those of a shape (row-shape.ts): `n`, the first and the last
 *     time of its rows, and for each measure `min`, `max`, `mean` and `known` over values that are known (finite
 *     numbers), and `last`, known or not. Text has `last` alone; booleans count as 0 and 1.
 * U2. Minutes that stand in several segments (late and deferred samples) are merged when they are read; what comes out
 *     is what one minute would have, but for the rounding of the mean.
 * U3. Of two samples of one time the one at the higher position is the last.
 */

import type { Bigs, Cells, Column, Numbers, Texts } from './cells.ts';
import { type Shape, type ShapeMeasure, type ShapeRows, TIME } from './row-shape.ts';

export const MINUTE_MS = 60_000;
export const MINUTE = 1;
export const FIRST_TIME = 2;
export const LAST_TIME = 3;
export const COUNT = 4;
/** The columns of a number, behind the first of them; text has its `last` in the first. */
export const MIN = 0;
export const MAX = 1;
export const MEAN = 2;
export const KNOWN = 3;
export const LAST = 4;

export function isText({ kind }: Column): boolean {
  return kind === 'text' || kind === 'bytes';
}

/** The shape of the minutes of a shape. */
export function minutesShape(shape: Shape): Shape {
  const time = shape.columns[TIME]!.kind;
  const columns: Column[] = [
    { name: 'target', kind: 'text', nullable: false },
    { name: 'minute', kind: time, nullable: false },
    { name: 'first_time', kind: time, nullable: false },
    { name: 'last_time', kind: time, nullable: false },
    { name: 'n', kind: 'count', nullable: false },
  ];
  const measures = shape.measures.map(({ key, type, column }): ShapeMeasure => {
    const first = columns.length;
    const text = isText(shape.columns[column]!);
    if (text) columns.push({ name: `${key}.last`, kind: 'text', nullable: true });
    else
      for (const name of ['min', 'max', 'mean', 'known', 'last'])
        columns.push({ name: `${key}.${name}`, kind: name === 'known' ? 'i32' : 'f64', nullable: false });
    return { key, type, column: first };
  });
  const { family, platform, deferred } = shape;
  const texts = shape.measures.map(({ column }) => (isText(shape.columns[column]!) ? 't' : 'n')).join('');
  return { id: `${family}-${time}${digits(texts)}`, family, platform, deferred, columns, measures };
}

/** A short name of which columns are text. */
function digits(texts: string): string {
  let hash = 0;
  for (const letter of texts) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  return hash.toString(36);
}

/** The minutes of rows, which are in order of time. */
export function minutesOf({ target, rows, cells }: ShapeRows, shape: Shape, minutes: Shape): ShapeRows {
  const time = cells[TIME] as Numbers;
  const starts: number[] = [];
  for (let row = 0; row < rows; row += 1)
    if (row === 0 || minuteOf(time[row]!) !== minuteOf(time[row - 1]!)) starts.push(row);
  const ends = [...starts.slice(1), rows];
  const made: Cells[] = minutes.columns.map(({ kind }) =>
    kind === 'text' ? new Array<string | null>(starts.length).fill(null) : new Float64Array(starts.length),
  );
  (made[0] as string[]).fill(target);
  starts.forEach((start, n) => {
    (made[MINUTE] as Numbers)[n] = minuteOf(time[start]!);
    (made[FIRST_TIME] as Numbers)[n] = time[start]!;
    (made[LAST_TIME] as Numbers)[n] = time[ends[n]! - 1]!;
    (made[COUNT] as Numbers)[n] = ends[n]! - start;
  });
  shape.measures.forEach(({ column }, n) => {
    const first = minutes.measures[n]!.column;
    const own = cells[column]!;
    if (isText(shape.columns[column]!))
      ends.forEach((end, minute) => {
        (made[first] as (string | null)[])[minute] = (own as Texts)[end - 1]!;
      });
    else count(own as Numbers | Bigs, starts, ends, made.slice(first, first + LAST + 1) as Numbers[]);
  });
  return { target, rows: starts.length, cells: made };
}

export function minuteOf(time: number): number {
  return Math.floor(time / MINUTE_MS) * MINUTE_MS;
}

function count(
  cells: Numbers | Bigs,
  starts: readonly number[],
  ends: readonly number[],
  [least, most, mean, known, last]: readonly Numbers[],
): void {
  for (let minute = 0; minute < starts.length; minute += 1) {
    let [min, max, sum, number] = [Number.NaN, Number.NaN, 0, 0];
    let value = Number.NaN;
    for (let row = starts[minute]!; row < ends[minute]!; row += 1) {
      const cell = cells[row]!;
      value = typeof cell === 'number' ? cell : cell === null ? Number.NaN : Number(cell);
      if (value - value !== 0) continue;
      if (!(min <= value)) min = value;
      if (!(max >= value)) max = value;
      sum += value;
      number += 1;
    }
    least![minute] = min;
    most![minute] = max;
    mean![minute] = number === 0 ? Number.NaN : sum / number;
    known![minute] = number;
    last![minute] = value;
  }
}

/** The rows of both as one: `later` is of higher positions (U3). */
export function mergedMinutes(parts: readonly ShapeRows[], { columns, measures }: Shape): ShapeRows {
  if (parts.length === 1) return parts[0]!;
  const places = new Map<number, number>();
  for (const { cells } of parts) for (const minute of cells[MINUTE] as Numbers) places.set(minute, 0);
  const sorted = [...places.keys()].sort((one, other) => one - other);
  sorted.forEach((minute, place) => {
    places.set(minute, place);
  });
  const made: Cells[] = columns.map(({ kind }) =>
    kind === 'text' ? new Array<string | null>(sorted.length).fill(null) : new Float64Array(sorted.length),
  );
  const [{ target }] = parts as [ShapeRows];
  (made[0] as string[]).fill(target);
  (made[MINUTE] as Numbers).set(sorted);
  const text = measures.map(({ column }) => isText(columns[column]!));
  for (const { cells, rows } of parts)
    for (let row = 0; row < rows; row += 1) {
      const place = places.get((cells[MINUTE] as Numbers)[row]!)!;
      mergeRow(made, place, cells, row, measures, text);
    }
  return { target, rows: sorted.length, cells: made };
}

function mergeRow(
  into: readonly Cells[],
  place: number,
  from: readonly Cells[],
  row: number,
  measures: readonly ShapeMeasure[],
  text: readonly boolean[],
): void {
  const number = (column: number): number => (from[column] as Numbers)[row]!;
  const had = (column: number): number => (into[column] as Numbers)[place]!;
  const empty = had(COUNT) === 0;
  const later = empty || number(LAST_TIME) >= had(LAST_TIME);
  const put = (column: number, value: number): void => {
    (into[column] as Numbers)[place] = value;
  };
  put(FIRST_TIME, empty ? number(FIRST_TIME) : Math.min(had(FIRST_TIME), number(FIRST_TIME)));
  put(LAST_TIME, later ? number(LAST_TIME) : had(LAST_TIME));
  put(COUNT, had(COUNT) + number(COUNT));
  measures.forEach(({ column }, n) => {
    if (text[n]) {
      if (later) (into[column] as (string | null)[])[place] = (from[column] as Texts)[row]!;
      return;
    }
    const [old, own] = [empty ? 0 : had(column + KNOWN), number(column + KNOWN)];
    if (empty || old === 0) for (const each of [MIN, MAX, MEAN]) put(column + each, number(column + each));
    else if (own > 0) {
      put(column + MIN, Math.min(had(column + MIN), number(column + MIN)));
      put(column + MAX, Math.max(had(column + MAX), number(column + MAX)));
      put(column + MEAN, (had(column + MEAN) * old + number(column + MEAN) * own) / (old + own));
    }
    put(column + KNOWN, old + own);
    if (later) put(column + LAST, number(column + LAST));
  });
}
