/** A clock that stands still until a test moves it; timers fire in order of their time, also those set on the way. */

import type { Clock, TimerHandle } from '../../ports/clock.ts';

interface Due extends TimerHandle {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

export class ManualClock implements Clock {
  #now: number;
  #order = 0;
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
    this.#order += 1;
    const due: Due = { timer: undefined, at: this.#now + Math.max(0, delayMs), order: this.#order, fire };
    this.#due.push(due);
    this.#due.sort((a, b) => a.at - b.at || a.order - b.order);
    return due;
  }

  clearTimeout(handle: TimerHandle): void {
    this.#due = this.#due.filter((due) => due !== handle);
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
