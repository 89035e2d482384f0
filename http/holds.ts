/**
 * Which runs hold a target, as bucket `mcs_leases` says. Mission Control Service, section 4.1 rule 5. An answer given
 * early and kindly: the executor checks again when it takes the telecommand up (MC-TC-062).
 *
 * H1. The cache may let a telecommand pass that is refused later; it never refuses alone: what it would refuse is read
 *     again from the bus, because removals reach a watch late.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { blockingHolders, type Holder, readHolds } from '../contract/telecommand.ts';
import type { Bus, Entry, Stoppable, Watch } from '../ports/bus.ts';
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

/** Watches the leases from now on; while the watch is not up, each question is a read. */
export function watchHolds(bus: Bus, log: Log): Holds {
  const bucket = bus.bucket(buckets.leases);
  const cache = new Map<string, readonly Holder[]>();
  let live = false;
  let stopped = false;
  let watch: Watch | undefined;

  const changed = (target: string, entry: Entry | undefined): void => {
    const holders = holdersOf(entry);
    if (holders.length === 0) cache.delete(target);
    else cache.set(target, holders);
  };
  const start = async (): Promise<void> => {
    if (watch !== undefined || stopped || !bus.connected) return;
    try {
      watch = await bucket.watch('>', changed);
      if (stopped) return await watch.stop();
      await watch.ready;
      live = true;
    } catch (error) {
      // Until the next return of the bus every question is a read, which is slower and right.
      log.warn({ err: error }, 'leases cannot be watched');
    }
  };
  const offConnection = bus.onConnection((connected) => {
    if (connected) void start();
  });
  void start();

  return {
    against(target, changesState) {
      if (live && blockingHolders(cache.get(target) ?? FREE, changesState).length === 0) return FREE;
      return bucket.get(target).then((entry) => blockingHolders(holdersOf(entry), changesState));
    },
    now: async (target) => holdersOf(await bucket.get(target)),
    async stop() {
      stopped = true;
      offConnection();
      await watch?.stop();
    },
  };
}

function holdersOf(entry: Entry | undefined): readonly Holder[] {
  return readHolds(entry?.value).holders;
}
