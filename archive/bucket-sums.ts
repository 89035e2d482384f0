/**
 * Sums over buckets, made of samples and of minutes in any order of time, and of their positions in rising order.
 *
 * B1. `n` counts every sample; minimum, maximum and mean are over values that are known (minutes.U1).
 */

import type { BucketColumn } from '../contract/history.ts';
import type { Grid } from './history-query.ts';

export interface ColumnSums {
  readonly n: Float64Array;
  readonly known: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly sum: Float64Array;
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly value: (number | string | null)[];
}

export function emptySums({ count }: Grid): ColumnSums {
  const numbers = (value: number): Float64Array => new Float64Array(count).fill(value);
  return {
    n: numbers(0),
    known: numbers(0),
    min: numbers(Number.NaN),
    max: numbers(Number.NaN),
    sum: numbers(0),
    first: numbers(Number.NaN),
    last: numbers(Number.NaN),
    value: new Array<null>(count).fill(null),
  };
}

/** Counts one sample; `value` is null where unknown. */
export function addSample(
  sums: ColumnSums,
  bucket: number,
  time: number,
  value: number | string | null,
): void {
  sums.n[bucket]! += 1;
  if (!(sums.first[bucket]! <= time)) sums.first[bucket] = time;
  if (!(sums.last[bucket]! > time)) {
    sums.last[bucket] = time;
    sums.value[bucket] = value;
  }
  if (typeof value !== 'number') return;
  sums.known[bucket]! += 1;
  sums.sum[bucket]! += value;
  if (!(sums.min[bucket]! <= value)) sums.min[bucket] = value;
  if (!(sums.max[bucket]! >= value)) sums.max[bucket] = value;
}

/** Rows of numbers in order of time, NaN where unknown; booleans as 0 and 1. */
interface NumberRows {
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly first: number;
  readonly end: number;
  /** Of the buckets. */
  readonly start: number;
  readonly width: number;
}

/** The same as `addSample` for each of the rows, a bucket at a time: most answers are made of these. */
export function addNumbers(sums: ColumnSums, rows: NumberRows): void {
  const { times, values, first, end, start, width } = rows;
  for (let row = first; row < end; ) {
    const bucket = Math.floor((times[row]! - start) / width);
    const next = start + (bucket + 1) * width;
    const begins = row;
    let known = 0;
    // Added up as one by one: the same samples give the same mean to the last bit.
    let sum = sums.sum[bucket]!;
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    do {
      const value = values[row]!;
      row += 1;
      // Neither NaN nor infinite.
      if (value - value !== 0) continue;
      known += 1;
      sum += value;
      if (value < min) min = value;
      if (value > max) max = value;
    } while (row < end && times[row]! < next);
    const [from, to, last] = [times[begins]!, times[row - 1]!, values[row - 1]!];
    sums.n[bucket]! += row - begins;
    if (!(sums.first[bucket]! <= from)) sums.first[bucket] = from;
    if (!(sums.last[bucket]! > to)) {
      sums.last[bucket] = to;
      sums.value[bucket] = last - last === 0 ? last : null;
    }
    if (known === 0) continue;
    sums.known[bucket]! += known;
    sums.sum[bucket] = sum;
    if (!(sums.min[bucket]! <= min)) sums.min[bucket] = min;
    if (!(sums.max[bucket]! >= max)) sums.max[bucket] = max;
  }
}

export interface CountedMinute {
  readonly n: number;
  readonly first: number;
  readonly last: number;
  readonly value: number | string | null;
  readonly known: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

export function addMinute(sums: ColumnSums, bucket: number, minute: CountedMinute): void {
  sums.n[bucket]! += minute.n;
  if (!(sums.first[bucket]! <= minute.first)) sums.first[bucket] = minute.first;
  if (!(sums.last[bucket]! > minute.last)) {
    sums.last[bucket] = minute.last;
    sums.value[bucket] = minute.value;
  }
  if (minute.known === 0) return;
  sums.known[bucket]! += minute.known;
  sums.sum[bucket]! += minute.mean * minute.known;
  if (!(sums.min[bucket]! <= minute.min)) sums.min[bucket] = minute.min;
  if (!(sums.max[bucket]! >= minute.max)) sums.max[bucket] = minute.max;
}

export function bucketColumn({ n, known, min, max, sum, first, last, value }: ColumnSums): BucketColumn {
  return { n, min, max, mean: sum.map((total, bucket) => total / known[bucket]!), first, last, value };
}

/** Both as one; `later` is of higher positions. */
export function mergeSums(sums: ColumnSums, later: ColumnSums): ColumnSums {
  later.n.forEach((n, bucket) => {
    if (n === 0) return;
    const known = later.known[bucket]!;
    addMinute(sums, bucket, {
      n,
      known,
      first: later.first[bucket]!,
      last: later.last[bucket]!,
      value: later.value[bucket]!,
      min: later.min[bucket]!,
      max: later.max[bucket]!,
      mean: later.sum[bucket]! / known,
    });
  });
  return sums;
}
