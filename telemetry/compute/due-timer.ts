/**
 * Wakes whoever computes derived measures when one of them changes by time alone. It knows no measure, only moments.
 */

import type { Clock, TimerHandle } from '../../ports/clock.ts';

export class DueTimer {
  readonly #clock: Clock;
  /** The next moment, if there is one to wait for now. */
  readonly #due: () => number | undefined;
  readonly #fire: () => void;
  #timer: TimerHandle | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(options: { clock: Clock; due: () => number | undefined; fire: () => void }) {
    this.#clock = options.clock;
    this.#due = options.due;
    this.#fire = options.fire;
  }

  /** Waits for the next moment; one that has moved away is found out when the timer fires. */
  arm(): void {
    const due = this.#due();
    if (due === undefined || due >= this.#at) return;
    this.stop();
    this.#at = due;
    this.#timer = this.#clock.setTimeout(() => this.#wake(), due - this.#clock.now());
  }

  stop(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#at = Number.POSITIVE_INFINITY;
  }

  #wake(): void {
    this.#timer = undefined;
    this.#at = Number.POSITIVE_INFINITY;
    const due = this.#due();
    if (due === undefined) return;
    if (due > this.#clock.now()) this.arm();
    else this.#fire();
  }
}
