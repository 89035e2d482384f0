/** Which part of time the timeline shows, as its address says. Pure; all in ms since 1970. */

import { queryOf, type TimeRange } from '../values/plot-time.ts';

export const TIMELINE_SPANS: Readonly<Record<string, number>> = {
  '2 h': 7_200_000,
  '12 h': 43_200_000,
  '1 d': 86_400_000,
  '3 d': 259_200_000,
  '7 d': 604_800_000,
  '30 d': 2_592_000_000,
  '1 y': 31_557_600_000,
};
export const USUAL_TIMELINE_SPAN = '1 d';
/** What has just been stays in sight. */
const BEHIND = 0.06;
const LEAST_MS = 60_000;
/** A year, and as much of what is over. */
const MOST_MS = 2 * TIMELINE_SPANS['1 y']!;

/** Of `from` and `to` of the query (RFC 3339), else `span` from a little before now; what cannot be meant is the usual one. */
export function timelineRange(query: Readonly<Record<string, string>>, now: number): TimeRange {
  const from = Date.parse(query['from'] ?? '');
  const to = Date.parse(query['to'] ?? '');
  if (to - from >= LEAST_MS && from >= 0) return { from, to: Math.min(to, from + MOST_MS), isLive: false };
  const span = TIMELINE_SPANS[query['span'] ?? ''] ?? TIMELINE_SPANS[USUAL_TIMELINE_SPAN]!;
  return { from: now - BEHIND * span, to: now + (1 - BEHIND) * span, isLive: true };
}

/** `factor` above 1 shows more; `at` stays where it is. */
export function zoomedTimeline({ from, to }: TimeRange, factor: number, at: number): Record<string, string> {
  const span = Math.min(MOST_MS, Math.max(LEAST_MS, (to - from) * factor));
  const before = ((at - from) / (to - from)) * span;
  return queryOf(at - before, at - before + span);
}

/** The same length with that moment in it: unchanged where it is in sight already. */
export function broughtIntoSight({ from, to }: TimeRange, at: number): Record<string, string> | undefined {
  if (at >= from && at <= to) return undefined;
  const half = (to - from) / 2;
  return queryOf(at - half, at + half);
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 10_080, 20_160, 43_200].map(
  (minutes) => minutes * 60_000,
);
const DAY_MS = 86_400_000;

export interface Tick {
  readonly at: number;
  readonly text: string;
  /** Midnight: the date stands there. */
  readonly isDay: boolean;
}

/** Marks of the axis at whole steps of UTC, at most `most` of them. */
export function ticksOf({ from, to }: Pick<TimeRange, 'from' | 'to'>, most: number): Tick[] {
  const step = STEPS.find((each) => (to - from) / each <= most) ?? (to - from) / Math.max(1, most);
  const ticks: Tick[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const text = new Date(at).toISOString();
    const isDay = at % DAY_MS === 0;
    ticks.push({ at, text: isDay || step >= DAY_MS ? text.slice(5, 10) : text.slice(11, 16), isDay });
  }
  return ticks;
}
