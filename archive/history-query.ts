/**
 * The bounds of a question about the past (contract/history.ts), and the buckets of its answer.
 */

import type { HistoryQuery } from '../contract/history.ts';
import {
  HISTORY_MEASURES,
  HISTORY_MINUTES_FROM_MS,
  HISTORY_PAGE,
  HISTORY_POINTS,
  HISTORY_POINTS_OF_ALL,
} from '../contract/limits/archive.ts';
import { accepted, type Result, refusedAll } from '../contract/result.ts';

export interface Grid {
  readonly start: number;
  readonly width: number;
  readonly count: number;
  /** Whether buckets are made of whole minutes. */
  readonly minutes: boolean;
}

/**
 * Buckets over the time: whole multiples of their width since 1970, so that the same bucket is the same however the
 * time is moved; the first and the last may reach beyond it. At most one more than `points`.
 */
export function gridOf({ from, to }: Pick<HistoryQuery, 'from' | 'to'>, points: number): Grid {
  const least = Math.max(1, Math.ceil((to - from) / points));
  const minutes = least >= HISTORY_MINUTES_FROM_MS;
  const width = minutes ? Math.ceil(least / 60_000) * 60_000 : least;
  const start = Math.floor(from / width) * width;
  return { start, width, count: Math.max(1, Math.ceil((to - start) / width)), minutes };
}

/** Why a question is not answered (contract/history.H3), in words; each of them. */
export function checkedQuery(query: HistoryQuery): Result<HistoryQuery, string> {
  const { measures, from, to } = query;
  const faults: string[] = [];
  if (measures.length === 0) faults.push('no measure is asked for');
  if (measures.length > HISTORY_MEASURES)
    faults.push(`${measures.length} measures are asked for; at most ${HISTORY_MEASURES} at once`);
  if (new Set(measures).size !== measures.length) faults.push('a measure is asked for twice');
  if (!(Number.isFinite(from) && Number.isFinite(to) && from < to)) faults.push('`from` is not before `to`');
  return faults.length === 0 ? accepted(query) : refusedAll(faults);
}

/** Why so many points are too many. */
export function pointsFault({ measures }: HistoryQuery, points: number): string | undefined {
  const most = Math.min(HISTORY_POINTS, Math.floor(HISTORY_POINTS_OF_ALL / Math.max(1, measures.length)));
  if (Number.isInteger(points) && points >= 1 && points <= most) return undefined;
  return `${points} points of ${measures.length} measures: ask for 1 to ${most}`;
}

export function pageFault(limit: number): string | undefined {
  if (Number.isInteger(limit) && limit >= 1 && limit <= HISTORY_PAGE) return undefined;
  return `a page of ${limit} samples: ask for 1 to ${HISTORY_PAGE}`;
}
