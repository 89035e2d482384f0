/**
 * Symbol rates: which the hardware reaches, with what sample rate and interpolation, and for the others the bound they
 * hit. RF Bench Service, section 2 (CapabilitiesDRO).
 *
 * T1. Capabilities, validation and apply ask `planRate` and nothing else, so that they cannot differ.
 */

import type { SymbolRate } from '../contract/bench/capability.ts';
import { accepted, type Result, refused, refusedAll } from '../contract/result.ts';
import { BANDWIDTH_RANGE } from './ad9361/bandwidth.ts';
import {
  ADC_LEAST_HZ,
  FIR_FACTORS,
  type FirFactor,
  LARGEST_DIVIDER,
  PORT_MOST_SPS,
  sampleRateRange,
} from './ad9361/clock-chain.ts';

export interface RateLimits {
  /** Samples per symbol of the modem. */
  readonly samplesPerSymbol: number;
  /** Interpolation in the modem, over the samples per symbol. */
  readonly interpolation: { readonly least: number; readonly most: number };
  /** FIR of the AD9361 that is loaded; 1: none. */
  readonly fir: FirFactor;
  /** What the data port carries: half in CMOS mode with two channels each way. */
  readonly portMostSps: number;
  /** Clock of the programmable logic, which takes one sample each. */
  readonly logicHz: number;
  /** Roll-off of the pulse: the signal is so much wider than its symbol rate. */
  readonly rolloff: number;
}

export interface RatePlan {
  readonly baud: number;
  readonly samplesPerSymbol: number;
  readonly interpolation: number;
  readonly sampleRateSps: number;
  /** Whether the FIR of the AD9361 has to be on. */
  readonly filter: boolean;
}

/**
 * The modem as it is built: four samples per symbol, one interpolator of up to 128, LVDS, FIR of the AD9361 not loaded.
 */
export const MODEM_RATES: RateLimits = {
  samplesPerSymbol: 4,
  interpolation: { least: 1, most: 128 },
  fir: 1,
  portMostSps: PORT_MOST_SPS,
  logicHz: 122_880_000,
  rolloff: 0.35,
};

/**
 * Symbol rates that people ask for, in baud: of amateur and UHF links, of S band, and the ends of what the part
 * reaches.
 */
export const USUAL_BAUDS: readonly number[] = [
  1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 250_000, 500_000, 1_000_000, 2_000_000, 5_000_000,
  10_000_000, 15_360_000, 20_000_000,
];

/** How the hardware makes this symbol rate; refused with every bound that it hits. */
export function planRate(baud: number, limits: RateLimits = MODEM_RATES): Result<RatePlan, string> {
  if (!(baud > 0 && Number.isFinite(baud))) return refused(`${baud} Bd is not a symbol rate`);
  const faults = [...tooWide(baud, limits), ...tooFast(baud, limits), ...tooSlow(baud, limits)];
  if (faults.length > 0) return refusedAll(faults);
  return fitting(baud, limits);
}

/** The plan that has this sample rate; refused with what is in the way. */
export function planAt(
  baud: number,
  sampleRateSps: number,
  limits: RateLimits = MODEM_RATES,
): Result<RatePlan, string> {
  const planned = planRate(baud, limits);
  if (!planned.ok) return planned;
  const { samplesPerSymbol, interpolation } = limits;
  const { least, most } = sampleRateBounds(limits);
  const factor = wholeRate(sampleRateSps / (baud * samplesPerSymbol));
  if (sampleRateSps < least || sampleRateSps > most)
    return refused(`${sampleRateSps} sps is outside ${least} to ${most} sps`);
  if (!Number.isInteger(factor) || factor < interpolation.least || factor > interpolation.most)
    return refused(
      `${sampleRateSps} sps is ${factor} times ${baud} Bd x ${samplesPerSymbol} samples/symbol; ` +
        `the PL interpolates by a whole number of ${interpolation.least} to ${interpolation.most}`,
    );
  return accepted({ ...planned.value, interpolation: factor, sampleRateSps });
}

/** The list of the capabilities. */
export function symbolRates(bauds: readonly number[], limits: RateLimits = MODEM_RATES): SymbolRate[] {
  return bauds.map((baud) => symbolRate(baud, limits));
}

/** `9.6 kBd`. */
export function baudLabel(baud: number): string {
  if (baud >= 1_000_000) return `${baud / 1_000_000} MBd`;
  return baud >= 1_000 ? `${baud / 1_000} kBd` : `${baud} Bd`;
}

function symbolRate(baud: number, limits: RateLimits): SymbolRate {
  const label = baudLabel(baud);
  const plan = planRate(baud, limits);
  if (!plan.ok) return { baud, label, available: false, unavailable_reason: plan.faults.join('; ') };
  const { sampleRateSps, interpolation } = plan.value;
  return { baud, label, available: true, ad9361_rate_sps: sampleRateSps, interp: interpolation };
}

/** The smallest interpolation that gives a whole sample rate within the bounds. */
function fitting(baud: number, limits: RateLimits): Result<RatePlan, string> {
  const { samplesPerSymbol, interpolation } = limits;
  const { least, most } = sampleRateBounds(limits);
  let reached = false;
  for (let factor = interpolation.least; factor <= interpolation.most; factor += 1) {
    const sampleRate = wholeRate(baud * samplesPerSymbol * factor);
    if (sampleRate < least) continue;
    if (sampleRate > most) break;
    reached = true;
    if (!Number.isInteger(sampleRate)) continue;
    return accepted({
      baud,
      samplesPerSymbol,
      interpolation: factor,
      sampleRateSps: sampleRate,
      filter: limits.fir !== 1,
    });
  }
  const range = `x${interpolation.least} to x${interpolation.most}`;
  return refused(
    reached
      ? `no PL interpolation of ${range} makes ${baud} Bd x ${samplesPerSymbol} samples/symbol a whole number of sps`
      : `no PL interpolation of ${range} brings ${baud} Bd between ${msps(least)} Msps and ${msps(most)} Msps`,
  );
}

function tooSlow(baud: number, limits: RateLimits): string[] {
  const { samplesPerSymbol, interpolation, fir } = limits;
  const reached = baud * samplesPerSymbol * interpolation.most;
  const { least } = sampleRateBounds(limits);
  if (reached >= least) return [];
  const divided = fir === 1 ? `${LARGEST_DIVIDER}` : `${LARGEST_DIVIDER} / FIR ${fir}`;
  return [
    `x${interpolation.most} is the largest PL interpolation: ${baud} Bd reaches ${msps(reached)} Msps, ` +
      `below the AD9361 minimum ${(least / 1e6).toFixed(6)} Msps (ADC clock ${ADC_LEAST_HZ / 1e6} MHz / ${divided})` +
      withFir(reached, fir),
  ];
}

/** A filter that is not loaded is no available rate, but people should know of it. */
function withFir(reached: number, loaded: FirFactor): string {
  const enough = FIR_FACTORS.find((fir) => fir > loaded && reached >= sampleRateRange(fir).least);
  return enough === undefined ? '' : `; available with FIR x${enough}`;
}

function tooFast(baud: number, limits: RateLimits): string[] {
  const { samplesPerSymbol, interpolation, portMostSps, logicHz } = limits;
  const needed = baud * samplesPerSymbol * interpolation.least;
  const needs =
    `needs ${millions(needed)} Msps ` +
    `(${baud} Bd x ${samplesPerSymbol} samples/symbol x interp ${interpolation.least})`;
  const port =
    portMostSps < PORT_MOST_SPS
      ? `${msps(portMostSps)} Msps (CMOS, two channels each way)`
      : `${msps(portMostSps)} Msps`;
  return [
    ...(needed > portMostSps ? [`${needs}; the AD9361 data port stops at ${port}`] : []),
    ...(needed > logicHz ? [`${needs}; the programmable logic runs at ${logicHz / 1e6} MHz`] : []),
  ];
}

function tooWide(baud: number, { rolloff }: RateLimits): string[] {
  const needed = baud * (1 + rolloff);
  const most = Math.min(BANDWIDTH_RANGE.rx.most, BANDWIDTH_RANGE.tx.most);
  if (needed <= most) return [];
  return [
    `needs ${millions(needed)} MHz (${baud} Bd x ${1 + rolloff}); the AD9361 filters stop at ${most / 1e6} MHz`,
  ];
}

function sampleRateBounds({ fir, portMostSps, logicHz }: RateLimits): { least: number; most: number } {
  return { least: sampleRateRange(fir).least, most: Math.min(portMostSps, logicHz) };
}

/** A whole number where only the last bits of a double say otherwise. */
function wholeRate(rate: number): number {
  const whole = Math.round(rate);
  return Math.abs(rate - whole) < 1e-6 ? whole : rate;
}

/** At least to the thousandth, and so far that it never reads as the bound that it is beyond. */
function millions(value: number): string {
  const exact = msps(value);
  const rounded = (value / 1e6).toFixed(3);
  return exact.length > rounded.length ? exact : rounded;
}

const msps = (rate: number): string => String(Number((rate / 1e6).toPrecision(12)));
