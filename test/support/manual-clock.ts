/** A clock that stands still until a test moves it; timers fire in order of their time, also those set on the way. */

import type { Clock, TimerHandle } from '../../ports/clock.ts';

interface Due extends TimerHandle {
  readonly at: number;
  readonly fire: () => void;
}

export class ManualClock implements Clock {
  #now: number;
  #due: Due[] = [];

  constructor(nowMs: number) {
    this.#now = nowMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  setTimeout(fire: () => void, delayMs: number): TimerHandle {
    const due: Due = { timer: undefined, at: this.#now + Math.max(0, delayMs), fire };
    // Thousands may be set: behind those of its time or an earlier one.
    let [low, high] = [0, this.#due.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#due[middle]!.at <= due.at) low = middle + 1;
      else high = middle;
    }
    this.#due.splice(low, 0, due);
    return due;
  }

  clearTimeout(handle: TimerHandle): void {
    const at = this.#due.indexOf(handle as Due);
    if (at >= 0) this.#due.splice(at, 1);
  }

  /** Timers set and not yet fired. */
  get waiting(): number {
    return this.#due.length;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#due[0]; next !== undefined && next.at <= end; next = this.#due[0]) this.#fire(next);
    this.#now = end;
  }

  /** Advances in steps and lets promises settle after each, for code that waits between its timers. */
  async run(ms: number, stepMs = 1): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.advance(Math.min(stepMs, left));
      await settled();
    }
  }

  #fire(due: Due): void {
    this.#due.shift();
    this.#now = Math.max(this.#now, due.at);
    due.fire();
  }
}

/** Resolves when every promise that can settle without time or I/O has. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
