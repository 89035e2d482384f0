/** Time as a run waits for it: pauses, delays and the time for a question. Mission Control Service, section 3.2. */

import type { Handler, RunServices } from '../services.ts';

/** Longest single delay of a timer; a later moment is come to in several. */
const LONGEST_MS = 2 ** 31 - 1;

export function createWake({ clock }: RunServices): Handler<'effect.wake'> {
  return ({ ticket, at }, _at, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const look = (): void => {
        const left = at - clock.now();
        if (left > 0) {
          timer = clock.setTimeout(look, Math.min(left, LONGEST_MS));
          return;
        }
        signal.removeEventListener('abort', ended);
        resolve({ type: 'woken', at: clock.now(), ticket });
      };
      const ended = (): void => {
        clock.clearTimeout(timer);
        resolve(undefined);
      };
      signal.addEventListener('abort', ended, { once: true });
      let timer = clock.setTimeout(look, Math.min(Math.max(0, at - clock.now()), LONGEST_MS));
    });
}

/** Keeps a run in memory while it waits for a person. */
export function createAwait(): Handler<'effect.await'> {
  return (_effect, _at, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
}
