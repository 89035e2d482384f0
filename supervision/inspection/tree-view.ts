/**
 * The supervision tree of this process as the inspector shows it: health, recent crashes and quarantine at every level.
 */

import type {
  ChildView,
  DeadLetterView,
  KindView,
  PartitionView,
  ProcessView,
  RoleView,
} from '../../contract/inspection.ts';
import { INSPECT_DEAD_LETTERS, INSPECT_LISTED } from '../../contract/limits/inspect.ts';
import type { DeadLetter, DeadLetters } from '../cells/dead-letters.ts';
import type { Kind } from '../cells/kind.ts';
import type { OwnedWork, Ownerships } from '../ownership/owned-worker.ts';
import type { Branch, Tree } from '../tree.ts';
import { kindPath, PROCESS_PATH, partitionsPath } from './paths.ts';
import { readableText } from './readable.ts';

interface Shown {
  readonly instance: string;
  readonly startedAt: number;
  readonly now: number;
  readonly tree: Tree;
  readonly deadLetters: DeadLetters;
  readonly lostUntil?: number | undefined;
}

export function processView({ instance, startedAt, now, tree, deadLetters, lostUntil }: Shown): ProcessView {
  const newest = deadLetters.shown.slice(-INSPECT_DEAD_LETTERS).reverse();
  return {
    instance,
    startedAt,
    at: now,
    draining: tree.draining,
    supervisor: PROCESS_PATH,
    roles: tree.branches().map(roleView),
    ...(lostUntil !== undefined && { lostUntil }),
    deadLetters: { count: deadLetters.count, newest: newest.map(letterView) },
  };
}

function roleView({ role, state, crashes, reason, partitions, kinds }: Branch): RoleView {
  return {
    ...childView(role, state, crashes, reason),
    partitions: partitions.map((each) => sharedView(role, each)),
    kinds: kinds.map((kind) => kindView(role, kind)),
  };
}

function sharedView(role: string, partitions: Ownerships): RoleView['partitions'][number] {
  return {
    prefix: partitions.prefix,
    supervisor: partitionsPath(role, partitions),
    owned: partitions.owned().map(partitionView),
  };
}

function partitionView({ name, epoch, state, crashes, reason }: OwnedWork): PartitionView {
  return { ...childView(name, state, crashes, reason), epoch };
}

function kindView(role: string, kind: Kind): KindView {
  return {
    kind: kind.name,
    chartVersion: kind.binding.version,
    live: kind.live,
    loading: kind.absent,
    supervisor: kindPath(role, kind),
    trouble: troubleOf(kind),
  };
}

/** The quarantined first: a person has to do something about them. */
function troubleOf(kind: Kind): ChildView[] {
  const views = Object.entries(kind.trouble()).map(([id, { quarantined, reason }]) => {
    const state = quarantined ? 'quarantined' : kind.look(id)?.status === 'live' ? 'running' : 'restarting';
    return childView(id, state, kind.crashes(id), reason);
  });
  const rank = (view: ChildView): number => (view.state === 'quarantined' ? 0 : 1);
  return views.sort((a, b) => rank(a) - rank(b)).slice(0, INSPECT_LISTED);
}

function childView(
  name: string,
  state: ChildView['state'],
  crashes: number,
  reason: string | undefined,
): ChildView {
  return { name, state, crashes, ...(reason !== undefined && { reason: readableText(reason) }) };
}

function letterView({ kind, id, at, event, error }: DeadLetter): DeadLetterView {
  return { kind, id, at, event: event.type, error: readableText(error) };
}
