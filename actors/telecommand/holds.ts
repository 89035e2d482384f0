/**
 * Which runs hold which target (bucket `mcs_leases`), as an executor sees it at take-up. Mission Control Service,
 * section 4.1 rule 5. The API has refused what it saw; a run may have taken the target since.
 *
 * B1. The watched holds let a telecommand pass at once; none is refused on them alone: what they would refuse is read
 *     again, because a watch may be late.
 * B2. When it is handed over, what a run sends is judged on the holds of now: a target that it has given back, or that
 *     a reaction has just taken from it, is its own no more (A-71, MC-REACT-017), and a watch would show that late.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { blockedReason, readHolds, type TargetHolds, unheldReason } from '../../contract/target-holds.ts';
import type { Bus } from '../../ports/bus.ts';

interface Wanted {
  readonly target: string;
  readonly changesState: boolean;
  /** The run that sends it. */
  readonly run: string | undefined;
  /** Of its submission in TC_COMMANDS. */
  readonly position: number;
}

export interface Holds {
  /** Why a telecommand may not go now, naming every other holder; undefined when it may. Rejects with `Outage`. */
  refusal(wanted: Wanted): Promise<string | undefined>;
  /**
   * Why what a run sends may not leave now; undefined when it may, and for what no run sends. Rejects with `Outage`.
   */
  unheld(wanted: Omit<Wanted, 'changesState'>): Promise<string | undefined>;
  stop(): Promise<void>;
}

/** Follows the holds on all targets; resolves when those of now are known. */
export async function watchHolds(bus: Bus): Promise<Holds> {
  const bucket = bus.bucket(buckets.leases);
  const watched = new Map<string, TargetHolds>();
  const watch = await bucket.watch('>', (target, entry) => watched.set(target, readHolds(entry?.value)));
  await watch.ready;

  const read = async (target: string): Promise<TargetHolds> => {
    const holds = readHolds((await bucket.get(target))?.value);
    watched.set(target, holds);
    return holds;
  };
  const refusal = async (wanted: Wanted): Promise<string | undefined> => {
    const known = watched.get(wanted.target) ?? readHolds(undefined);
    return refusalBy(known, wanted) && refusalBy(await read(wanted.target), wanted);
  };
  const unheld: Holds['unheld'] = async (wanted) =>
    wanted.run === undefined ? undefined : reasonOf(await read(wanted.target), wanted);
  return { refusal, unheld, stop: () => watch.stop() };
}

function refusalBy(holds: TargetHolds, wanted: Wanted): string | undefined {
  const { target, changesState, run } = wanted;
  return blockedReason(holds, target, { changesState, run }) ?? reasonOf(holds, wanted);
}

function reasonOf(
  holds: TargetHolds,
  { target, run, position }: Omit<Wanted, 'changesState'>,
): string | undefined {
  return run === undefined ? undefined : unheldReason(holds, target, { run, position });
}
