/**
 * How long to wait before something that failed is tried again: twice as long each time, up to a bound, shortened at
 * random so that many who lost the same peer do not come back at once.
 *
 * W1. The n-th wait is between half and all of `first × 2^n`, and never longer than the bound.
 */

import { LINK_RETRY_FIRST_MS, LINK_RETRY_LONGEST_MS } from '../../contract/limits/link.ts';
import type { Random } from '../../ports/clock.ts';

export class Backoff {
  readonly #random: Random;
  #failures = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** ms to wait after one more failure. */
  next(): number {
    const wholeMs = Math.min(LINK_RETRY_FIRST_MS * 2 ** this.#failures, LINK_RETRY_LONGEST_MS);
    if (wholeMs < LINK_RETRY_LONGEST_MS) this.#failures += 1;
    return wholeMs * (0.5 + this.#random.next() / 2);
  }

  /** It worked: the next failure is the first again. */
  reset(): void {
    this.#failures = 0;
  }
}
