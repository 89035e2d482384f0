/**
 * One way to wait while the bus is away: an outage of the bus is no fault of who needs it, and is waited for; so is one
 * who may not be back behind it yet.
 *
 * A1. Whoever waits is let go as soon as its signal says so, whatever becomes of the step under way (`finishes`: once
 *     that has ended).
 * A2. Only an outage of the bus is waited for; everything else is thrown, at once.
 * A3. Each step already waits inside the bus for as long as it may take; the pause between two is for a bus that
 *     refuses at once, as one without room does.
 */

import { BUS_RETRY_LONGEST_MS, BUS_RETRY_MS } from '../contract/limits/bus.ts';
import { Outage } from '../contract/outage.ts';
import type { Clock } from '../ports/clock.ts';
import { pause } from './pause.ts';

export interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Which outages are the bus's; default: `isBusAway`. `everyOutage` where the step asks nobody else. */
  readonly waitsFor?: (outage: Outage) => boolean;
  /** Called with each outage that is waited for, from round 0 on. */
  readonly waits?: (outage: Outage, round: number) => void;
  /** Pause behind the outage of this round, from 0 on; default: `BUS_RETRY_MS`, each time. */
  readonly pauseMs?: (round: number) => number;
  /** What ends a pause early; what it returns is called when the pause is over. */
  readonly wakeOn?: (wake: () => void) => () => void;
  /** Who waits is let go behind the step under way only. */
  readonly finishes?: boolean;
}

/** What the step resolves to; undefined once aborted (A1). Throws what is no outage of the bus (A2). */
export async function retryWhileBusIsAway<Value>(
  waiting: Waiting,
  step: () => Promise<Value>,
): Promise<{ readonly value: Value } | undefined> {
  const { clock, signal, waitsFor = isBusAway, waits, pauseMs, wakeOn, finishes = false } = waiting;
  for (let round = 0; !signal.aborted; round += 1) {
    try {
      return await (finishes ? step().then((value) => ({ value })) : orAborted(step(), signal));
    } catch (error) {
      if (!(error instanceof Outage && waitsFor(error))) throw error;
      waits?.(error, round);
      await pause(clock, pauseMs?.(round) ?? BUS_RETRY_MS, signal, wakeOn);
    }
  }
  return undefined;
}

/** A pause that doubles with each round, for steps that cost the bus much. */
export function growingPauseMs(round: number): number {
  return Math.min(BUS_RETRY_MS * 2 ** Math.min(round, 8), BUS_RETRY_LONGEST_MS);
}

/** Whether the bus is away, or those who were there before an outage may not be back yet. */
export function isBusAway({ code, unsettled }: Outage): boolean {
  return code === 'bus.unavailable' || unsettled;
}

/** For a step that asks nothing but the bus: whatever outage it meets is the bus's. */
export function everyOutage(): boolean {
  return true;
}

function orAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<{ readonly value: Value } | undefined> {
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(undefined);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    void work
      .then((value) => resolve({ value }), reject)
      .finally(() => signal.removeEventListener('abort', leave));
  });
}
