/**
 * A line of a measure over time, a character for each piece of it. Pure.
 *
 * S1. A character stands for the mean of its time between the smallest and the largest value; a blank for a time in
 *     which nothing was sent, `x` for one of which everything was lost, `-` for samples that are no numbers.
 * S2. Nothing that was lost is drawn as silence, however narrow the line is.
 */

import type { HistoryBucket } from '../contract/history-view.ts';

const LEVELS = '▁▂▃▄▅▆▇█';
const LOST = 'x';
const SILENT = ' ';
const TEXT = '-';

export interface SparkTime {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

interface Cell {
  n: number;
  sum: number;
  known: number;
  lost: boolean;
}

/** The smallest and the largest value; undefined where there are no numbers. */
export function rangeOf(buckets: readonly HistoryBucket[]): Range | undefined {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const bucket of buckets) {
    min = Math.min(min, bucket.min ?? min);
    max = Math.max(max, bucket.max ?? max);
  }
  return min > max ? undefined : { min, max };
}

/** S1, S2 */
export function sparkLine(buckets: readonly HistoryBucket[], time: SparkTime, width: number): string {
  const cells = Array.from({ length: width }, (): Cell => ({ n: 0, sum: 0, known: 0, lost: false }));
  const { fromMs, toMs } = time;
  for (const { time: begins, n, mean, lost } of buckets) {
    const place = Math.floor(((Date.parse(begins) - fromMs) / (toMs - fromMs)) * width);
    // The first bucket may begin before the time, and the last one end behind it.
    const cell = cells[Math.min(width - 1, Math.max(0, place))]!;
    cell.n += n;
    cell.lost ||= lost === true;
    if (mean === null) continue;
    cell.sum += mean * n;
    cell.known += n;
  }
  const range = rangeOf(buckets);
  return cells.map((cell) => character(cell, range)).join('');
}

function character({ n, sum, known, lost }: Cell, range: Range | undefined): string {
  if (n === 0) return lost ? LOST : SILENT;
  if (known === 0 || range === undefined) return TEXT;
  const { min, max } = range;
  const height = max > min ? (sum / known - min) / (max - min) : 0.5;
  return LEVELS[Math.min(LEVELS.length - 1, Math.max(0, Math.floor(height * LEVELS.length)))]!;
}
