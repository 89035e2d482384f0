/** The time axis of the plot: which part of time the address asks for, and how it is moved. Pure; all in ms since 1970. */

export interface TimeRange {
  readonly from: number;
  readonly to: number;
  /** It moves with the time of the service. */
  readonly isLive: boolean;
}

export const SPANS: Readonly<Record<string, number>> = {
  '10 min': 600_000,
  '1 h': 3_600_000,
  '6 h': 21_600_000,
  '1 d': 86_400_000,
  '7 d': 604_800_000,
  '30 d': 2_592_000_000,
  '1 y': 31_557_600_000,
};
export const USUAL_SPAN = '10 min';
const LEAST_MS = 1_000;
const MOST_MS = 20 * SPANS['1 y']!;

/** Of `from` and `to` of the query (RFC 3339), else the last `span`; what cannot be meant is the usual span. */
export function rangeOf(query: Readonly<Record<string, string>>, now: number): TimeRange {
  const from = Date.parse(query['from'] ?? '');
  const to = Date.parse(query['to'] ?? '');
  if (to - from >= LEAST_MS) return { from: Math.max(from, to - MOST_MS), to, isLive: false };
  const span = SPANS[query['span'] ?? ''] ?? SPANS[USUAL_SPAN]!;
  return { from: now - span, to: now, isLive: true };
}

/** What goes into the query for a part of the past. */
export function queryOf(from: number, to: number): Record<string, string> {
  const half = Math.min(MOST_MS, Math.max(LEAST_MS, to - from)) / 2;
  const middle = (from + to) / 2;
  return { from: new Date(middle - half).toISOString(), to: new Date(middle + half).toISOString(), span: '' };
}

/** Moved by a share of its length; above 0 to later. */
export function panned({ from, to }: TimeRange, share: number): Record<string, string> {
  const by = (to - from) * share;
  return queryOf(from + by, to + by);
}

/** `factor` above 1 shows more; `at` stays where it is. */
export function zoomed(
  { from, to }: TimeRange,
  factor: number,
  at = (from + to) / 2,
): Record<string, string> {
  return queryOf(at - (at - from) * factor, at + (to - at) * factor);
}
