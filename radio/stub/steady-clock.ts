/**
 * The clock of the model over one that may be set back: time stands still for a moment instead, as on a board that
 * counts its own.
 */

import type { Clock } from '../../ports/clock.ts';

/** A clock that never goes back. */
export function steadyClock(clock: Clock): Clock {
  let last = clock.now();
  let setBack = 0;
  return {
    now: () => {
      const now = clock.now();
      setBack += Math.max(0, last - now);
      last = now;
      return now + setBack;
    },
    monotonic: () => clock.monotonic(),
    setTimeout: (fire, delayMs) => clock.setTimeout(fire, delayMs),
    clearTimeout: (timer) => clock.clearTimeout(timer),
  };
}
