/** Whether something still happens, asked of a process that may itself be kept from the processor. */

import { setTimeout as pause } from 'node:timers/promises';

const BEAT_MS = 10;
const BEATS = 30;

/**
 * Whether it holds within some beats of the event loop: a process that stands still has no beats, and between two of
 * them it looks at everything that has come.
 */
export async function comesSoon(check: () => boolean): Promise<boolean> {
  for (let beat = 0; beat < BEATS; beat += 1) {
    if (check()) return true;
    await pause(BEAT_MS);
  }
  return check();
}
