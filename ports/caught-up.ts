/** Reads what a stream holds now, and no more. */

import type { Follower } from './bus.ts';

/** Resolves with the last position once everything up to it is handled; rejects with `Outage` where `signal` ends it. */
export async function caughtUp(follower: Follower, signal: AbortSignal): Promise<number> {
  const stop = (): void => void follower.stop();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    return await follower.caughtUp;
  } finally {
    signal.removeEventListener('abort', stop);
    await follower.stop();
  }
}
