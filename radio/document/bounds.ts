/**
 * What documents may ask of a board: the bounds that validation and apply have in common. RF Bench Service, section 4,
 * rules 2 and 4.
 *
 * U1. Whether a rate is reached is asked of one function, the one that capabilities and apply ask.
 */

import { MODULATIONS, type Modulation } from '../../contract/bench/profile.ts';
import type { Result } from '../../contract/result.ts';
import type { AttributeRange } from '../ad9361/attribute-text.ts';
import { BANDWIDTH_RANGE } from '../ad9361/bandwidth.ts';
import { rxGainRange, TX_GAIN_RANGE } from '../ad9361/gain.ts';
import { LO_RANGE } from '../ad9361/oscillator.ts';
import { MODEM_RATES, planRate, type RatePlan } from '../rates.ts';

type Sides = Readonly<Record<'rx' | 'tx', AttributeRange>>;

export interface BoardBounds {
  readonly modulations: readonly Modulation[];
  readonly oscillator: Sides;
  readonly bandwidth: Sides;
  readonly transmitterGain: AttributeRange;
  /** Depends on the band that the oscillator is in. */
  receiverGain(oscillatorHz: number): AttributeRange;
  /** How the rate is made; refused with the bound that it hits. */
  rate(baud: number, rolloff: number): Result<RatePlan, string>;
}

/** Of an AD9361 with the modem as it is built. */
export const AD9361_BOUNDS: BoardBounds = {
  modulations: MODULATIONS,
  oscillator: LO_RANGE,
  bandwidth: BANDWIDTH_RANGE,
  transmitterGain: TX_GAIN_RANGE,
  receiverGain: rxGainRange,
  rate: (baud, rolloff) => planRate(baud, { ...MODEM_RATES, rolloff }),
};

/** `-3 to 71 dB`, where the value is outside or between the steps; undefined where it fits. */
export function outside(
  value: number,
  { least, step, most }: AttributeRange,
  unit: string,
): string | undefined {
  const range = `${least} to ${most} ${unit}`;
  if (value < least || value > most) return `is ${value}; the range is ${range}`;
  return Number.isInteger((value - least) / step) ? undefined : `is ${value}; the steps are ${step} ${unit}`;
}
