/**
 * Whether blocks of a message have measures in common: then the order of their rows matters, else they can be read one
 * by one.
 */

import type { SampleBlock } from '../../contract/batch.ts';

export class SharedMeasures {
  /** By ordinal: the round in which a block had it last. */
  readonly #seen: Uint32Array;
  #round = 0;

  constructor(measures: number) {
    this.#seen = new Uint32Array(measures);
  }

  in(blocks: readonly SampleBlock[]): boolean {
    if (blocks.length < 2) return false;
    this.#round = this.#round === 0xffff_ffff ? 1 : this.#round + 1;
    if (this.#round === 1) this.#seen.fill(0);
    for (const { ordinals } of blocks) {
      for (let column = 0; column < ordinals.length; column += 1) {
        const ordinal = ordinals[column]!;
        if (this.#seen[ordinal] === this.#round) return true;
        this.#seen[ordinal] = this.#round;
      }
    }
    return false;
  }
}
