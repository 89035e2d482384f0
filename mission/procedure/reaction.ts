/**
 * The run of an alarm: which procedure it is, in which role and with which input. Mission Control Service, section 4.4
 * reaction rules 2 and 3. That the procedure fits is checked when the mission is compiled
 * (`mission/check/reaction.ts`).
 *
 * R1. The one role is the target of the alarm, the one input its instance.
 * R2. A procedure that several libraries have is that of the only one whose role is the very platform of the alarm.
 */

import { type AlarmName, alarmKey } from '../../contract/alarm-name.ts';
import type { Fault } from '../../contract/errors.ts';
import { type Result, refused } from '../../contract/result.ts';
import type { RunRequest } from '../../contract/run.ts';
import type { Mission, Target } from '../mission.ts';
import { fault } from '../resolve-link.ts';
import type { Library, Procedure } from './procedure.ts';
import { type ResolvedRun, resolveRun } from './resolve-run.ts';

interface WantedReaction {
  readonly alarm: AlarmName;
  readonly procedure: string;
  /** Undefined: the last one declared for the target (MC-REACT-011). */
  readonly environment: string | undefined;
}

const NOTHING_STORED = { uploads: new Set<string>(), passes: { find: () => undefined } };

/** The libraries whose procedure of that name a reaction may mean: several when it is ambiguous (R2). */
export function reactionLibraries(
  libraries: ReadonlyMap<string, Library>,
  procedure: string,
  platformId: string,
): readonly Library[] {
  const all = [...libraries.values()].filter(({ procedures }) => procedures.has(procedure));
  const fitting = all.filter((each) => isFor(each.procedures.get(procedure), platformId));
  return fitting.length === 1 ? fitting : all;
}

/** The program of a reaction; refuses as a launch does. */
export function resolveReaction(
  mission: Mission,
  { alarm, procedure, environment }: WantedReaction,
): Result<ResolvedRun, Fault> {
  const target = mission.targets.get(alarm.target);
  const where = environment ?? (target && lastEnvironment(mission, target));
  if (target === undefined || where === undefined) {
    const message = `no target "${alarm.target}", of which alarm ${alarmKey(alarm)} is`;
    return refused(fault('run::unknown-target', message, 'declare it in the topology', '/targets'));
  }
  const libraries = reactionLibraries(mission.libraries, procedure, target.platformId);
  const [library] = libraries;
  const request = { run: procedure, environment: where, targets: {} };
  if (library === undefined || libraries.length > 1)
    return resolveRun(mission, request, NOTHING_STORED, { from: 'reaction' });
  const given = givenTo(library.procedures.get(procedure), alarm);
  return resolveRun(mission, { ...request, library: library.id, ...given }, NOTHING_STORED, {
    from: 'reaction',
  });
}

/** R1 */
function givenTo(
  procedure: Procedure | undefined,
  { target, component, instance }: AlarmName,
): Pick<RunRequest, 'targets' | 'inputs'> {
  const roles = [...(procedure?.roles.keys() ?? [])];
  const input = [...(procedure?.inputs.values() ?? [])].find(
    ({ type }) => type.type === 'instance' && type.of === component,
  );
  return {
    targets: Object.fromEntries(roles.map((role) => [role, target])),
    ...(input !== undefined && instance !== undefined && { inputs: { [input.name]: instance } }),
  };
}

/** The last one in the order of the topology that the target is engaged in (MC-REACT-011, MC-SCH-008). */
export function lastEnvironment(
  mission: Pick<Mission, 'environments'>,
  { environments }: Pick<Target, 'environments'>,
): string | undefined {
  return [...mission.environments.keys()].findLast((name) => environments.includes(name));
}

function isFor(procedure: Procedure | undefined, platformId: string): boolean {
  const [role, ...more] = procedure?.roles.values() ?? [];
  return more.length === 0 && role?.platformId === platformId;
}
