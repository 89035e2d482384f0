/**
 * Which runs hold a target, as bucket `mcs_leases` says. Mission Control Service, section 4.1 rule 5. An answer given
 * early and kindly: the executor checks again when it takes the telecommand up (MC-TC-062).
 *
 * H1. The cache may let a telecommand pass that is refused later; it never refuses alone: what it would refuse is read
 *     again from the bus, because removals reach a watch late.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { blockedReason, readHolds, type TargetHolds } from '../contract/target-holds.ts';
import { keepWatching } from '../messaging/kept-watch.ts';
import type { Bus, Stoppable } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';

export interface Holds extends Stoppable {
  /** Why a telecommand may not be sent to the target now, naming every holder; undefined when it may. */
  against(target: string, changesState: boolean): Promise<string | undefined> | string | undefined;
  /** Which runs hold it, for people to see: as it is known here, else read. Throws `Outage`. */
  of(target: string): Promise<TargetHolds> | TargetHolds;
  /** Why nothing may be changed that a run may rely on, read now: for what nobody checks again later. */
  now(target: string): Promise<string | undefined>;
}

/** Watches the leases from now on; until everything of the beginning was seen, each question is a read. */
export function watchHolds(bus: Bus, log: Log): Holds {
  const bucket = bus.bucket(buckets.leases);
  const cache = new Map<string, TargetHolds>();
  const watch = keepWatching({ bus, log }, buckets.leases, (target, entry) => {
    const holds = readHolds(entry?.value);
    if (blockedReason(holds, target, { changesState: true }) === undefined) cache.delete(target);
    else cache.set(target, holds);
  });
  const readNow = async (target: string): Promise<TargetHolds> =>
    readHolds((await bucket.get(target))?.value);
  const read = async (target: string, changesState: boolean): Promise<string | undefined> =>
    blockedReason(await readNow(target), target, { changesState });

  return {
    against(target, changesState) {
      const known = cache.get(target);
      const isFree = known === undefined || blockedReason(known, target, { changesState }) === undefined;
      return watch.known && isFree ? undefined : read(target, changesState);
    },
    of: (target) => (watch.known ? (cache.get(target) ?? readHolds(undefined)) : readNow(target)),
    now: (target) => read(target, true),
    stop: () => watch.stop(),
  };
}
