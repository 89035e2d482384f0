/** The values that a sweep goes through. RF Bench Service, section 2 (campaign documents). */

import type { CampaignStep } from '../../contract/bench/campaign.ts';

export type SweepStep = Extract<CampaignStep, { kind: 'sweep' }>;
type Range = NonNullable<SweepStep['vary']['tx_gain_db']>;

/** Share of a step that rounding may have taken from the last one. */
const ROUNDING = 1e-9;

/** Which gain a sweep varies; the shape has exactly one. */
export function variedGain({ vary }: SweepStep): readonly [side: 'rx' | 'tx', range: Range] {
  return vary.tx_gain_db === undefined ? ['rx', vary.rx_gain_db!] : ['tx', vary.tx_gain_db];
}

/** How many values there are: 0 where the step leads away from the end, infinitely many where it is 0. */
export function sweepSize({ from, to, step }: Range): number {
  if (step === 0) return Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor((to - from) / step + ROUNDING) + 1);
}

/** From the first value by the step up to the last that is not beyond the end. */
export function sweepPoints(range: Range): number[] {
  return Array.from({ length: sweepSize(range) }, (_, index) => range.from + index * range.step);
}
