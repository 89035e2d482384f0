/** A pause on a clock that whoever waits can be called out of. */

import type { Clock } from '../ports/clock.ts';

/** Resolves after `ms`, as soon as `signal` is aborted, or when `wakeOn` wakes it. */
export function pause(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  wakeOn?: (wake: () => void) => () => void,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    let forget: (() => void) | undefined;
    const done = (): void => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', done);
      forget?.();
      resolve();
    };
    const timer = clock.setTimeout(done, Math.max(0, ms));
    signal.addEventListener('abort', done, { once: true });
    forget = wakeOn?.(done);
  });
}
