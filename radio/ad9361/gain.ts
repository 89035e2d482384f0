/**
 * Gains of the AD9361: the full receive gain table, whose range depends on the band, and the transmit attenuation.
 *
 * G1. The part keeps an index into its table, not a gain: a retune into another band loads another table, so the
 *     applied gain changes with it and may have to be clamped to the end of the table.
 */

import { accepted, type Result, refused } from '../../contract/result.ts';
import type { AttributeRange } from './attribute-text.ts';

interface Band extends AttributeRange {
  /** Highest LO of the band, in Hz. */
  readonly upToHz: number;
}

/** Bands of the full table, in order. */
const BANDS: readonly [Band, Band, Band] = [
  { upToHz: 1_300_000_000, least: -1, step: 1, most: 73 },
  { upToHz: 4_000_000_000, least: -3, step: 1, most: 71 },
  { upToHz: 6_000_000_000, least: -10, step: 1, most: 62 },
];

/** As the attribute gives it: an attenuation as a gain of at most 0 dB. */
export const TX_GAIN_RANGE: AttributeRange = { least: -89.75, step: 0.25, most: 0 };

/** The receive gains, in dB, that are legal at this LO. */
export function rxGainRange(loHz: number): AttributeRange {
  const { least, step, most } = BANDS.find((band) => loHz <= band.upToHz) ?? BANDS[2];
  return { least, step, most };
}

/** The gain, in dB, that is applied after a retune (G1). */
export function gainAfterRetune(gainDb: number, fromHz: number, toHz: number): number {
  const index = gainDb - rxGainRange(fromHz).least;
  const { least, most } = rxGainRange(toHz);
  return Math.min(least + index, most);
}

/** The receive gain applied when `gainDb` is written at this LO: whole dB, refused outside the band's range. */
export function appliedRxGain(gainDb: number, loHz: number): Result<number, string> {
  const { least, most } = rxGainRange(loHz);
  const whole = Math.trunc(gainDb);
  if (whole >= least && whole <= most) return accepted(whole);
  return refused(`${gainDb} dB is outside ${least} dB to ${most} dB of the RX gain at ${loHz} Hz`);
}

/** The transmit gain (at most 0 dB) applied when `gainDb` is written: steps of 0.25 dB towards less attenuation. */
export function appliedTxGain(gainDb: number): Result<number, string> {
  const { least, step, most } = TX_GAIN_RANGE;
  if (!(gainDb >= least && gainDb <= most)) {
    return refused(`${gainDb} dB is outside ${least} dB to ${most} dB of the TX gain`);
  }
  return accepted(0 - Math.floor(-gainDb / step) * step);
}
