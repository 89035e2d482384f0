/**
 * What the bench keeps of its radio: the applies, what is applied now, and whether bytes were proven to come through.
 * RF Bench Service, section 4, rule 4.
 *
 * F1. The chart and the command under way fold the same facts by the same function, so that they cannot differ.
 * F2. A manual change, by whatever tool, and an apply take the proof away: it was made under another configuration. A
 *     measurement during which there was one proves nothing.
 */

import type { ChainTarget } from '../../contract/bench/chain.ts';
import type { MeasureVerdict } from '../../contract/bench/datapath.ts';
import type { Profile } from '../../contract/bench/profile.ts';
import { BENCH_REVISIONS_IN_ALL, BENCH_REVISIONS_KEPT } from '../../contract/limits/bench.ts';

/** One apply of a profile. */
export interface Revision {
  readonly version: number;
  readonly epoch: number;
  /** ms since 1970 */
  readonly at: number;
  readonly by: string;
  readonly message: string;
}

export interface Applied {
  readonly profile: Profile;
  /** Of the data port, where another was asked for than the one that is planned. */
  readonly sampleRateSps: number | undefined;
  /** Route of the change by hand that landed since, or what was read where another tool made it. */
  readonly dirtyReason: string | undefined;
}

export interface RadioRecord {
  /** Count of the applies. */
  readonly epoch: number;
  /** By profile, oldest first. */
  readonly revisions: Readonly<Record<string, readonly Revision[]>>;
  /** Undefined where it is not known what the board is set to. */
  readonly applied: Applied | undefined;
  readonly proof: { readonly target: ChainTarget; readonly verdict: MeasureVerdict } | undefined;
  /** Count of what changed the configuration; absent in records of before there was one. */
  readonly changes?: number;
}

export type RadioFact =
  | {
      readonly type: 'profile.applied';
      readonly profile: Profile;
      readonly sampleRateSps?: number;
      readonly by: string;
      readonly message: string;
    }
  /** Something was set by hand: the route that did it. */
  | { readonly type: 'manual.changed'; readonly route: string }
  /** Something was set by another tool: what was read. The first change since the apply is the one that is kept. */
  | { readonly type: 'board.differs'; readonly what: string }
  /** Everything is again as the profile asks. */
  | { readonly type: 'chain.conditioned' }
  | {
      readonly type: 'link.measured';
      readonly target: ChainTarget;
      readonly verdict: MeasureVerdict;
      /** Of the record when it began. */
      readonly changes: number;
    };

export const NOTHING_APPLIED: RadioRecord = {
  epoch: 0,
  revisions: {},
  applied: undefined,
  proof: undefined,
};

/** The record behind a fact of a time. */
export function afterFact(record: RadioRecord, fact: RadioFact, at: number): RadioRecord {
  const { applied } = record;
  switch (fact.type) {
    case 'profile.applied':
      return afterApply(record, fact, at);
    case 'manual.changed':
      return {
        ...record,
        proof: undefined,
        changes: changesOf(record) + 1,
        applied: applied && { ...applied, dirtyReason: fact.route },
      };
    case 'board.differs':
      if (applied === undefined || applied.dirtyReason !== undefined) return record;
      return afterFact(record, { type: 'manual.changed', route: fact.what }, at);
    case 'chain.conditioned':
      return { ...record, applied: applied && { ...applied, dirtyReason: undefined } };
    case 'link.measured':
      if (fact.changes !== changesOf(record)) return record;
      return { ...record, proof: { target: fact.target, verdict: fact.verdict } };
  }
}

export function changesOf({ changes = 0 }: RadioRecord): number {
  return changes;
}

/** What is left where nobody knows any more what the board is set to. */
export function afterLoss(record: RadioRecord): RadioRecord {
  return { ...record, applied: undefined, proof: undefined };
}

type ApplyFact = Extract<RadioFact, { type: 'profile.applied' }>;

function afterApply(record: RadioRecord, fact: ApplyFact, at: number): RadioRecord {
  const { profile, by, message } = fact;
  const epoch = record.epoch + 1;
  const before = record.revisions[profile.name] ?? [];
  const revision = { version: (before.at(-1)?.version ?? 0) + 1, epoch, at, by, message };
  const kept = [...before, revision].slice(-BENCH_REVISIONS_KEPT);
  return {
    epoch,
    revisions: withinBound({ ...record.revisions, [profile.name]: kept }),
    applied: { profile, sampleRateSps: fact.sampleRateSps, dirtyReason: undefined },
    proof: undefined,
    changes: changesOf(record) + 1,
  };
}

/** Drops the oldest of all where there are too many. */
function withinBound(revisions: RadioRecord['revisions']): RadioRecord['revisions'] {
  const epochs = Object.values(revisions).flatMap((list) => list.map(({ epoch }) => epoch));
  if (epochs.length <= BENCH_REVISIONS_IN_ALL) return revisions;
  const oldest = epochs.toSorted((a, b) => b - a)[BENCH_REVISIONS_IN_ALL - 1]!;
  const entries = Object.entries(revisions).map(
    ([name, list]) => [name, list.filter(({ epoch }) => epoch >= oldest)] as const,
  );
  return Object.fromEntries(entries.filter(([, list]) => list.length > 0));
}
