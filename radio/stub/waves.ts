/**
 * Pictures of the modelled signal: the symbols at their instants, the eye, the spectrum. They are made of the same
 * truth as the bit errors, so that what is seen and what is counted agree.
 *
 * Simplified: symbols are drawn again for each picture and are not those of the bytes on the air; noise between the
 * instants of an eye is shaped like the pulse; the spectrum is that of the pulse by its formula with the spread of a
 * periodogram; a test tone is not drawn, samples of a tool are in the spectrum alone (`periodogram.ts`).
 *
 * P1. Locked, the errors of the symbols are those of Es/N0, and nothing else.
 * P2. What the demodulator has not found is seen: without carrier the points turn, without timing they are taken
 *     anywhere.
 * P3. Nothing is above the full scale of the converter: what is more is clipped, and what clipping makes of it lies
 *     beside the signal too.
 * P4. At their instants signal and noise of symbols together have a mean power of 1, as a level control leaves them: a
 *     weak signal does not leave the picture, and no error vector is shown before a carrier is found.
 */

import type { Modulation } from '../../contract/bench/profile.ts';
import type { Random } from '../../ports/clock.ts';
import { bitsPerSymbol, fromDecibels, toDecibels } from '../modulation.ts';
import { normalPair } from './chance.ts';
import { matchedPulse } from './pulse.ts';
import { signalDensity, symbolsOf } from './signal.ts';
import type { StubTruth } from './stub.ts';

export interface EyeShape {
  readonly traces: number;
  readonly samplesPerSymbol: number;
}

export interface SpectrumShape {
  readonly bins: number;
  /** Spectra that each bin is the mean of. */
  readonly averages: number;
}

/** Symbols that a pulse reaches to each side: further out it is below -50 dB. */
const REACH = 8;
/** Widths of a signal over which the products of clipping it lie: those of third order. */
const CLIPPED_WIDTH = 3;
/** Slope of the analog filters, in orders. */
const FILTER_ORDER = 3;

/** Points at the instants of symbols, I and Q in turn, of mean power 1; none while the demodulator does not run. */
export function constellation(truth: StubTruth, symbols: number, random: Random): Float32Array {
  if (!truth.receiving) return new Float32Array(0);
  const baseband = new Baseband(truth, symbols, random);
  const points = new Float32Array(2 * symbols);
  for (let at = 0; at < symbols; at += 1) {
    const [i, q] = truth.timing ? baseband.atSymbol(at) : baseband.at(at + random.next());
    points[2 * at] = i;
    points[2 * at + 1] = q;
  }
  return points;
}

/** Traces of the in-phase part over two symbols, one behind the other, each of `2 * samplesPerSymbol + 1` samples. */
export function eye(truth: StubTruth, { traces, samplesPerSymbol }: EyeShape, random: Random): Float32Array {
  if (!truth.receiving) return new Float32Array(0);
  const length = 2 * samplesPerSymbol + 1;
  const baseband = new Baseband(truth, traces * 2 + 1, random);
  const samples = new Float32Array(traces * length);
  for (let trace = 0; trace < traces; trace += 1) {
    const drift = truth.timing ? 0 : random.next();
    for (let sample = 0; sample < length; sample += 1) {
      samples[trace * length + sample] = baseband.at(trace * 2 + drift + sample / samplesPerSymbol)[0];
    }
  }
  return samples;
}

/** Power of each bin in dB below full scale, over one sample rate around the centre of the receiver. */
export function spectrum(truth: StubTruth, { bins, averages }: SpectrumShape, random: Random): Float32Array {
  const density = powerDensity(truth);
  const binDb = toDecibels(truth.sampleRate / bins);
  const spread = toDecibels(Math.E) / Math.sqrt(averages);
  const decibels = new Float32Array(bins);
  for (let bin = 0; bin < bins; bin += 2) {
    const [first, second] = normalPair(random);
    decibels[bin] = toDecibels(density(frequencyOf(truth, bin, bins))) + binDb + spread * first;
    if (bin + 1 === bins) break;
    decibels[bin + 1] = toDecibels(density(frequencyOf(truth, bin + 1, bins))) + binDb + spread * second;
  }
  return decibels;
}

/**
 * Root mean square of the distances of points from the nearest symbol, over the amplitude of a symbol: that which fits
 * the points best, since a level control scales signal and noise together.
 */
export function errorVector(points: Float32Array, modulation: Modulation): number {
  const ideal = symbolsOf(modulation);
  let along = 0;
  let power = 0;
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [i, q] = [points[at]!, points[at + 1]!];
    // Of symbols of one amplitude the nearest is the one that the point lies along the most.
    along += Math.max(...ideal.map((symbol) => i * symbol[0] + q * symbol[1]));
    power += i * i + q * q;
  }
  const count = points.length / 2;
  const amplitude = along / count;
  return Math.sqrt(Math.max(0, power / count - amplitude ** 2)) / amplitude;
}

/** Symbols and their noise, drawn once, and the signal anywhere between them. */
class Baseband {
  readonly #i: Float64Array;
  readonly #q: Float64Array;
  readonly #rolloff: number;
  readonly #weights = new Map<number, Float64Array>();

  constructor(truth: StubTruth, symbols: number, random: Random) {
    this.#rolloff = truth.receiver.rolloff;
    this.#i = new Float64Array(symbols + 2 * REACH + 1);
    this.#q = new Float64Array(symbols + 2 * REACH + 1);
    const draw = drawn(truth, random);
    for (let at = 0; at < this.#i.length; at += 1) [this.#i[at], this.#q[at]] = draw(at);
  }

  atSymbol(symbol: number): readonly [number, number] {
    return [this.#i[symbol + REACH]!, this.#q[symbol + REACH]!];
  }

  /** At a time in symbols, from the pulses of those around. */
  at(time: number): readonly [number, number] {
    const before = Math.floor(time);
    const weights = this.#weightsAt(time - before);
    let i = 0;
    let q = 0;
    for (let pulse = 0; pulse < 2 * REACH; pulse += 1) {
      i += weights[pulse]! * this.#i[before + 1 + pulse]!;
      q += weights[pulse]! * this.#q[before + 1 + pulse]!;
    }
    return [i, q];
  }

  /** Weights of the symbols around, at a place between two of them; an eye asks for the same places again and again. */
  #weightsAt(fraction: number): Float64Array {
    const known = this.#weights.get(fraction);
    if (known !== undefined) return known;
    const made = Float64Array.from({ length: 2 * REACH }, (_, at) =>
      matchedPulse(fraction + REACH - 1 - at, this.#rolloff),
    );
    this.#weights.set(fraction, made);
    return made;
  }
}

/** Draws received symbols, in their order. */
function drawn(truth: StubTruth, random: Random): (symbol: number) => [number, number] {
  const { modulation = 'bpsk' } = truth.transmitter;
  const ideal = symbolsOf(modulation);
  const isHeard = truth.signal && truth.transmitting;
  // Without a signal the level control brings the noise up to where the symbols were.
  const noisePower = isHeard ? fromDecibels(-truth.esN0Db) : 1;
  // P4
  const level = isHeard ? 1 / Math.sqrt(1 + noisePower) : 1;
  const noise = level * Math.sqrt(noisePower / 2);
  const turn = turning(truth, 2 * Math.PI * random.next());
  return (symbol) => {
    const [i, q] = ideal[Math.floor(random.next() * ideal.length)]!;
    const [noiseI, noiseQ] = normalPair(random);
    const angle = turn(symbol);
    const amplitude = isHeard ? level : 0;
    return [
      amplitude * (i * Math.cos(angle) - q * Math.sin(angle)) + noise * noiseI,
      amplitude * (i * Math.sin(angle) + q * Math.cos(angle)) + noise * noiseQ,
    ];
  };
}

/** Angle of the carrier at each symbol (P2). */
function turning(truth: StubTruth, begin: number): (symbol: number) => number {
  if (!truth.carrier)
    return (symbol) => begin + (2 * Math.PI * truth.frequencyOffsetHz * symbol) / (truth.baud || 1);
  const { modulation = 'bpsk' } = truth.receiver;
  const found = (2 * Math.PI * truth.phase) / 2 ** bitsPerSymbol(modulation);
  return () => found;
}

function frequencyOf({ sampleRate }: StubTruth, bin: number, bins: number): number {
  return ((bin - bins / 2) / bins) * sampleRate;
}

/** Power per Hz at a frequency from the centre of the receiver, over full scale. */
function powerDensity(truth: StubTruth): (hertz: number) => number {
  const { baud, transmitter, frequencyOffsetHz } = truth;
  const { isAnalog, isClipped, peak, beneath, thermal, converter } = signalDensity(truth);
  const width = isClipped ? CLIPPED_WIDTH : 1;
  return (hertz) => {
    const distance = Math.abs(hertz - frequencyOffsetHz) / (baud || 1);
    const shape = raisedCosine(distance, transmitter.rolloff);
    const spoiled = width === 1 ? shape : raisedCosine(distance / width, transmitter.rolloff) / width;
    const analog = peak * shape + thermal;
    const filtered = analog * (isAnalog ? passes(hertz, truth.bandwidthHz) : 1);
    // Clipping is behind the filters.
    return (
      filtered +
      beneath * spoiled * (isClipped || !isAnalog ? 1 : passes(hertz, truth.bandwidthHz)) +
      converter
    );
  };
}

/** Share of the signal's density at a distance from its centre, in symbol rates. */
function raisedCosine(distance: number, rolloff: number): number {
  const flat = (1 - rolloff) / 2;
  if (distance <= flat) return 1;
  if (distance >= (1 + rolloff) / 2) return 0;
  return 0.5 * (1 + Math.cos((Math.PI / rolloff) * (distance - flat)));
}

function passes(hertz: number, bandwidthHz: number): number {
  return 1 / (1 + (Math.abs(hertz) / (bandwidthHz / 2)) ** (2 * FILTER_ORDER));
}
