/**
 * The target of each role. Mission Control Service, section 2.3 (field `targets`), section 7.4 and section 9 item 5:
 * versions are part of resolution.
 *
 * T1. Exactly one target for each role; one target may have several roles.
 * T2. A target is taken only if it has the very platform the procedure was compiled against.
 */

import type { Fault } from '../../../contract/errors.ts';
import { nearHelp } from '../../../contract/near.ts';
import type { Environment, Mission, Target } from '../../mission.ts';
import { fault } from '../../resolve-link.ts';
import type { Library, Role } from '../procedure.ts';
import type { FoundProcedure } from './find-procedure.ts';
import { pointer } from './pointer.ts';

/** A target in a role, with where the request names it. */
export interface RoleTarget {
  readonly target: Target;
  readonly at: string;
}

export interface ResolvedTargets {
  /** Those that hold. */
  readonly targets: ReadonlyMap<string, RoleTarget>;
  readonly faults: readonly Fault[];
}

interface TargetSite {
  readonly mission: Mission;
  /** Undefined when it is unknown. */
  readonly environment: Environment | undefined;
}

/** The targets of the request, and what does not hold: left out, too many, unknown, of another platform, elsewhere. */
export function resolveTargets(
  given: Readonly<Record<string, string>>,
  { library, procedure }: FoundProcedure,
  site: TargetSite,
): ResolvedTargets {
  const targets = new Map<string, RoleTarget>();
  const faults: Fault[] = [];
  for (const [role, wanted] of procedure.roles) {
    const name = Object.hasOwn(given, role) ? given[role] : undefined;
    const at = pointer('targets', role);
    const known = name === undefined ? undefined : knownTarget(name, at, site);
    const found = known?.target === undefined ? [] : platformFaults(known.target, wanted, library, at);
    if (name === undefined) faults.push(missingTarget(role, wanted, site.mission));
    faults.push(...(known?.faults ?? []), ...found);
    if (known?.target !== undefined && found.length === 0) targets.set(role, { target: known.target, at });
  }
  return {
    targets,
    faults: [...faults, ...unexpectedTargets(given, procedure.name, [...procedure.roles.keys()])],
  };
}

/** Faults of targets that can be determined without the procedure. */
export function targetFaults(given: Readonly<Record<string, string>>, site: TargetSite): Fault[] {
  return Object.entries(given).flatMap(
    ([role, name]) => knownTarget(name, pointer('targets', role), site).faults,
  );
}

function knownTarget(
  name: string,
  at: string,
  { mission, environment }: TargetSite,
): { readonly target: Target | undefined; readonly faults: Fault[] } {
  const target = mission.targets.get(name);
  if (target === undefined) {
    const help = nearHelp(name, mission.targets.keys(), 'targets');
    return { target, faults: [fault('run::unknown-target', `no target "${name}"`, help, at)] };
  }
  if (environment === undefined || target.environments.includes(environment.name))
    return { target, faults: [] };
  const message = `target ${name} is not engaged in environment ${environment.name}`;
  const help = `it is engaged in ${target.environments.join(', ')}`;
  return { target, faults: [fault('run::target-not-in-environment', message, help, at)] };
}

/** The fault of a target whose platform is not the one a role of the library was compiled against. */
export function platformFaults(target: Target, role: Role, library: Library, at: string): Fault[] {
  if (!library.imports.includes(role.platformId)) {
    const message = `library ${library.id} uses platform ${role.platformId} and does not import it`;
    return [fault('run::not-imported', message, `add ${role.platformId} to its imports`, pointer('run'))];
  }
  if (target.platformId === role.platformId) return [];
  const [name] = target.platformId.split('@');
  const message = `target ${target.name} is a ${target.platformId}, and the role needs a ${role.platformId}`;
  if (name !== role.platform) {
    return [fault('run::wrong-platform', message, `give a target of platform ${role.platform}`, at)];
  }
  const help = `compile library ${library.name} against ${target.platformId}, or give another target`;
  return [fault('run::catalogue-version', message, help, at)];
}

function missingTarget(role: string, { platform, platformId }: Role, mission: Mission): Fault {
  const fitting = [...mission.targets.values()].filter((each) => each.platformId === platformId);
  const names = fitting.map(({ name }) => name).join(' or ');
  const help = names === '' ? `there is no target of ${platformId}` : `give ${names}`;
  const message = `role ${role} has no target; it is a ${platform}`;
  return fault('run::missing-target', message, help, pointer('targets'));
}

function unexpectedTargets(
  given: Readonly<Record<string, string>>,
  procedure: string,
  roles: readonly string[],
): Fault[] {
  return Object.keys(given)
    .filter((role) => !roles.includes(role))
    .map((role) => {
      const message = `procedure ${procedure} has no role "${role}"`;
      return fault(
        'run::unexpected-target',
        message,
        nearHelp(role, roles, 'roles'),
        pointer('targets', role),
      );
    });
}
