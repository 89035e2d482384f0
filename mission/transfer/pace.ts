/**
 * How fast a transfer may go now, and how long it then lasts at least: shown to people, nothing is decided by it.
 * Mission Control Service, section 4.7 rule 4. Pure.
 */

import type { RateFound, RateSource } from './rate.ts';

export interface TransferPace {
  /** bit/s, and where it comes from. */
  readonly rate: number;
  readonly source: RateSource;
  /** Seconds, for what is missing at that rate. */
  readonly lasts_s: number;
  /** Of the pass in progress. */
  readonly los?: string;
  readonly ends_before_los?: boolean;
}

/** `los` in ms since 1970, where a pass is in progress; `missing` in bytes. */
export function paceOf(
  { rate, source }: RateFound,
  missing: number,
  los: number | undefined,
  now: number,
): TransferPace {
  const ms = (missing * 8_000) / rate;
  return {
    rate,
    source,
    lasts_s: Math.ceil(ms / 1_000),
    ...(los !== undefined && { los: new Date(los).toISOString(), ends_before_los: now + ms <= los }),
  };
}
