/** What commands about the past ask for, as their options say it: which measures of which target, and of what time. */

import type { HistoryBuckets } from '../contract/history-view.ts';
import { realClock } from '../supervision/clock.ts';
import { instantOf } from './pass-look.ts';

const HOUR_MS = 3_600_000;

/** For `parseArgs`. */
export const PAST_OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  delivery: { type: 'string' },
} as const;

interface PastValues {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly delivery?: string | undefined;
}

/** The time is fixed here: pages of a time that moves on would not end. What is no time the service refuses. */
export function pastQuery(selectors: readonly string[], values: PastValues): URLSearchParams {
  const to = values.to === undefined ? new Date(realClock.now()).toISOString() : instantOf(values.to);
  const before = new Date(Date.parse(to) - HOUR_MS);
  const usual = Number.isNaN(before.getTime()) ? to : before.toISOString();
  const from = values.from === undefined ? usual : instantOf(values.from);
  const query = new URLSearchParams({ measures: selectors.join(','), from, to });
  if (values.delivery !== undefined) query.set('delivery', values.delivery);
  return query;
}

export function pastPath(target: string, query: URLSearchParams): string {
  return `/v1/targets/${encodeURIComponent(target)}/values/history?${query}`;
}

/** Samples that there are of all measures. */
export function countOf({ measures }: HistoryBuckets): number {
  return measures.reduce((sum, { buckets }) => buckets.reduce((own, { n }) => own + n, sum), 0);
}
