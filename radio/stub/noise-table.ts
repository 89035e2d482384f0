/**
 * White noise for samples: normal numbers of a table, from another place for each run of samples, so that a sample
 * costs no logarithm.
 *
 * N1. The noise of a sample follows from seed, purpose, receiver and number of the sample alone.
 */

import { seededRandom } from '../../ports/seeded-random.ts';
import { mixed, normalPair, PURPOSE } from './chance.ts';
import type { Iq } from './iq.ts';

const SIZE = 1 << 16;
const RUN = 256;

interface Source {
  readonly purpose: number;
  /** Which receiver. */
  readonly pair: 0 | 1;
  /** Of both parts together. */
  readonly power: number;
}

export class NoiseTable {
  readonly #seed: number;
  #drawn: Float32Array | undefined;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** A normal number of variance 1 for any whole one. */
  at(number: number): number {
    return this.#table[number % SIZE]!;
  }

  /** Adds noise to samples from a number on. */
  add({ purpose, pair, power }: Source, from: number, { i, q }: Iq): void {
    const spread = Math.sqrt(power / 2);
    const noise = this.#table;
    for (const [part, values] of [i, q].entries()) {
      for (let at = 0; at < values.length; ) {
        const run = Math.floor((from + at) / RUN);
        const within = from + at - run * RUN;
        const end = Math.min(values.length, at + RUN - within);
        const begin = mixed(this.#seed, purpose, 2 * pair + part, run, Math.floor(run / 2 ** 32)) % SIZE;
        for (let place = begin + within; at < end; at += 1, place += 1)
          values[at] = values[at]! + spread * noise[place]!;
      }
    }
  }

  /** A whole run from any place on; drawn when it is needed first. */
  get #table(): Float32Array {
    if (this.#drawn !== undefined) return this.#drawn;
    const random = seededRandom(mixed(this.#seed, PURPOSE.waves));
    const drawn = new Float32Array(SIZE + RUN);
    for (let at = 0; at < drawn.length; at += 2) drawn.set(normalPair(random), at);
    this.#drawn = drawn;
    return drawn;
  }
}
