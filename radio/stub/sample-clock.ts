/**
 * Counts the samples of the data port: at the sample rate while its clocks run, not at all while they stand still.
 *
 * C1. The count never goes back, whatever rate follows.
 * C2. Who waits for a sample is woken by it, by its own time limit or by the end of its buffer, whichever is first.
 */

import type { Clock, TimerHandle } from '../../ports/clock.ts';

/** Share of a sample that a time in milliseconds cannot tell. */
const UNTOLD = 1e-4;
/** A time of day in milliseconds moves by less than that at no look. */
const LEAST_MS = 1e-3;

interface Waiter {
  readonly index: number;
  readonly deadline: number;
  readonly owner: object;
  readonly settle: (reached: boolean) => void;
  timer: TimerHandle | undefined;
}

export class SampleClock {
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #base = 0;
  #since: number;
  #rate = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** Samples per second; 0 while the port stands still. */
  get rate(): number {
    return this.#rate;
  }

  /** Samples until now. */
  get count(): number {
    return Math.floor(this.#exact() + UNTOLD);
  }

  retime(rate: number): void {
    if (rate === this.#rate) return;
    this.#base = this.#exact();
    this.#since = this.#clock.now();
    this.#rate = rate;
    for (const waiter of this.#waiters) this.#look(waiter);
  }

  /** True when so many samples were counted; false: not within the time, or the owner has released them. */
  reach(index: number, timeoutMs: number, owner: object): Promise<boolean> {
    return new Promise((settle) => {
      const deadline = this.#clock.now() + timeoutMs;
      const waiter: Waiter = { index, deadline, owner, settle, timer: undefined };
      this.#waiters.add(waiter);
      this.#look(waiter);
    });
  }

  /** Ends what somebody waits for. */
  release(owner: object): void {
    for (const waiter of this.#waiters) if (waiter.owner === owner) this.#end(waiter, false);
  }

  #exact(): number {
    return this.#base + ((this.#clock.now() - this.#since) * this.#rate) / 1000;
  }

  #look(waiter: Waiter): void {
    if (waiter.timer !== undefined) this.#clock.clearTimeout(waiter.timer);
    waiter.timer = undefined;
    const missing = waiter.index - this.#exact();
    if (missing <= UNTOLD) return this.#end(waiter, true);
    const leftMs = waiter.deadline - this.#clock.now();
    if (leftMs <= 0) return this.#end(waiter, false);
    const neededMs =
      this.#rate === 0 ? Number.POSITIVE_INFINITY : Math.max(LEAST_MS, (missing * 1000) / this.#rate);
    waiter.timer = this.#clock.setTimeout(() => this.#look(waiter), Math.min(leftMs, neededMs));
  }

  #end(waiter: Waiter, reached: boolean): void {
    if (waiter.timer !== undefined) this.#clock.clearTimeout(waiter.timer);
    this.#waiters.delete(waiter);
    waiter.settle(reached);
  }
}
