/**
 * When the next of a steady sequence is due.
 *
 * P1. The first is due at once, the n-th n intervals after it: late timers do not add up.
 * P2. More than a second behind, the count begins again: a clock that jumped ahead brings no burst.
 */

import type { Clock, TimerHandle } from '../../ports/clock.ts';

const LONGEST_LAG_MS = 1_000;

export class Pace {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #startMs: number | undefined;
  #count = 0;
  #waiting: { timer: TimerHandle; resolve: () => void } | undefined;
  #stopped = false;

  /** `rate` per second; undefined: everything is due at once. */
  constructor(clock: Clock, rate: number | undefined) {
    this.#clock = clock;
    this.#intervalMs = rate === undefined ? 0 : 1_000 / rate;
  }

  /** Resolves when the next is due; undefined when it is due already. */
  next(): Promise<void> | undefined {
    const delayMs = this.#delay();
    if (delayMs <= 0 || this.#stopped) return undefined;
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(resolve, delayMs);
      this.#waiting = { timer, resolve };
    });
  }

  /** Ends a wait; nothing waits afterwards. */
  stop(): void {
    this.#stopped = true;
    if (this.#waiting === undefined) return;
    this.#clock.clearTimeout(this.#waiting.timer);
    this.#waiting.resolve();
  }

  #delay(): number {
    if (this.#intervalMs === 0) return 0;
    const now = this.#clock.now();
    if (this.#startMs === undefined || now - this.#dueMs() > LONGEST_LAG_MS + this.#intervalMs) {
      this.#startMs = now;
      this.#count = 0;
    }
    const delayMs = this.#dueMs() - now;
    this.#count += 1;
    return delayMs;
  }

  #dueMs(): number {
    return this.#startMs! + this.#count * this.#intervalMs;
  }
}
