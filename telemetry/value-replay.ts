/**
 * What a process that starts reads before it follows: the checkpoints of the targets and the position of the value
 * stream from which everything they do not cover comes (T5).
 *
 * Y1. A target that has been silent since its checkpoint does not hold the position back, however old the checkpoint.
 */

import { buckets, streams, subject } from '../contract/subject.ts';
import type { Bus, FollowFrom } from '../ports/bus.ts';
import { type Checkpoint, decodeCheckpoint } from './checkpoint.ts';

export interface ValueReplay {
  readonly checkpoints: ReadonlyMap<string, Checkpoint>;
  readonly from: FollowFrom;
}

/** The checkpoints of the targets and where to follow from. Rejects with `Outage`. */
export async function readCheckpoints(bus: Bus, targets: readonly string[]): Promise<ValueReplay> {
  const checkpoints = new Map<string, Checkpoint>();
  for (const entry of await bus.bucket(buckets.values).list('>')) {
    const checkpoint = targets.includes(entry.key) ? await decodeCheckpoint(entry.value) : undefined;
    if (checkpoint !== undefined) checkpoints.set(entry.key, checkpoint);
  }
  const covered = (target: string): number => checkpoints.get(target)?.positions.values ?? 0;
  // Everything up to the highest covered position was stored before the subjects are looked at below, so whatever
  // comes to a target after its look stands behind it.
  const highest = Math.max(0, ...targets.map(covered));
  const last = await Promise.all(targets.map((target) => bus.last(streams.values, subject.values(target))));
  const behind = targets.filter((target, index) => (last[index]?.seq ?? 0) > covered(target));
  return { checkpoints, from: { from: 'seq', seq: 1 + Math.min(highest, ...behind.map(covered)) } };
}
