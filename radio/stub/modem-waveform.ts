/**
 * The signal of the modem as samples: pulses of its symbols, with what spoils them beyond the floor of the receiver.
 *
 * W1. Symbols are drawn by their number: the same seed and settings give the same signal, from whatever sample on it is
 *     asked for.
 */

import { bitsPerSymbol } from '../modulation.ts';
import { mixed, PURPOSE } from './chance.ts';
import { type Iq, turn } from './iq.ts';
import type { Truth } from './link.ts';
import type { NoiseTable } from './noise-table.ts';
import { signalPulse } from './pulse.ts';
import { symbolNoise, symbolsOf } from './signal.ts';

/** Symbols that a pulse reaches to each side. */
const REACH = 8;

interface Placed {
  /** Number of the first sample. */
  readonly from: number;
  /** Mean power over full scale. */
  readonly level: number;
  /** From the centre of the receiver. */
  readonly hertz: number;
}

export class ModemWaveform {
  readonly #seed: number;
  readonly #noise: NoiseTable;
  #weights: { readonly key: string; readonly of: Float64Array[] } = { key: '', of: [] };

  constructor(seed: number, noise: NoiseTable) {
    this.#seed = seed;
    this.#noise = noise;
  }

  /** The signal of the modem at a mean power, off the centre by so much. */
  write(truth: Truth, { from, level, hertz }: Placed, { i, q }: Iq): void {
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
    turn(hertz / sampleRate, from, { i, q });
  }

  /** Symbols from a number on: drawn by their number, so that each is the same whoever asks. */
  #symbols(truth: Truth, first: number, count: number): readonly [Float64Array, Float64Array] {
    const { modulation = 'bpsk' } = truth.transmitter;
    const ideal = symbolsOf(modulation);
    const bits = bitsPerSymbol(modulation);
    const spread = Math.sqrt(symbolNoise(truth) / 2);
    const i = new Float64Array(count);
    const q = new Float64Array(count);
    for (let at = 0; at < count; at += 1) {
      const number = first + at;
      const drawn = mixed(this.#seed, PURPOSE.symbols, number, Math.floor(number / 2 ** 32));
      const [symbolI, symbolQ] = ideal[drawn % 2 ** bits]!;
      i[at] = symbolI + spread * this.#noise.at(drawn >>> 8);
      q[at] = symbolQ + spread * this.#noise.at(drawn >>> 16);
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
}
