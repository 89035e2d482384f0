/**
 * The rate by which requests of a transfer are sized. Mission Control Service, section 4.7 rule 4.
 *
 * A1. A measured throughput counts while it is young and no less than a quarter of what comes next: a link on which
 *     nobody asked for much has a throughput that says nothing of what it could carry.
 */

import { TRANSFER_MEASURED_MS, TRANSFER_RATE } from '../../contract/limits/transfer.ts';

export const RATE_SOURCES = ['measured', 'pass', 'gateway', 'default'] as const;
export type RateSource = (typeof RATE_SOURCES)[number];

export interface RateFound {
  /** bit/s */
  readonly rate: number;
  readonly source: RateSource;
}

/** What is known of a link, bit/s. */
export interface RatesKnown {
  /** By its gateway, at that time (ms since 1970). */
  readonly measured?: { readonly rate: number; readonly at: number } | undefined;
  /** Of the pass in progress. */
  readonly pass?: number | undefined;
  /** As the gateway announces it. */
  readonly gateway?: number | undefined;
}

const ENOUGH = 1 / 4;

/** The first that counts, with where it comes from. */
export function rateOf({ measured, pass, gateway }: RatesKnown, now: number): RateFound {
  const next = stated(pass, 'pass') ??
    stated(gateway, 'gateway') ?? { rate: TRANSFER_RATE, source: 'default' };
  if (measured === undefined || measured.rate <= 0) return next;
  const ageMs = now - measured.at;
  const counts = ageMs < TRANSFER_MEASURED_MS && measured.rate >= next.rate * ENOUGH;
  return counts ? { rate: measured.rate, source: 'measured' } : next;
}

function stated(rate: number | undefined, source: RateSource): RateFound | undefined {
  return rate === undefined || !(rate > 0) ? undefined : { rate, source };
}
