/**
 * Time as one simulated process has it: the world's, with the error of its own clock, standing still while the process
 * is paused and ending with it.
 *
 * K1. Nothing fires in a process that is paused or dead; what came due in a pause fires when it ends, one by one.
 * K2. Timers and arrivals are kept apart: a process that wakes reads its sockets first or its timers first. What it has
 *     to ask for again, because its request expired while it slept, comes last.
 * K3. Its time of day is wrong and may be set; its monotonic time is neither.
 * K4. Its oscillator may be wrong: all of its time, monotonic and timers too, then passes faster or slower.
 */

import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { HeapClock } from '../../supervision/clock.ts';

type Source = 'timer' | 'arrival' | 'pulled';

/** How a process comes back from a pause. */
export interface Waking {
  readonly arrivalsFirst: boolean;
  /** Its requests for messages of streams have expired. */
  readonly pullsExpired: boolean;
}

/** Until a renewed request is answered. */
const RENEWAL_MS = 50;

interface Pending extends TimerHandle {
  readonly fire: () => void;
  readonly source: Source;
  timer: TimerHandle | undefined;
  cancelled: boolean;
}

export class ProcessClock implements Clock {
  /** The same time; what is set on it comes from outside. */
  readonly arrivals: Clock;
  /** The same for messages of streams, which are pulled. */
  readonly pulled: Clock;
  readonly #world: HeapClock;
  #skewMs: number;
  /** Of its own seconds in one of the world's (K4). */
  readonly #rate: number;
  readonly #begunAt: number;
  #postponed: Pending[] = [];
  #paused = false;
  #ended = false;

  constructor(world: HeapClock, skewMs: number, driftPpm = 0) {
    this.#world = world;
    this.#skewMs = skewMs;
    this.#rate = 1 + driftPpm / 1_000_000;
    this.#begunAt = world.now();
    this.arrivals = this.#of('arrival');
    this.pulled = this.#of('pulled');
  }

  /** Whole milliseconds, as the clock of the machine has them. */
  now(): number {
    return Math.floor(this.#own() + this.#skewMs);
  }

  /** K3 */
  monotonic(): number {
    return Math.floor(this.#own());
  }

  /** K4 */
  #own(): number {
    const now = this.#world.now();
    return this.#rate === 1 ? now : this.#begunAt + (now - this.#begunAt) * this.#rate;
  }

  /** How far its time of day is ahead of that of the world, ms. */
  get errorMs(): number {
    return this.#skewMs + this.#own() - this.#world.now();
  }

  /** The time of day is set: by NTP, by a person. */
  step(ms: number): void {
    this.#skewMs += ms;
  }

  setTimeout(fire: () => void, delayMs: number): TimerHandle {
    return this.#set(fire, delayMs, 'timer');
  }

  clearTimeout(handle: TimerHandle): void {
    const pending = handle as Pending;
    pending.cancelled = true;
    if (pending.timer !== undefined) this.#world.clearTimeout(pending.timer);
  }

  get paused(): boolean {
    return this.#paused;
  }

  pause(): void {
    this.#paused = true;
  }

  resume({ arrivalsFirst, pullsExpired }: Waking): void {
    this.#paused = false;
    const postponed = this.#postponed;
    this.#postponed = [];
    const rank = ({ source }: Pending): number => ((source === 'timer') === arrivalsFirst ? 1 : 0);
    for (const pending of postponed.toSorted((a, b) => rank(a) - rank(b))) {
      this.#arm(pending, pending.source === 'pulled' && pullsExpired ? RENEWAL_MS : 0);
    }
  }

  end(): void {
    this.#ended = true;
    this.#postponed = [];
  }

  #of(source: Source): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.monotonic(),
      setTimeout: (fire, delayMs) => this.#set(fire, delayMs, source),
      clearTimeout: (handle) => this.clearTimeout(handle),
    };
  }

  #set(fire: () => void, delayMs: number, source: Source): Pending {
    const pending: Pending = { fire, source, timer: undefined, cancelled: false };
    if (!this.#ended) this.#arm(pending, delayMs);
    return pending;
  }

  #arm(pending: Pending, delayMs: number): void {
    pending.timer = this.#world.setTimeout(() => this.#due(pending), delayMs / this.#rate);
  }

  #due(pending: Pending): void {
    if (this.#ended || pending.cancelled) return;
    if (this.#paused) this.#postponed.push(pending);
    else pending.fire();
  }
}
