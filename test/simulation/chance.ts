/**
 * Chance of a simulation: everything that is drawn comes from one seed, and each thing that draws has its own sequence.
 */

import type { Random } from '../../ports/clock.ts';
import { seededRandom } from '../../ports/seeded-random.ts';

export class Chance implements Random {
  readonly #random: Random;

  /** The sequence of a name under a seed: what one draws does not move what another draws. */
  constructor(seed: number, name: string) {
    this.#random = seededRandom(hash(`${seed} ${name}`));
    // The first numbers of seeds next to each other lie next to each other too.
    this.#random.next();
  }

  next(): number {
    return this.#random.next();
  }

  /** Uniform, from `low` to below `high`. */
  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  one<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[Math.floor(this.next() * items.length)] ?? items[0];
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let n = 0; n < text.length; n += 1) {
    value = Math.imul(value ^ text.charCodeAt(n), 0x01000193);
  }
  return value >>> 0;
}
