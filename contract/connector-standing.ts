/** How far a reader of a connector is behind, as people read it: once for the console and the command line. Pure. */

import type { ConnectorLagView } from './connector.ts';

export interface ReaderStanding {
  /** Messages that it has not taken. */
  readonly waiting: number;
  /** Age of the oldest of them; of a reader that does not tell them apart, of the oldest that is not stored either. */
  readonly behindMs: number;
  /** Taken, and not stored or acknowledged yet. */
  readonly held: number;
  /** When it stores them, ms since 1970; undefined where it does not say. */
  readonly storesAt: number | undefined;
}

export function standingOf(lag: ConnectorLagView): ReaderStanding {
  const { pending, unacked, lag_seconds, held = 0, behind_seconds = lag_seconds, stores_at } = lag;
  return {
    // What came since it said how far it was is not known to wait.
    waiting: lag.behind_seconds === 0 ? 0 : pending - held,
    behindMs: behind_seconds * 1_000,
    held: held + unacked,
    storesAt: stores_at === undefined ? undefined : Date.parse(stores_at),
  };
}
