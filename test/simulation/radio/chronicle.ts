/**
 * What happens in a simulated scenario of the radio as it happens: everything has a number in one order and a line in
 * the trace.
 *
 * O1. What was asked, written and answered is numbered in one order.
 */

import type { HeapClock } from '../../../supervision/clock.ts';
import type { Trace } from '../trace.ts';
import type { Asked, Found, Holding, LifeEnd, RadioHistory, Struck, Write } from './history.ts';

export class Chronicle {
  readonly asked: Asked[] = [];
  readonly writes: Write[] = [];
  readonly holdings: Holding[] = [];
  readonly struck: Struck[] = [];
  readonly ends: LifeEnd[] = [];
  readonly found: Found[] = [];
  readonly epilogue: number[] = [];
  readonly defects: string[] = [];
  readonly #clock: HeapClock;
  readonly #startMs: number;
  readonly #trace: Trace;
  #order = 0;

  constructor(clock: HeapClock, trace: Trace) {
    this.#clock = clock;
    this.#startMs = clock.now();
    this.#trace = trace;
  }

  /** ms since the start. */
  get now(): number {
    return this.#clock.now() - this.#startMs;
  }

  /** Calls at a time since the start. */
  at(at: number, happen: () => void): void {
    this.#clock.setTimeout(happen, at - this.now);
  }

  next(): number {
    this.#order += 1;
    return this.#order;
  }

  tell(who: string, what: string): void {
    this.#trace.add({ at: Math.round(this.now * 1000) / 1000, who, what });
  }

  defect(reason: unknown): void {
    this.defects.push(textOf(reason));
  }

  get history(): RadioHistory {
    const { asked, writes, holdings, struck, ends, found, epilogue, defects } = this;
    return { asked, writes, holdings, struck, ends, found, epilogue, defects };
  }
}

function textOf(reason: unknown): string {
  if (reason instanceof Error) return reason.stack ?? reason.message;
  return typeof reason === 'string' ? reason : JSON.stringify(reason);
}
