/**
 * Which runs hold which target (bucket `mcs_leases`), as an executor sees it at take-up. Mission Control Service,
 * section 4.1 rule 5. The API has refused what it saw; a run may have taken the target since.
 *
 * B1. The watched holds let a telecommand pass at once; none is refused on them alone: what they would refuse is read
 *     again, because the end of a hold may reach a watch late.
 */

import { buckets } from '../../contract/subject.ts';
import { blockingHolders, type Holder, type TargetHolds } from '../../contract/telecommand.ts';
import type { Bus, Entry } from '../../ports/bus.ts';

interface Wanted {
  readonly target: string;
  readonly changesState: boolean;
  /** The run that sends it. */
  readonly run: string | undefined;
}

export interface Holds {
  /** Why a telecommand may not go now, naming every other holder; undefined when it may. Rejects with `Outage`. */
  refusal(wanted: Wanted): Promise<string | undefined>;
  stop(): Promise<void>;
}

/** Follows the holds on all targets; resolves when those of now are known. */
export async function watchHolds(bus: Bus): Promise<Holds> {
  const bucket = bus.bucket(buckets.leases);
  const held = new Map<string, readonly Holder[]>();
  const watch = await bucket.watch('>', (target, entry) => held.set(target, holdersOf(entry)));
  await watch.ready;

  const refusal = async ({ target, changesState, run }: Wanted): Promise<string | undefined> => {
    if (blockingHolders(held.get(target) ?? [], changesState, run).length === 0) return undefined;
    const holders = holdersOf(await bucket.get(target));
    held.set(target, holders);
    const blocking = blockingHolders(holders, changesState, run);
    if (blocking.length === 0) return undefined;
    return `${target} is held by ${blocking.map((holder) => `run ${holder.run}`).join(', ')}`;
  };
  return { refusal, stop: () => watch.stop() };
}

function holdersOf(entry: Entry | undefined): readonly Holder[] {
  return entry === undefined ? [] : (JSON.parse(Buffer.from(entry.value).toString()) as TargetHolds).holders;
}
