/**
 * Asks a store for a commit until it answers: an outage of the bus is waited for, everything else is the caller's. Part
 * of a cell.
 *
 * M1. Each ask already waits inside the bus; between two of them the pause grows, since a bus without room is asked by
 *     every cell there is.
 * M2. A wait is said once, to whoever wants to say it.
 */

import type { Outage } from '../../contract/outage.ts';
import { everyOutage, retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Commit, Committed, Store } from '../../ports/entity.ts';

/** How long a cell waits before it asks an unreachable store again: the first time, and at most (M1). */
const COMMIT_RETRY_MS = 100;
const COMMIT_RETRY_LONGEST_MS = 1_000;

/** The outcome; undefined when aborted. Throws what the store threw, unless it is an outage. */
export async function commitPatiently(
  store: Store,
  commit: Commit,
  clock: Clock,
  signal: AbortSignal,
  waits: (outage: Outage) => void = () => undefined,
): Promise<Committed | undefined> {
  const committed = await retryWhileBusIsAway(
    {
      clock,
      signal,
      waitsFor: everyOutage,
      pauseMs: (round) => Math.min(COMMIT_RETRY_MS * 2 ** Math.min(round, 8), COMMIT_RETRY_LONGEST_MS),
      waits: (outage, round) => round === 1 && waits(outage),
    },
    () => store.commit(commit),
  );
  return committed?.value;
}
