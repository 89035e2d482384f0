/**
 * The clocks of the AD9361 for a sample rate: which converter clock and PLL the driver picks, and the bounds of the
 * sample rate that follow from them. A fractional step of the PLL (19 Hz, far below 1 ppm) is not modelled.
 */

import { accepted, type Result, refused } from '../../contract/result.ts';
import type { AttributeRange } from './attribute-text.ts';

/** Interpolation and decimation of the programmable FIR; 1: bypassed. */
export type FirFactor = 1 | 2 | 4;
export const FIR_FACTORS: readonly FirFactor[] = [1, 2, 4];
/** `nominal` starts at a converter clock of 8 times the rate, `highest_osr` at 12 times. */
export const RATE_GOVERNORS = ['nominal', 'highest_osr'] as const;
export type RateGovernor = (typeof RATE_GOVERNORS)[number];

export const ADC_LEAST_HZ = 25_000_000;
const ADC_MOST_HZ = 640_000_000;
const DAC_MOST_HZ = 320_000_000;
const PLL_MOST_HZ = 1_430_000_000;
/** Of the data port, LVDS; in CMOS mode with two channels each way half of it. */
export const PORT_MOST_SPS = 61_440_000;
/** The largest divider between converter clock and data port. */
export const LARGEST_DIVIDER = 12;

/** Total divider of the half-band filters, and that of each, from the converter on. */
const HALF_BANDS = [
  [12, 3, 2, 2],
  [8, 2, 2, 2],
  [6, 3, 1, 2],
  [4, 2, 1, 2],
  [3, 3, 1, 1],
  [2, 2, 1, 1],
  [1, 1, 1, 1],
] as const;
type HalfBands = (typeof HALF_BANDS)[number];

export interface PathRates {
  readonly converter: number;
  readonly second: number;
  readonly first: number;
  readonly filter: number;
  readonly samples: number;
}

export interface ClockChain {
  readonly pllHz: number;
  readonly rx: PathRates;
  readonly tx: PathRates;
}

/** Sample rates that can be set with this FIR. */
export function sampleRateRange(fir: FirFactor, most: number = PORT_MOST_SPS): AttributeRange {
  return { least: Math.floor(ADC_LEAST_HZ / (LARGEST_DIVIDER * fir)), step: 1, most };
}

/** The clocks that give this sample rate; refused when the rate is out of bounds. */
export function clockChain(
  sampleRate: number,
  fir: FirFactor,
  governor: RateGovernor = 'nominal',
): Result<ClockChain, string> {
  const { least, most } = sampleRateRange(fir);
  if (!Number.isInteger(sampleRate) || sampleRate < least || sampleRate > most) {
    return refused(`${sampleRate} sps is outside ${least} sps to ${most} sps`);
  }
  const dividers = fittingDividers(sampleRate * fir, governor);
  if (dividers === undefined) return refused(`no dividers reach ${sampleRate} sps with FIR x${fir}`);
  const adc = sampleRate * fir * dividers.rx[0];
  return accepted({
    pllHz: pll(adc),
    rx: pathRates(adc, dividers.rx, sampleRate),
    tx: pathRates(converterOfTx(adc), dividers.tx, sampleRate),
  });
}

/** `BBPLL:… ADC:… R2:… R1:… RF:… RXSAMP:…`, as the attributes `rx_path_rates` and `tx_path_rates` give it. */
export function pathRatesText({ pllHz, rx, tx }: ClockChain, direction: 'rx' | 'tx'): string {
  const [rates, converter, stage] = direction === 'rx' ? [rx, 'ADC', 'R'] : [tx, 'DAC', 'T'];
  return [
    `BBPLL:${pllHz} ${converter}:${rates.converter} ${stage}2:${rates.second} ${stage}1:${rates.first}`,
    `${stage}F:${rates.filter} ${direction.toUpperCase()}SAMP:${rates.samples}`,
  ].join(' ');
}

/** The PLL clock in `rx_path_rates`; undefined when the text is not of that form. */
export function parsePll(text: string): number | undefined {
  const found = /\bBBPLL:(\d+)\b/.exec(text);
  return found === null ? undefined : Number(found[1]);
}

/** The largest dividers of the receive path that its converter allows and the transmit path can follow. */
function fittingDividers(
  filterHz: number,
  governor: RateGovernor,
): { rx: HalfBands; tx: HalfBands } | undefined {
  const largest = governor === 'highest_osr' || filterHz * 8 < ADC_LEAST_HZ ? 0 : 1;
  for (const rx of HALF_BANDS.slice(largest)) {
    const adc = filterHz * rx[0];
    const tx = HALF_BANDS.find(([total]) => filterHz * total === converterOfTx(adc));
    if (adc <= ADC_MOST_HZ && tx !== undefined) return { rx, tx };
  }
  return undefined;
}

function converterOfTx(adcHz: number): number {
  return adcHz <= DAC_MOST_HZ ? adcHz : adcHz / 2;
}

/** The highest power of two times the converter clock that the PLL reaches, at least twice. */
function pll(adcHz: number): number {
  let divider = 64;
  while (divider > 2 && adcHz * divider > PLL_MOST_HZ) divider /= 2;
  return adcHz * divider;
}

function pathRates(converter: number, [, half3, half2, half1]: HalfBands, samples: number): PathRates {
  const second = converter / half3;
  const first = second / half2;
  return { converter, second, first, filter: first / half1, samples };
}
