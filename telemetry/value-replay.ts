/**
 * What a process that starts reads before it follows: the checkpoints of the targets and the position of the value
 * stream from which everything they do not cover comes (T5).
 *
 * Y2. A checkpoint that covers more of its target than the stream has is of a past that is gone: the stream counts.
 * Y1. A target that has been silent since its checkpoint does not hold the position back, however old the checkpoint.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import type { Bus, FollowFrom } from '../ports/bus.ts';
import { type Checkpoint, decodeCheckpoint } from './checkpoint.ts';
import { type Directory, readDirectories } from './files/directory-checkpoint.ts';

export interface ValueReplay {
  readonly checkpoints: ReadonlyMap<string, Checkpoint>;
  /** Of the targets that have one, read behind the checkpoints (directory-checkpoint.D1). */
  readonly directories: ReadonlyMap<string, Directory>;
  readonly from: FollowFrom;
}

/** The checkpoints of the targets and where to follow from. Rejects with `Outage`. */
export async function readCheckpoints(bus: Bus, targets: readonly string[]): Promise<ValueReplay> {
  const checkpoints = new Map<string, Checkpoint>();
  for (const entry of await bus.bucket(buckets.values).list('>')) {
    const checkpoint = targets.includes(entry.key) ? await decodeCheckpoint(entry.value) : undefined;
    if (checkpoint !== undefined) checkpoints.set(entry.key, checkpoint);
  }
  const directories = await readDirectories(bus, new Set(targets));
  const stated = (target: string): number => checkpoints.get(target)?.positions.values ?? 0;
  // Everything up to the highest covered position was stored before the subjects are looked at below, so whatever
  // comes to a target after its look stands behind it.
  const ends = await Promise.all(
    targets.map(async (target) => (await bus.last(streams.values, subject.values(target)))?.seq),
  );
  const end = new Map(targets.map((target, index) => [target, ends[index]]));
  const covered = (target: string): number => Math.min(stated(target), end.get(target) ?? stated(target));
  const highest = Math.max(0, ...targets.map(covered));
  const behind = targets.filter((target) => (end.get(target) ?? 0) > covered(target));
  return {
    checkpoints,
    directories,
    from: { from: 'seq', seq: 1 + Math.min(highest, ...behind.map(covered)) },
  };
}
