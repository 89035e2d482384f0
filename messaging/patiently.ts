/**
 * Asks the bus until it answers: an outage of the bus is no fault of a run, and is waited for; so is one who may not be back
 * behind it yet. Whoever waits is let go as soon
 * as its signal says so, whatever becomes of the question.
 */

import { Outage } from '../contract/outage.ts';
import type { Clock } from '../ports/clock.ts';

/** Pause before the bus is asked again while it is away; each ask already waits inside the bus. */
const BUS_RETRY_MS = 100;

/** What the step resolves to; undefined when `signal` ends the patience. Throws what is no outage of the bus. */
export async function patiently<Value>(
  clock: Clock,
  signal: AbortSignal,
  step: () => Promise<Value>,
): Promise<{ readonly value: Value } | undefined> {
  while (!signal.aborted) {
    try {
      return await orAborted(
        step().then((value) => ({ value })),
        signal,
      );
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      if (error.code !== 'bus.unavailable' && !error.unsettled) throw error;
      await pause(clock, BUS_RETRY_MS, signal);
    }
  }
  return undefined;
}

/** Resolves after `ms`, or as soon as `signal` ends it. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimeout(done, Math.max(0, ms));
    signal.addEventListener('abort', done, { once: true });
  });
}

function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(undefined);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
