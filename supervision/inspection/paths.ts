/**
 * Paths of supervisors: how a person, and the inspector, names the one above a child. `process` is above the roles,
 * `<role>/partitions/<prefix>` above what a role shares out or leads, `<role>/kinds/<kind>` above the cells of a kind.
 */

import type { Kind } from '../cells/kind.ts';
import type { Ownerships } from '../ownership/owned-worker.ts';
import type { Supervisor } from '../supervisor.ts';
import type { Tree } from '../tree.ts';

export const PROCESS_PATH = 'process';

export function partitionsPath(role: string, { prefix }: Ownerships): string {
  return `${role}/partitions/${prefix}`;
}

export function kindPath(role: string, { name }: Kind): string {
  return `${role}/kinds/${name}`;
}

/** Every supervisor of this process, by its path. */
export function supervisorsOf(tree: Tree): Map<string, Supervisor> {
  const below = tree
    .branches()
    .flatMap(({ role, partitions, kinds }): [string, Supervisor][] => [
      ...partitions.map((each): [string, Supervisor] => [partitionsPath(role, each), each.supervisor]),
      ...kinds.map((each): [string, Supervisor] => [kindPath(role, each), each.supervisor]),
    ]);
  return new Map([[PROCESS_PATH, tree.supervisor], ...below]);
}

/** What an operator can do with the quarantined children of one supervisor; each says false when there is none such. */
interface Releasing {
  resume(child: string): boolean;
  reset(child: string, by: string): boolean;
}

/** The supervisor of that path; undefined when this process has none such now. */
export function supervisorAt(tree: Tree, path: string): Releasing | undefined {
  if (path === PROCESS_PATH) return rolesOf(tree);
  for (const { role, partitions, kinds } of tree.branches()) {
    const shared = partitions.find((each) => partitionsPath(role, each) === path);
    const found = shared ?? kinds.find((each) => kindPath(role, each) === path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A role has no record of its own: resumed or reset, it starts again from what the bus knows. */
function rolesOf(tree: Tree): Releasing {
  return { resume: (role) => tree.resume(role), reset: (role) => tree.resume(role) };
}
