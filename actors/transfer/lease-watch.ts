/**
 * Which runs hold a target, as whoever asks for bytes sees it. Mission Control Service, section 4.1 rule 5; ledger
 *
 *
 * H1. What a run that holds the target asked for is sent as telecommands of that run: under its lease, and behind it no
 *     more (decision 21). The executor, and the gateway at the last moment, look once more.
 * H2. What is written leaves under the lease of the run that uploads, and never without it (MC-UPL-009).
 * H3. A run is over when it is not among the open ones any more: its entry stands from before its first statement until
 *     its targets are given back. While it holds the target it is not over, whatever stands there.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { blockedReason, readHolds, type TargetHolds } from '../../contract/target-holds.ts';
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
export type Leave = { readonly run?: string } | Refused;

interface Refused {
  readonly reason: string;
  /** The run under whose lease alone it may be sent is over (H3). */
  readonly hasEnded?: true;
}

export class LeaseWatch implements Stoppable {
  readonly #held = new Map<string, TargetHolds>();
  readonly #watch: KeptWatch;
  /** Runs that are not over. */
  readonly #open = new Set<string>();
  readonly #runs: KeptWatch;

  constructor(tools: { readonly bus: Bus; readonly clock: Clock; readonly log: Log }) {
    this.#watch = keepWatching(tools, buckets.leases, (target, entry) =>
      this.#held.set(target, readHolds(entry?.value)),
    );
    this.#runs = keepWatching(tools, buckets.openRuns, (key, entry) => {
      const run = key.split('.').at(-1) ?? '';
      if (entry === undefined) this.#open.delete(run);
      else this.#open.add(run);
    });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#watch.stop(), this.#runs.stop()]);
  }

  ask({ target, run, changesState, onlyUnderLease }: Asking): Leave {
    if (!this.#watch.live) return { reason: 'the leases of runs are not known yet' };
    const holds = this.#held.get(target) ?? readHolds(undefined);
    const isHeld = holds.holders.some((holder) => holder.run === run && holder.leaving !== true);
    if (onlyUnderLease && !isHeld && run !== undefined && this.#isOver(run))
      return {
        reason: `run ${run} is over: another upload of the same content continues from here`,
        hasEnded: true,
      };
    const reason = blockedReason(holds, target, { changesState, run: isHeld ? run : undefined });
    if (reason !== undefined) return { reason };
    if (isHeld && run !== undefined) return { run };
    return onlyUnderLease ? { reason: `run ${run ?? 'unknown'} does not hold ${target}` } : {};
  }

  /** H3 */
  #isOver(run: string): boolean {
    return this.#runs.live && !this.#open.has(run);
  }
}
