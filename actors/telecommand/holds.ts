/**
 * Which runs hold which target (bucket `mcs_leases`), as an executor sees it at take-up. Mission Control Service,
 * section 4.1 rule 5. The API has refused what it saw; a run may have taken the target since.
 *
 * B1. The watched holds let a telecommand pass at once; none is refused on them alone: what they would refuse is read
 *     again, because the end of a hold may reach a watch late.
 * B2. What a run sends is judged on the holds of now: a target that it has given back, or that a reaction has just
 *     taken from it, is its own no more (A-71, MC-REACT-017), and a watch would show that late.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import {
  blockingHolders,
  type Holder,
  readHolds,
  type TargetHolds,
  unheldReason,
} from '../../contract/telecommand.ts';
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
  const held = new Map<string, readonly Holder[]>();
  const watch = await bucket.watch('>', (target, entry) => held.set(target, readHolds(entry?.value).holders));
  await watch.ready;

  const read = async (target: string): Promise<TargetHolds> => {
    const holds = readHolds((await bucket.get(target))?.value);
    held.set(target, holds.holders);
    return holds;
  };
  const refusal = async ({ target, changesState, run, position }: Wanted): Promise<string | undefined> => {
    const known = held.get(target) ?? [];
    if (run === undefined && blockingHolders(known, changesState).length === 0) return undefined;
    const holds = await read(target);
    const blocking = blockingHolders(holds.holders, changesState, run);
    if (blocking.length === 0) return reasonOf(holds, { target, run, position });
    return `${target} is held by ${blocking.map((holder) => `run ${holder.run}`).join(', ')}`;
  };
  const unheld: Holds['unheld'] = async (wanted) =>
    wanted.run === undefined ? undefined : reasonOf(await read(wanted.target), wanted);
  return { refusal, unheld, stop: () => watch.stop() };
}

function reasonOf(
  holds: TargetHolds,
  { target, run, position }: Omit<Wanted, 'changesState'>,
): string | undefined {
  return run === undefined ? undefined : unheldReason(holds, target, { run, position });
}
