/**
 * The state of the modelled AD9361 and what each setting does to it, with the refusals of its driver. Attribute texts
 * are in `phy-device.ts`.
 *
 * Simplified: settings take no time, calibrations leave no trace, receive and transmit share FIR and sample rate.
 *
 * H1. What is out of range is EINVAL and changes nothing; a gain in an automatic mode is EOPNOTSUPP.
 * H2. Every setting that is taken calls `changed`.
 */

import type { Result } from '../../contract/result.ts';
import { echoedBandwidth, physicalBandwidth } from '../ad9361/bandwidth.ts';
import {
  type ClockChain,
  clockChain,
  type FirFactor,
  type RateGovernor,
  sampleRateRange,
} from '../ad9361/clock-chain.ts';
import { appliedRxGain, appliedTxGain, gainAfterRetune } from '../ad9361/gain.ts';
import { type Direction, tunedLo } from '../ad9361/oscillator.ts';
import { errno, IioFailure } from '../iio/context.ts';
import type { StubFaults } from './faults.ts';

export const GAIN_MODES = ['manual', 'fast_attack', 'slow_attack', 'hybrid'] as const;
export type GainMode = (typeof GAIN_MODES)[number];
export const PHY_STATES = ['sleep', 'wait', 'alert', 'fdd', 'pinctrl', 'pinctrl_fdd_indep'] as const;
export type PhyMode = (typeof PHY_STATES)[number];
/** Two receivers and two transmitters; the modem is on the first of each. */
export type ChannelIndex = 0 | 1;

export interface LoadedFilter {
  readonly factor: FirFactor;
  readonly taps: number;
}

/** Taps of a FIR that neither interpolates nor decimates. */
const MOST_TAPS_PLAIN = 64;

/** Settings after the driver has loaded. */
const COLD = {
  lo: { rx: 2_400_000_000, tx: 2_450_000_000 },
  poweredDown: { rx: false, tx: false },
  bandwidth: { rx: 18_000_000, tx: 18_000_000 },
  rxGain: [71, 71],
  gainModes: ['slow_attack', 'slow_attack'],
  txGain: [-10, -10],
  sampleRate: 30_720_000,
} as const;

export class PhyState {
  lo: Record<Direction, number> = { ...COLD.lo };
  poweredDown: Record<Direction, boolean> = { ...COLD.poweredDown };
  bandwidth: Record<Direction, number> = { ...COLD.bandwidth };
  rxGain: [number, number] = [...COLD.rxGain];
  gainModes: [GainMode, GainMode] = [...COLD.gainModes];
  txGain: [number, number] = [...COLD.txGain];
  sampleRate: number = COLD.sampleRate;
  filter: LoadedFilter | undefined;
  filterOn = false;
  governor: RateGovernor = 'nominal';
  mode: PhyMode = 'fdd';
  /** 0 off, 1 inside the part, 2 from receive to transmit in the converter core. */
  loopback = 0;
  readonly #changed: () => void;
  readonly #faults: () => StubFaults;

  constructor(changed: () => void, faults: () => StubFaults) {
    this.#changed = changed;
    this.#faults = faults;
  }

  tune(direction: Direction, hertz: number): void {
    const tuned = taken(tunedLo(direction, hertz));
    if (this.#faults().stuckOscillators?.includes(direction) === true) return;
    if (direction === 'rx') this.rxGain = this.#gainsAt(tuned);
    this.lo[direction] = tuned;
    this.#changed();
  }

  powerDown(direction: Direction, down: boolean): void {
    this.poweredDown[direction] = down;
    this.#changed();
  }

  setRxGain(channel: ChannelIndex, decibels: number): void {
    if (this.gainModes[channel] !== 'manual') {
      throw new IioFailure(errno.EOPNOTSUPP, `the gain control is in mode ${this.gainModes[channel]}`);
    }
    this.rxGain[channel] = taken(appliedRxGain(decibels, this.lo.rx));
    this.#changed();
  }

  /** `settledDb` is what an automatic mode had settled at: manual goes on from there. */
  setGainMode(channel: ChannelIndex, mode: GainMode, settledDb: number): void {
    if (mode === 'manual') this.rxGain[channel] = settledDb;
    this.gainModes[channel] = mode;
    this.#changed();
  }

  setTxGain(channel: ChannelIndex, decibels: number): void {
    this.txGain[channel] = taken(appliedTxGain(decibels));
    this.#changed();
  }

  setBandwidth(direction: Direction, hertz: number): void {
    if (hertz < 0) throw new IioFailure(errno.EINVAL, `${hertz} Hz is no bandwidth`);
    this.bandwidth[direction] = echoedBandwidth(direction, hertz);
    this.#changed();
  }

  /** Refused also where the FIR in use has more taps than the rate leaves time for. */
  setSampleRate(rate: number): void {
    const chain = taken(clockChain(rate, this.filterFactor, this.governor));
    if (this.filterOn) checkTaps(this.filter!, chain, rate);
    this.sampleRate = rate;
    this.#changed();
  }

  loadFilter(filter: LoadedFilter): void {
    if (this.filterOn) throw new IioFailure(errno.EBUSY, 'the FIR is in use: disable it first');
    this.filter = filter;
  }

  /** Refused without a loaded filter, with more taps than its clock allows, or when the rate is then out of reach. */
  switchFilter(on: boolean): void {
    if (on && this.filter === undefined) throw new IioFailure(errno.EINVAL, 'no FIR is loaded');
    const factor = on ? this.filter!.factor : 1;
    const chain = taken(clockChain(this.sampleRate, factor, this.governor));
    if (on) checkTaps(this.filter!, chain, this.sampleRate);
    this.filterOn = on;
    this.#changed();
  }

  setGovernor(governor: RateGovernor): void {
    this.governor = governor;
    this.#changed();
  }

  setMode(mode: PhyMode): void {
    this.mode = mode;
    this.#changed();
  }

  setLoopback(loopback: number): void {
    if (![0, 1, 2].includes(loopback)) throw new IioFailure(errno.EINVAL, `${loopback} is no loopback`);
    this.loopback = loopback;
    this.#changed();
  }

  /** Everything as after loading the driver. */
  initialise(): void {
    this.lo = { ...COLD.lo };
    this.poweredDown = { ...COLD.poweredDown };
    this.bandwidth = { ...COLD.bandwidth };
    this.rxGain = [...COLD.rxGain];
    this.gainModes = [...COLD.gainModes];
    this.txGain = [...COLD.txGain];
    this.sampleRate = COLD.sampleRate;
    this.filterOn = false;
    this.governor = 'nominal';
    this.mode = 'fdd';
    this.loopback = 0;
    this.#changed();
  }

  get filterFactor(): FirFactor {
    return this.filterOn ? this.filter!.factor : 1;
  }

  get chain(): ClockChain {
    return taken(clockChain(this.sampleRate, this.filterFactor, this.governor));
  }

  /** Least and most sample rate now. */
  get sampleRates(): { least: number; step: number; most: number } {
    return sampleRateRange(this.filterFactor);
  }

  /** Width of an analog filter as it really is, in Hz. */
  width(direction: Direction): number {
    return physicalBandwidth(direction, this.bandwidth[direction], this.chain.pllHz);
  }

  #gainsAt(hertz: number): [number, number] {
    const [first, second] = this.rxGain;
    return [gainAfterRetune(first, this.lo.rx, hertz), gainAfterRetune(second, this.lo.rx, hertz)];
  }
}

/**
 * Sixteen taps for each clock of the filters, which run at half the converter clock of the receiver, in each sample;
 * without interpolation the transmitter has 64 at most. The driver refuses the same.
 */
function checkTaps(
  { taps, factor }: LoadedFilter,
  { rx: { converter } }: ClockChain,
  sampleRate: number,
): void {
  const byClock = 16 * Math.floor(converter / 2 / sampleRate);
  const most = factor === 1 ? Math.min(MOST_TAPS_PLAIN, byClock) : byClock;
  if (taps <= most) return;
  throw new IioFailure(
    errno.EINVAL,
    `${taps} taps, and ${sampleRate} sps with FIR x${factor} leaves time for ${most}`,
  );
}

/** The value, or EINVAL with every fault (H1). */
function taken<Value>(result: Result<Value, string>): Value {
  if (!result.ok) throw new IioFailure(errno.EINVAL, result.faults.join('; '));
  return result.value;
}
