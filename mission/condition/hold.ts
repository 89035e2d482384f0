/**
 * Since when something has held, for `stable for D`. Mission Control Service, section 4.4: raised after that duration
 * even without a new sample.
 *
 * H1. False ends the hold. Unknown neither ends it nor counts: the time unknown is not part of D.
 * H2. Samples of one moment are one change: what lies between two of them never was.
 */

import { FALSE, type Kleene, TRUE } from './truth.ts';

export class Hold {
  /** Moment the hold counts from, moved on by the time unknown; NaN when it does not hold. */
  #since = Number.NaN;
  /** When it became unknown; NaN while known. */
  #unknownFrom = Number.NaN;
  /** The two above as they were before `#settledAt`, so that one moment can be settled again (H2). */
  #sinceBefore = Number.NaN;
  #unknownFromBefore = Number.NaN;
  #settledAt = Number.NEGATIVE_INFINITY;

  /** Takes note of the truth at `at`; a moment earlier than the last counts as the last. */
  settle(truth: Kleene, at: number): void {
    if (at > this.#settledAt) {
      this.#sinceBefore = this.#since;
      this.#unknownFromBefore = this.#unknownFrom;
      this.#settledAt = at;
    }
    this.#since = this.#sinceBefore;
    this.#unknownFrom = this.#unknownFromBefore;
    if (truth === FALSE) this.#since = this.#unknownFrom = Number.NaN;
    else if (truth === TRUE) this.#resume();
    else if (Number.isNaN(this.#unknownFrom)) this.#unknownFrom = this.#settledAt;
  }

  /** When it will have held for `duration`; NaN when it does not hold or nobody knows. */
  due(duration: number): number {
    return Number.isNaN(this.#unknownFrom) ? this.#since + duration : Number.NaN;
  }

  #resume(): void {
    if (Number.isNaN(this.#since)) this.#since = this.#settledAt;
    else if (!Number.isNaN(this.#unknownFrom)) this.#since += this.#settledAt - this.#unknownFrom;
    this.#unknownFrom = Number.NaN;
  }
}
