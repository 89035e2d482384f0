/**
 * Which runs hold a target, as whoever asks for bytes sees it. Mission Control Service, section 4.1 rule 5; ledger
 *
 *
 * H1. What a run that holds the target asked for is sent as telecommands of that run: under its lease, and behind it no
 *     more (decision 21). The executor, and the gateway at the last moment, look once more.
 * H2. What is written leaves under the lease of the run that uploads, and never without it (MC-UPL-009).
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { blockingHolders, type Holder, readHolds } from '../../contract/telecommand.ts';
import { type KeptWatch, keepWatching } from '../../messaging/kept-watch.ts';
import type { Bus, Stoppable } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

interface Asking {
  readonly target: string;
  /** Who asked for the transfer, where that is a run. */
  readonly run: string | undefined;
  readonly changesState: boolean;
  /** Only under the lease of that run (H2). */
  readonly onlyUnderLease: boolean;
}

/** May be sent, by the run where it is under its lease; or not, and why. */
export type Leave = { readonly run?: string } | { readonly reason: string };

export class LeaseWatch implements Stoppable {
  readonly #held = new Map<string, readonly Holder[]>();
  readonly #watch: KeptWatch;

  constructor(tools: { readonly bus: Bus; readonly clock: Clock; readonly log: Log }) {
    this.#watch = keepWatching(tools, buckets.leases, (target, entry) =>
      this.#held.set(target, readHolds(entry?.value).holders),
    );
  }

  stop(): Promise<void> {
    return this.#watch.stop();
  }

  ask({ target, run, changesState, onlyUnderLease }: Asking): Leave {
    if (!this.#watch.live) return { reason: 'the leases of runs are not known yet' };
    const holders = this.#held.get(target) ?? [];
    const isHeld = holders.some((holder) => holder.run === run && holder.leaving !== true);
    const blocking = blockingHolders(holders, changesState, isHeld ? run : undefined);
    if (blocking.length > 0) return { reason: `${target} is held by ${blocking.map(inWords).join(', ')}` };
    if (isHeld && run !== undefined) return { run };
    return onlyUnderLease ? { reason: `run ${run ?? 'unknown'} does not hold ${target}` } : {};
  }
}

function inWords({ run }: Holder): string {
  return `run ${run}`;
}
