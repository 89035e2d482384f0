/**
 * Faults of simulated targets that a run switches: whose, and when. Mission Control Service, section 2.3 (FaultRequest,
 * Trigger) and section 7.4. Whether the simulation knows the fault is the simulation's to say.
 *
 * F1. A trigger names a step or call by its path, or by its own name where only one has it.
 * F2. `at` absent is the start of the run, `after` absent no delay, `off` absent or null the end of the run.
 * F4. The gateway is the one that serves the link as the run begins: of a run with a plan during its pass, of another
 *     one by the passes in progress.
 * F3. Only a simulated gateway that serves the default link of the target can switch a fault, and never in orbit.
 */

import type { Fault } from '../../../contract/errors.ts';
import { nearHelp } from '../../../contract/near.ts';
import type { ProgramFault, ProgramTrigger } from '../../../contract/program.ts';
import type { FaultRequest, Trigger } from '../../../contract/run.ts';
import type { Environment, Gateway, Mission } from '../../mission.ts';
import { type OverStation, servingDuring } from '../../pass/serving-gateway.ts';
import { parseDuration } from '../../quantity.ts';
import { fault } from '../../resolve-link.ts';
import { pointer } from './pointer.ts';
import type { RoleTarget } from './target.ts';

export interface FaultSite {
  readonly mission: Mission;
  readonly environment: Environment | undefined;
  /** The passes of a target during which the run begins (F4). */
  readonly passesOf: (target: string) => readonly OverStation[];
  /** Roles the request gives a target, sound or not. */
  readonly given: readonly string[];
  /** Roles of the procedure; undefined when it is unknown. */
  readonly roles: readonly string[] | undefined;
  readonly targets: ReadonlyMap<string, RoleTarget>;
  /** Paths of all steps; undefined when the procedure is unknown. */
  readonly steps: readonly string[] | undefined;
}

export interface ResolvedFaults {
  readonly resolved: readonly ProgramFault[];
  readonly faults: readonly Fault[];
}

/** The faults to switch; refuses another role, an unknown step, a malformed duration, and what is not simulated. */
export function resolveSimulatedFaults(requests: readonly FaultRequest[], site: FaultSite): ResolvedFaults {
  const faults: Fault[] = [];
  const resolved = requests.flatMap((request, index) => {
    const place = ['faults', index] as const;
    const at = resolveTrigger(request.at ?? {}, [...place, 'at'], site, faults);
    const off = request.off == null ? null : resolveTrigger(request.off, [...place, 'off'], site, faults);
    faults.push(...roleFaults(request.target, [...place, 'target'], site));
    const gateway = simulatedGateway(request.target, [...place], site, faults);
    const target = site.targets.get(request.target)?.target.name;
    if (at === undefined || off === undefined || gateway === undefined || target === undefined) return [];
    return [{ target, gateway: gateway.name, fault: request.fault, at, off }];
  });
  return { resolved, faults };
}

type Place = readonly (string | number)[];

function roleFaults(role: string, place: Place, { given, roles }: FaultSite): Fault[] {
  if (given.includes(role) || roles?.includes(role)) return [];
  const help = nearHelp(role, given, 'roles', 'give targets');
  return [fault('run::fault-target', `"${role}" is not a role of targets`, help, pointer(...place))];
}

/**
 * The gateway that switches the fault; undefined when it cannot be determined, or is reported for not being simulated.
 */
function simulatedGateway(
  role: string,
  place: Place,
  { mission, environment, passesOf, targets }: FaultSite,
  faults: Fault[],
): Gateway | undefined {
  if (environment === undefined) return undefined;
  const code = 'run::fault-not-simulated';
  if (environment.kind === 'in_orbit') {
    const message = `environment ${environment.name} is in orbit: no fault can be switched`;
    faults.push(
      fault(code, message, 'leave faults out, or run it in a simulated environment', pointer(...place)),
    );
    return undefined;
  }
  const target = targets.get(role)?.target;
  const link = target?.links.get(target.defaultLink);
  if (target === undefined || link === undefined || !target.environments.includes(environment.name))
    return undefined;
  const served = { target, link, environment: environment.name };
  const { gateway } = servingDuring(mission, served, passesOf(target.name));
  if (gateway?.kind === 'simulated') return gateway;
  const through =
    gateway === undefined ? 'through no gateway' : `through ${gateway.name}, which is not simulated`;
  const message = `target ${target.name} is reached ${through} in ${environment.name}`;
  faults.push(fault(code, message, 'give a target behind a simulated gateway', pointer(...place)));
  return undefined;
}

function resolveTrigger(
  { step, after }: Trigger,
  place: Place,
  site: FaultSite,
  faults: Fault[],
): ProgramTrigger | undefined {
  const delay = after === undefined ? { ok: true as const, value: 0 } : parseDuration(after);
  if (!delay.ok) {
    const [{ message, help }] = delay.faults;
    faults.push(fault('run::invalid-input', `after: ${message}`, help, pointer(...place, 'after')));
  }
  const path = step === undefined ? undefined : stepPath(step, [...place, 'step'], site, faults);
  if (!delay.ok || (step !== undefined && path === undefined)) return undefined;
  return { ...(path !== undefined && { step: path }), afterMs: delay.value };
}

function stepPath(step: string, place: Place, { steps }: FaultSite, faults: Fault[]): string | undefined {
  if (steps === undefined || steps.includes(step)) return steps && step;
  const named = steps.filter((path) => path.endsWith(`/${step}`));
  if (named.length === 1) return named[0];
  const known = named.length === 0;
  const message = known ? `the procedure has no step "${step}"` : `several steps are called "${step}"`;
  const help = known ? nearHelp(step, steps, 'steps') : `write ${named.join(' or ')}`;
  faults.push(fault('run::fault-step', message, help, pointer(...place)));
  return undefined;
}
