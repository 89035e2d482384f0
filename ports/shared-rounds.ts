/**
 * What many of a process do once in a period, with one timer for all of them. Thousands of timers of their own, each at
 * its own millisecond, are as many turns of the event loop in which next to nothing is done.
 *
 * R1. Each is called once in every period, the first time within one. Who joins is placed where the fewest are: what
 *     they do is spread evenly over the period, also where all of them have something to do.
 * R2. Moments at which nobody is placed cost nothing, and nothing is set on the clock while nobody has joined.
 * R3. A process that stood still calls everybody that it missed once. What one of them throws keeps no other from its
 *     turn, and is thrown to the clock as from a timer of its own.
 */

import type { Clock, TimerHandle } from './clock.ts';

/** Moments of a period at which some of them are called: each is a turn of the event loop. */
const MOMENTS = 20;

const ofClocks = new WeakMap<Clock, Map<number, SharedRounds>>();

/** Calls `act` once in every period from now on, until what is returned is called. */
export function joinRounds(clock: Clock, periodMs: number, act: () => void): () => void {
  const ofClock = ofClocks.get(clock) ?? new Map<number, SharedRounds>();
  ofClocks.set(clock, ofClock);
  const rounds = ofClock.get(periodMs) ?? new SharedRounds(clock, periodMs);
  ofClock.set(periodMs, rounds);
  return rounds.join(act);
}

interface Joined {
  readonly act: () => void;
}

/** Moments are counted from the beginning of the clock's monotonic time: those of all periods fall together. */
class SharedRounds {
  readonly #clock: Clock;
  readonly #stepMs: number;
  readonly #placed: readonly Set<Joined>[] = Array.from({ length: MOMENTS }, () => new Set<Joined>());
  /** The moment that the timer is set for, and the last one that is over. */
  #due = 0;
  #over = 0;
  #timer: TimerHandle | undefined;

  constructor(clock: Clock, periodMs: number) {
    this.#clock = clock;
    this.#stepMs = periodMs / MOMENTS;
  }

  join(act: () => void): () => void {
    const joined: Joined = { act };
    const place = this.#placed.reduce((fewest, each) => (each.size < fewest.size ? each : fewest));
    place.add(joined);
    const next = this.#next();
    if (this.#timer === undefined || next < this.#due) this.#arm(next);
    return () => {
      if (place.delete(joined) && this.#placed.every((each) => each.size === 0)) this.#disarm();
    };
  }

  #now(): number {
    return Math.floor(this.#clock.monotonic() / this.#stepMs);
  }

  #at(moment: number): Set<Joined> {
    return this.#placed[moment % MOMENTS]!;
  }

  /** The next moment at which somebody is placed (R2). */
  #next(): number {
    let next = Math.max(this.#over, this.#now()) + 1;
    while (this.#at(next).size === 0) next += 1;
    return next;
  }

  #arm(moment: number): void {
    this.#disarm();
    this.#due = moment;
    const delayMs = moment * this.#stepMs - this.#clock.monotonic();
    this.#timer = this.#clock.setTimeout(() => this.#turn(), delayMs);
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** R3 */
  #turn(): void {
    const last = Math.max(this.#due, this.#now());
    const first = Math.max(this.#due, last - MOMENTS + 1);
    this.#over = last;
    const errors: unknown[] = [];
    for (let moment = first; moment <= last; moment += 1)
      for (const { act } of this.#at(moment)) attempt(act, errors);
    if (this.#placed.some((each) => each.size > 0)) this.#arm(this.#next());
    if (errors.length > 0) throw errors[0];
  }
}

function attempt(act: () => void, errors: unknown[]): void {
  try {
    act();
  } catch (error) {
    errors.push(error);
  }
}
