/**
 * What the archive and the watch say of measures as columns that a plot draws. Pure.
 *
 * P1. A line is broken where samples are missing: a bucket of which something was lost, and a silence of more than
 *     `SILENCE` times the usual distance of samples.
 * P2. Deferred samples are lines of their own, so that what was known at the time and what came later stay apart.
 */

import type { HistoryBuckets } from '../../../contract/history-view.ts';

const SILENCE = 5;

export interface Track {
  readonly name: string;
  readonly unit: string;
  readonly isDeferred: boolean;
  /** s since 1970, ascending. */
  readonly times: readonly number[];
  /** Null breaks the line. */
  readonly values: readonly (number | null)[];
  readonly least: readonly (number | null)[];
  readonly most: readonly (number | null)[];
  /** Why there is nothing to draw; empty where there is. */
  readonly note: string;
}

/** Live samples of a measure, s since 1970. */
export interface Tail {
  readonly times: readonly number[];
  readonly values: readonly number[];
}

type Measure = HistoryBuckets['measures'][number];

export function trackOf(
  { name, unit = '', buckets, type = '' }: Measure,
  isDeferred: boolean,
  widthMs: number,
  tail: Tail | undefined,
): Track {
  const times: number[] = [];
  const values: (number | null)[] = [];
  const least: (number | null)[] = [];
  const most: (number | null)[] = [];
  const put = (time: number, value: number | null, low: number | null, high: number | null): void => {
    if (time <= (times.at(-1) ?? Number.NEGATIVE_INFINITY)) return;
    times.push(time);
    values.push(value);
    least.push(low);
    most.push(high);
  };
  for (const { time, n, mean, min, max, first_time, last_time, last, lost } of buckets) {
    const begins = Date.parse(time) / 1000;
    if (lost === true || n === 0) put(begins + widthMs / 4_000, null, null, null);
    if (n === 0) continue;
    const number = mean ?? (typeof last === 'number' ? last : null);
    const middle = (Date.parse(first_time ?? time) + Date.parse(last_time ?? time)) / 2_000;
    put(middle, number, min ?? number, max ?? number);
  }
  const archived = times.at(-1) ?? Number.NEGATIVE_INFINITY;
  tail?.times.forEach((time, index) => {
    const value = tail.values[index]!;
    if (time > archived + widthMs / 2_000) put(time, value, value, value);
  });
  const hasText = buckets.some(({ last }) => typeof last === 'string');
  const note = values.some((value) => value !== null)
    ? ''
    : hasText
      ? `${type || 'text'}: listed, not drawn`
      : 'no samples in this time';
  return broken({ name, unit, isDeferred, times, values, least, most, note });
}

/** P1: a null behind each sample that a silence follows. */
function broken(track: Track): Track {
  const { times } = track;
  const distances = times.slice(1).map((time, index) => time - times[index]!);
  const usual = [...distances].sort((a, b) => a - b)[distances.length >> 1] ?? 0;
  const after = distances.flatMap((distance, index) => (distance > usual * SILENCE ? [index] : []));
  if (after.length === 0) return track;
  const at = new Set(after);
  const spread = <Item>(list: readonly Item[], between: (index: number) => Item): Item[] =>
    list.flatMap((item, index) => (at.has(index) ? [item, between(index)] : [item]));
  return {
    ...track,
    times: spread(times, (index) => times[index]! + usual),
    values: spread<number | null>(track.values, () => null),
    least: spread<number | null>(track.least, () => null),
    most: spread<number | null>(track.most, () => null),
  };
}

/** One column of times, and of each track its values there: undefined where it has no sample, null where it is broken. */
export function columnsOf(tracks: readonly Track[]): {
  times: number[];
  values: (number | null | undefined)[][];
} {
  const times = [...new Set(tracks.flatMap((track) => track.times))].sort((a, b) => a - b);
  const place = new Map(times.map((time, index) => [time, index]));
  const values = tracks.map((track) => {
    const column = new Array<number | null | undefined>(times.length).fill(undefined);
    track.times.forEach((time, index) => {
      column[place.get(time)!] = track.values[index];
    });
    return column;
  });
  return { times, values };
}
