/**
 * Which runs hold a target, as bucket `mcs_leases` says. Mission Control Service, section 4.1 rule 5. An answer given
 * early and kindly: the executor checks again when it takes the telecommand up (MC-TC-062).
 *
 * H1. The cache may let a telecommand pass that is refused later; it never refuses alone: what it would refuse is read
 *     again from the bus, because removals reach a watch late.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { blockingHolders, type Holder, readHolds } from '../contract/telecommand.ts';
import { keepWatching } from '../messaging/kept-watch.ts';
import type { Bus, Entry, Stoppable } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';

export interface Holds extends Stoppable {
  /**
   * The runs that keep a telecommand from the target: every holder if one holds exclusively or the telecommand changes
   * the state, else none.
   */
  against(target: string, changesState: boolean): Promise<readonly Holder[]> | readonly Holder[];
  /** Every run that holds the target, read now: for what nobody checks again later. */
  now(target: string): Promise<readonly Holder[]>;
}

const FREE: readonly Holder[] = [];

/** Watches the leases from now on; until everything of the beginning was seen, each question is a read. */
export function watchHolds(bus: Bus, log: Log): Holds {
  const bucket = bus.bucket(buckets.leases);
  const cache = new Map<string, readonly Holder[]>();
  const watch = keepWatching({ bus, log }, buckets.leases, (target, entry) => {
    const holders = holdersOf(entry);
    if (holders.length === 0) cache.delete(target);
    else cache.set(target, holders);
  });

  return {
    against(target, changesState) {
      if (watch.known && blockingHolders(cache.get(target) ?? FREE, changesState).length === 0) return FREE;
      return bucket.get(target).then((entry) => blockingHolders(holdersOf(entry), changesState));
    },
    now: async (target) => holdersOf(await bucket.get(target)),
    stop: () => watch.stop(),
  };
}

function holdersOf(entry: Entry | undefined): readonly Holder[] {
  return readHolds(entry?.value).holders;
}
