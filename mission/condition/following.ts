/**
 * Following a compiled condition or expression: takes samples, lets time pass, settles holds. It does not know what is
 * computed; `compile.ts` asks for that. Mission Control Service, section 4.4 (evaluation).
 *
 * V1. Holds see the samples of one moment together (hold.H2), and every moment at which what is held changes by itself,
 *     also when nobody asked then: so the truth does not depend on when it was asked for (condition/condition.N2).
 */

import type { Bindings, Feed } from './condition.ts';
import type { History, Timer } from './history.ts';
import type { Plan } from './plan.ts';
import { UNKNOWN } from './truth.ts';

export class Following implements Feed {
  readonly reads: readonly number[];
  readonly #plan: Plan;
  readonly #history: History;
  readonly #ordinals: readonly (number | undefined)[];
  readonly #holds: boolean;
  readonly #heldTimers: readonly Timer[];
  /** The newest ground time fed. */
  #fedAt = Number.NEGATIVE_INFINITY;
  /** How far time has passed for what is held. */
  #passedAt = Number.NEGATIVE_INFINITY;
  #unsettled = false;

  constructor(plan: Plan, bindings: Bindings) {
    this.#plan = plan;
    this.#history = plan.history(bindings);
    this.#ordinals = plan.ordinals(bindings);
    this.#holds = plan.held.length > 0;
    this.#heldTimers = [...plan.heldTimers];
    const reads = new Set(this.#ordinals.filter((ordinal) => ordinal !== undefined));
    this.reads = [...reads].sort((a, b) => a - b);
  }

  feed(ordinal: number, value: number | string | null, atMs: number): void {
    if (this.#holds) this.#arrive(atMs);
    for (let slot = 0; slot < this.#ordinals.length; slot += 1) {
      if (this.#ordinals[slot] === ordinal) this.#history.take(slot, value, atMs);
    }
  }

  prime(ordinal: number, value: number | string | null, atMs: number): void {
    for (let slot = 0; slot < this.#ordinals.length; slot += 1) {
      if (this.#ordinals[slot] === ordinal) this.#history.prime(slot, value, atMs);
    }
  }

  recall(ordinal: number, value: number | string | null, atMs: number): void {
    this.feed(ordinal, value, atMs);
    for (let slot = 0; slot < this.#ordinals.length; slot += 1) {
      if (this.#ordinals[slot] === ordinal) this.#history.changed[slot] = UNKNOWN;
    }
  }

  deadline(nowMs: number): number | undefined {
    if (this.#plan.timers.length === 0) return undefined;
    const next = this.#next(this.#plan.timers, this.at(nowMs).now);
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  /** The history as of `nowMs`, ready to be read. */
  at(nowMs: number): History {
    if (this.#holds) {
      this.#settleFed();
      this.#pass(nowMs);
    }
    this.#history.now = nowMs;
    return this.#history;
  }

  #arrive(at: number): void {
    if (at > this.#fedAt) {
      this.#settleFed();
      this.#pass(at);
      this.#fedAt = at;
    }
    this.#unsettled = true;
  }

  #settleFed(): void {
    if (this.#unsettled) this.#settle(this.#fedAt);
    this.#unsettled = false;
  }

  #pass(until: number): void {
    let at = this.#next(this.#heldTimers, this.#passedAt);
    while (at <= until) {
      this.#settle(at);
      this.#passedAt = at;
      at = this.#next(this.#heldTimers, at);
    }
    if (until > this.#passedAt) this.#passedAt = until;
  }

  #settle(at: number): void {
    this.#history.now = at;
    this.#plan.held.forEach((held, index) => {
      this.#history.holds[index]!.settle(held.run(this.#history), at);
    });
  }

  /** The first moment after `after` that a timer names. */
  #next(timers: readonly Timer[], after: number): number {
    this.#history.now = after;
    let next = Number.POSITIVE_INFINITY;
    for (const timer of timers) {
      const at = timer(this.#history, after);
      if (at < next) next = at;
    }
    return next;
  }
}
