/**
 * The samples that the receive core of the model delivers: what leaves the transmitter, through the cable and the
 * budget of the link, with the noise of the receiver, in steps of its converter. Level, noise and width are those that
 * the spectrum is made of.
 *
 * Simplified: samples are made when they are read, by the settings of that moment; the symbols of the modem are drawn,
 * not those of the bytes on the air, without the half symbol of an offset modulation; a test tone is not made; the
 * cable joins the first transmitter and the first receiver alone; automatic gain follows the modem, not the samples of
 * a tool.
 *
 * A1. The same seed, settings and counts of samples give the same samples, however they are read.
 * A2. Nothing of a transmitter arrives that the settings of the part keep from its connector: its level, its
 *     oscillator, its port.
 * A3. The loopback of the part carries the samples of a tool bit by bit; no gain and no noise counts there.
 */

import { fromDecibels } from '../modulation.ts';
import { PURPOSE } from './chance.ts';
import { MODEL } from './constants.ts';
import type { ConverterOutput } from './converter-output.ts';
import { scale, turn } from './iq.ts';
import type { Truth } from './link.ts';
import { LowPass } from './low-pass.ts';
import { ModemWaveform } from './modem-waveform.ts';
import { NoiseTable } from './noise-table.ts';
import type { PhyState } from './phy-state.ts';
import { noiseDensity } from './signal.ts';

/** Full scale of the receive converter. */
export const FULL_SCALE = 2047;
/** By how many bits a sample of the transmit core is finer. */
const FINER_BITS = 4;
/** Full scale of a sample that is written. */
const OUTPUT_SCALE = 32_767;

type Pair = 0 | 1;

export interface AirSources {
  readonly seed: number;
  readonly phy: PhyState;
  readonly truth: () => Truth;
  /** Digital offset of the modulator, in Hz. */
  readonly modemOffsetHz: () => number;
  readonly output: ConverterOutput;
}

export class AirSamples {
  readonly #sources: AirSources;
  readonly #noise: NoiseTable;
  readonly #modem: ModemWaveform;
  /** I and Q of the piece that is made. */
  #scratch: readonly [Float64Array, Float64Array] = [new Float64Array(0), new Float64Array(0)];
  readonly #filters: Record<Pair, LowPass> = { 0: new LowPass(), 1: new LowPass() };

  constructor(sources: AirSources) {
    this.#sources = sources;
    this.#noise = new NoiseTable(sources.seed);
    this.#modem = new ModemWaveform(sources.seed, this.#noise);
  }

  /** Samples of channels (0 to 3: I and Q of each receiver), in turn. */
  render(from: number, count: number, channels: readonly number[]): Int16Array {
    const made = new Int16Array(count * channels.length);
    for (const pair of [0, 1] as const) {
      const places = channels.map((channel) => (channel >> 1 === pair ? channel & 1 : undefined));
      if (places.every((place) => place === undefined)) continue;
      const parts = this.#receive(pair, from, count);
      for (const [place, part] of places.entries()) {
        if (part === undefined) continue;
        const values = parts[part]!;
        for (let at = 0; at < count; at += 1) made[at * channels.length + place] = values[at]!;
      }
    }
    return made;
  }

  /** I and Q of one receiver, in steps of the converter. */
  #receive(pair: Pair, from: number, count: number): readonly [Float64Array, Float64Array] {
    const truth = this.#sources.truth();
    if (this.#scratch[0].length < count) this.#scratch = [new Float64Array(count), new Float64Array(count)];
    const [i, q] = [this.#scratch[0].subarray(0, count), this.#scratch[1].subarray(0, count)];
    i.fill(0);
    q.fill(0);
    if (truth.deviceLoopback === 1) this.#loopback(pair, truth, from, i, q);
    else this.#air(pair, truth, from, i, q);
    for (const values of [i, q]) convert(values);
    return [i, q];
  }

  /** A3 */
  #loopback(pair: Pair, truth: Truth, from: number, i: Float64Array, q: Float64Array): void {
    if (truth.source === 'samples') {
      this.#sources.output.fill(i, from, 2 * pair);
      this.#sources.output.fill(q, from, 2 * pair + 1);
      for (const values of [i, q])
        for (let at = 0; at < values.length; at += 1) values[at] = values[at]! >> FINER_BITS;
      return;
    }
    if (pair === 0 && truth.source === 'modem')
      this.#modem.write(
        truth,
        { from, level: fromDecibels(MODEL.automaticGainDb), hertz: truth.frequencyOffsetHz },
        { i, q },
      );
    this.#noise.add({ purpose: PURPOSE.converter, pair, power: converterNoise(truth) }, from, { i, q });
    scale(FULL_SCALE, { i, q });
  }

  /** A2 */
  #air(pair: Pair, truth: Truth, from: number, i: Float64Array, q: Float64Array): void {
    const { phy } = this.#sources;
    if (!phy.poweredDown.rx) {
      const { thermal } = noiseDensity(truth, true);
      if (pair === 0 && !phy.poweredDown.tx) this.#transmitted(truth, from, i, q);
      this.#noise.add({ purpose: PURPOSE.thermal, pair, power: thermal * truth.sampleRate }, from, { i, q });
      this.#filters[pair].pass(truth.bandwidthHz / truth.sampleRate, from, i, q);
    }
    this.#noise.add({ purpose: PURPOSE.converter, pair, power: converterNoise(truth) }, from, { i, q });
    scale(FULL_SCALE, { i, q });
  }

  /** What leaves the first transmitter, as it arrives at the first receiver. */
  #transmitted(truth: Truth, from: number, i: Float64Array, q: Float64Array): void {
    const { phy, output, modemOffsetHz } = this.#sources;
    const level = fromDecibels(truth.budget.levelDbfs);
    const between = phy.lo.tx - phy.lo.rx;
    const hertz = truth.source === 'modem' ? between + modemOffsetHz() : between;
    if (Math.abs(hertz) >= truth.bandwidthHz / 2) return;
    if (truth.source === 'modem') return this.#modem.write(truth, { from, level, hertz }, { i, q });
    if (truth.source !== 'samples') return;
    output.fill(i, from, 0);
    output.fill(q, from, 1);
    scale(Math.sqrt(level) / OUTPUT_SCALE, { i, q });
    turn(hertz / truth.sampleRate, from, { i, q });
  }
}

/** Whole steps, within full scale. */
function convert(values: Float64Array): void {
  for (let at = 0; at < values.length; at += 1) {
    const value = Math.floor(values[at]! + 0.5);
    values[at] = value > FULL_SCALE ? FULL_SCALE : value < -FULL_SCALE - 1 ? -FULL_SCALE - 1 : value;
  }
}

/** Of the converter, beside what its steps make of themselves. */
function converterNoise(truth: Truth): number {
  return Math.max(0, noiseDensity(truth, true).converter * truth.sampleRate - 1 / (6 * FULL_SCALE ** 2));
}
