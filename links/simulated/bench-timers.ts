/** The timers of a simulated device, all gone at once when it is switched off. */

import type { Clock, TimerHandle } from '../../ports/clock.ts';

export class BenchTimers {
  readonly #clock: Clock;
  readonly #timers = new Set<TimerHandle>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  after(delayMs: number, act: () => void): void {
    const timer = this.#clock.setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, delayMs);
    this.#timers.add(timer);
  }

  /** Acts now and then once a period; late timers bring no burst. */
  every(periodMs: number, act: () => void): void {
    act();
    this.after(periodMs, () => this.every(periodMs, act));
  }

  stop(): void {
    for (const timer of this.#timers) this.#clock.clearTimeout(timer);
    this.#timers.clear();
  }
}
