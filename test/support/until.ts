/**
 * Waits for a level with a bound: the only way tests wait.
 *
 * A bus that does not answer in time, as while the machine stands still for seconds, says nothing of the level: it is
 * looked at again.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { Outage } from '../../contract/outage.ts';

interface UntilOptions {
  readonly timeoutMs?: number;
  /** Named in the error when the bound is reached; asked for then. */
  readonly what?: string | (() => string);
}

/**
 * The first truthy result of `check`, polled every few ms; rejects when the bound (default 30 s) is reached, and at
 * once where `check` rejects otherwise than with an `Outage`.
 */
export async function until<Value>(
  check: () => Value | Promise<Value>,
  { timeoutMs = 30_000, what = 'the condition' }: UntilOptions = {},
): Promise<Exclude<Value, undefined | null | false>> {
  const end = performance.now() + timeoutMs;
  let cause: Outage | undefined;
  for (;;) {
    try {
      const value = await check();
      if (value) return value as Exclude<Value, undefined | null | false>;
      cause = undefined;
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      cause = error;
    }
    if (performance.now() > end) {
      const named = typeof what === 'string' ? what : what();
      throw new Error(`${named} did not hold within ${timeoutMs} ms`, { cause });
    }
    await pause(5);
  }
}
