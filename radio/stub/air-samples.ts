/**
 * The samples that the receive core of the model delivers: what leaves the transmitter, through the cable and the budget of the link, with
 * the noise of the receiver, in steps of its converter. Level, noise and width are those that the spectrum is made of.
 *
 * Simplified: samples are made when they are read, by the settings of that moment; the symbols of the modem are drawn, not those of the
 * bytes on the air, without the half symbol of an offset modulation; a test tone is not made; the cable joins the first transmitter and the
 * first receiver alone; automatic gain follows the modem, not the samples of a tool.
 *
 * A1. The same seed, settings and counts of samples give the same samples, however they are read.
 * A2. Nothing of a transmitter arrives that the settings of the part keep from its connector: its level, its oscillator, its port.
 * A3. The loopback of the part carries the samples of a tool bit by bit; no gain and no noise counts there.
 */

import { seededRandom } from '../../links/simulated/seeded-random.ts';
import { bitsPerSymbol, fromDecibels } from '../modulation.ts';
import { mixed, normalPair, PURPOSE } from './chance.ts';
import { MODEL } from './constants.ts';
import type { ConverterOutput } from './converter-output.ts';
import type { Truth } from './link.ts';
import { LowPass } from './low-pass.ts';
import type { PhyState } from './phy-state.ts';
import { signalPulse } from './pulse.ts';
import { noiseDensity, symbolNoise, symbolsOf } from './signal.ts';

/** Full scale of the receive converter. */
export const FULL_SCALE = 2047;
/** By how many bits a sample of the transmit core is finer. */
const FINER_BITS = 4;
/** Full scale of a sample that is written. */
const OUTPUT_SCALE = 32_767;
/** Normal numbers that noise is taken from, from another place for each run of samples. */
const NOISE_TABLE = 1 << 16;
const NOISE_RUN = 256;
/** Symbols that a pulse reaches to each side. */
const REACH = 8;

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
  #drawn: Float32Array | undefined;
  /** I and Q of the piece that is made. */
  #scratch: readonly [Float64Array, Float64Array] = [new Float64Array(0), new Float64Array(0)];
  readonly #filters: Record<Pair, LowPass> = { 0: new LowPass(), 1: new LowPass() };
  #weights: { readonly key: string; readonly of: Float64Array[] } = { key: '', of: [] };

  constructor(sources: AirSources) {
    this.#sources = sources;
  }

  /** Normal numbers: a whole run from any place of the table on. Drawn when samples are asked for. */
  get #noise(): Float32Array {
    if (this.#drawn !== undefined) return this.#drawn;
    const random = seededRandom(mixed(this.#sources.seed, PURPOSE.waves));
    const noise = new Float32Array(NOISE_TABLE + NOISE_RUN);
    for (let at = 0; at < noise.length; at += 2) noise.set(normalPair(random), at);
    this.#drawn = noise;
    return noise;
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
      this.#modem(
        truth,
        { from, level: fromDecibels(MODEL.automaticGainDb), hertz: truth.frequencyOffsetHz },
        i,
        q,
      );
    this.#addNoise(PURPOSE.converter, pair, converterNoise(truth), from, i, q);
    scale(FULL_SCALE, i, q);
  }

  /** A2 */
  #air(pair: Pair, truth: Truth, from: number, i: Float64Array, q: Float64Array): void {
    const { phy } = this.#sources;
    if (!phy.poweredDown.rx) {
      const { thermal } = noiseDensity(truth, true);
      if (pair === 0 && !phy.poweredDown.tx) this.#transmitted(truth, from, i, q);
      this.#addNoise(PURPOSE.thermal, pair, thermal * truth.sampleRate, from, i, q);
      this.#filters[pair].pass(truth.bandwidthHz / truth.sampleRate, from, i, q);
    }
    this.#addNoise(PURPOSE.converter, pair, converterNoise(truth), from, i, q);
    scale(FULL_SCALE, i, q);
  }

  /** What leaves the first transmitter, as it arrives at the first receiver. */
  #transmitted(truth: Truth, from: number, i: Float64Array, q: Float64Array): void {
    const { phy, output, modemOffsetHz } = this.#sources;
    const level = fromDecibels(truth.budget.levelDbfs);
    const between = phy.lo.tx - phy.lo.rx;
    const hertz = truth.source === 'modem' ? between + modemOffsetHz() : between;
    if (Math.abs(hertz) >= truth.bandwidthHz / 2) return;
    if (truth.source === 'modem') return this.#modem(truth, { from, level, hertz }, i, q);
    if (truth.source !== 'samples') return;
    output.fill(i, from, 0);
    output.fill(q, from, 1);
    scale(Math.sqrt(level) / OUTPUT_SCALE, i, q);
    turn(hertz / truth.sampleRate, from, i, q);
  }

  /** The signal of the modem at a mean power, off the centre by so much. */
  #modem(
    truth: Truth,
    { from, level, hertz }: { from: number; level: number; hertz: number },
    i: Float64Array,
    q: Float64Array,
  ): void {
    const { transmitter, sampleRate, baud } = truth;
    if (!truth.transmitting || baud <= 0) return;
    const each = Math.round(sampleRate / baud);
    const weights = this.#pulses(each, transmitter.rolloff);
    const first = Math.floor(from / each) - REACH;
    const [symbolsI, symbolsQ] = this.#symbols(truth, first, Math.ceil(i.length / each) + 2 * REACH + 1);
    const amplitude = Math.sqrt(level);
    for (let at = 0; at < i.length; at += 1) {
      const symbol = Math.floor((from + at) / each);
      const of = weights[from + at - symbol * each]!;
      let sumI = 0;
      let sumQ = 0;
      for (let place = 0; place < 2 * REACH; place += 1) {
        sumI += of[place]! * symbolsI[symbol - first - REACH + 1 + place]!;
        sumQ += of[place]! * symbolsQ[symbol - first - REACH + 1 + place]!;
      }
      i[at] = amplitude * sumI;
      q[at] = amplitude * sumQ;
    }
    turn(hertz / sampleRate, from, i, q);
  }

  /** Symbols from a number on: drawn by their number, so that each is the same whoever asks (A1). */
  #symbols(truth: Truth, first: number, count: number): readonly [Float64Array, Float64Array] {
    const { modulation = 'bpsk' } = truth.transmitter;
    const ideal = symbolsOf(modulation);
    const bits = bitsPerSymbol(modulation);
    const spread = Math.sqrt(symbolNoise(truth) / 2);
    const noise = this.#noise;
    const i = new Float64Array(count);
    const q = new Float64Array(count);
    for (let at = 0; at < count; at += 1) {
      const number = first + at;
      const drawn = mixed(this.#sources.seed, PURPOSE.symbols, number, Math.floor(number / 2 ** 32));
      const [symbolI, symbolQ] = ideal[drawn % 2 ** bits]!;
      i[at] = symbolI + spread * noise[(drawn >>> 8) % NOISE_TABLE]!;
      q[at] = symbolQ + spread * noise[(drawn >>> 16) % NOISE_TABLE]!;
    }
    return [i, q];
  }

  /** Weights of the symbols around, for each place of a sample between two of them. */
  #pulses(each: number, rolloff: number): readonly Float64Array[] {
    const key = `${each} ${rolloff}`;
    if (this.#weights.key !== key)
      this.#weights = {
        key,
        of: Array.from({ length: each }, (_, place) =>
          Float64Array.from({ length: 2 * REACH }, (_, at) =>
            signalPulse(place / each + REACH - 1 - at, rolloff),
          ),
        ),
      };
    return this.#weights.of;
  }

  #addNoise(
    purpose: number,
    pair: Pair,
    power: number,
    from: number,
    i: Float64Array,
    q: Float64Array,
  ): void {
    const spread = Math.sqrt(power / 2);
    const { seed } = this.#sources;
    const noise = this.#noise;
    for (const [part, values] of [i, q].entries()) {
      for (let at = 0; at < values.length; ) {
        const run = Math.floor((from + at) / NOISE_RUN);
        const within = from + at - run * NOISE_RUN;
        const end = Math.min(values.length, at + NOISE_RUN - within);
        let place = mixed(seed, purpose, 2 * pair + part, run, Math.floor(run / 2 ** 32)) % NOISE_TABLE;
        place += within;
        for (; at < end; at += 1, place += 1) values[at] = values[at]! + spread * noise[place]!;
      }
    }
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

function scale(by: number, ...parts: readonly Float64Array[]): void {
  for (const values of parts) for (let at = 0; at < values.length; at += 1) values[at] = values[at]! * by;
}

/** Turns the carrier by so many rounds each sample. */
function turn(rounds: number, from: number, i: Float64Array, q: Float64Array): void {
  if (rounds === 0) return;
  const begin = 2 * Math.PI * ((rounds * from) % 1);
  const [stepI, stepQ] = [Math.cos(2 * Math.PI * rounds), Math.sin(2 * Math.PI * rounds)];
  let [carrierI, carrierQ] = [Math.cos(begin), Math.sin(begin)];
  for (let at = 0; at < i.length; at += 1) {
    const [ownI, ownQ] = [i[at]!, q[at]!];
    i[at] = ownI * carrierI - ownQ * carrierQ;
    q[at] = ownI * carrierQ + ownQ * carrierI;
    [carrierI, carrierQ] = [carrierI * stepI - carrierQ * stepQ, carrierI * stepQ + carrierQ * stepI];
  }
}
