/**
 * Time during which this process could hear: what judges whether somebody else fell silent.
 *
 * A1. Time of day plays no part: a clock that is set makes nobody silent.
 * A2. Time in which this process slept does not count beyond two looks, and none in which the bus was away, nor the
 *     time that others may take to come back behind that: silence is only what was listened to.
 */

import type { Clock } from '../ports/clock.ts';

interface AttendedOptions {
  readonly clock: Clock;
  /** How often `look` is called. */
  readonly lookMs: number;
  /** How long behind an outage of the bus others may be on their way back. */
  readonly returnMs: number;
}

export class AttendedTime {
  readonly #options: AttendedOptions;
  #attended = 0;
  #lookedAt: number;
  #countsFrom: number;

  constructor(options: AttendedOptions) {
    this.#options = options;
    this.#lookedAt = options.clock.monotonic();
    this.#countsFrom = this.#lookedAt;
  }

  /** ms listened to up to now. */
  now(): number {
    const { clock, lookMs } = this.#options;
    const from = Math.max(this.#lookedAt, this.#countsFrom);
    return this.#attended + Math.max(0, Math.min(clock.monotonic() - from, 2 * lookMs));
  }

  /** Called every `lookMs`, with whether the bus is there. */
  look(isConnected: boolean): void {
    const { clock, returnMs } = this.#options;
    const attended = this.now();
    this.#lookedAt = clock.monotonic();
    if (isConnected) this.#attended = attended;
    else this.#countsFrom = this.#lookedAt + returnMs;
  }
}
