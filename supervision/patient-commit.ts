/**
 * Asks a store for a commit until it answers: an outage of the bus is waited for, everything else is the caller's. Part of
 * a cell.
 */

import { Outage } from '../contract/outage.ts';
import type { Clock } from '../ports/clock.ts';
import type { Commit, Committed, Store } from '../ports/entity.ts';
import { deferred } from './deferred.ts';

/** How long a cell waits before it asks an unreachable store again; each ask already waits inside the bus. */
const COMMIT_RETRY_MS = 100;

/** The outcome; undefined when aborted. Throws what the store threw, unless it is an outage. */
export async function commitPatiently(
  store: Store,
  commit: Commit,
  clock: Clock,
  signal: AbortSignal,
): Promise<Committed | undefined> {
  while (!signal.aborted) {
    try {
      return await store.commit(commit);
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      await pause(clock, COMMIT_RETRY_MS, signal);
    }
  }
  return undefined;
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = deferred<void>();
  const wake = (): void => resolve();
  signal.addEventListener('abort', wake, { once: true });
  const timer = clock.setTimeout(wake, ms);
  return promise.finally(() => {
    clock.clearTimeout(timer);
    signal.removeEventListener('abort', wake);
  });
}
