/** Waits for a level with a bound: the only way tests wait. */

import { setTimeout as pause } from 'node:timers/promises';

interface UntilOptions {
  readonly timeoutMs?: number;
  /** Named in the error when the bound is reached. */
  readonly what?: string;
}

/** The first truthy result of `check`, polled every few ms; rejects when the bound (default 30 s) is reached. */
export async function until<Value>(
  check: () => Value | Promise<Value>,
  { timeoutMs = 30_000, what = 'the condition' }: UntilOptions = {},
): Promise<Exclude<Value, undefined | null | false>> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value) return value as Exclude<Value, undefined | null | false>;
    if (performance.now() > end) throw new Error(`${what} did not hold within ${timeoutMs} ms`);
    await pause(5);
  }
}
