/**
 * What an environment allows: which procedures, drafts, hazardous telecommands without a plan. Mission Control Service,
 * section 4.2 rule 4, section 5.4 and section 7.4. Who may launch is the front end's to ask.
 *
 * P1. A procedure brings in those it calls: all of them must be allowed.
 */

import type { Fault } from '../../../contract/errors.ts';
import { nearHelp } from '../../../contract/near.ts';
import type { Environment, Mission } from '../../mission.ts';
import { fault } from '../../resolve-link.ts';
import type { Procedure } from '../procedure.ts';
import { calledBy, statementsIn } from './outline.ts';
import { pointer } from './pointer.ts';

/** The fault of an environment the topology does not have. */
export function unknownEnvironment(mission: Mission, name: string): Fault {
  const help = nearHelp(name, mission.environments.keys(), 'environments');
  return fault('run::unknown-environment', `no environment "${name}"`, help, pointer('environment'));
}

/** Faults of procedures that the environment keeps out. */
export function procedureFaults(procedure: Procedure, environment: Environment): Fault[] {
  return calledBy(procedure).flatMap((each) => [
    ...notAllowed(each, environment),
    ...draftNotAllowed(each, environment),
  ]);
}

function notAllowed({ name, allowedIn }: Procedure, environment: Environment): Fault[] {
  if (allowedIn === undefined || allowedIn.includes(environment.name)) return [];
  const message = `procedure ${name} is not allowed in environment ${environment.name}`;
  const help = `it is allowed in ${allowedIn.join(', ')}`;
  return [fault('run::not-allowed', message, help, pointer('environment'))];
}

function draftNotAllowed({ name, draft }: Procedure, environment: Environment): Fault[] {
  if (!draft || environment.drafts) return [];
  const message = `procedure ${name} is a draft, and environment ${environment.name} allows none`;
  const help = 'release it, or run it in an environment with drafts';
  return [fault('run::draft-not-allowed', message, help, pointer('run'))];
}

/**
 * Whether it or one it calls has a `send` of a hazardous telecommand; what a configuration sends depends on the target.
 */
export function sendsHazardous(procedure: Procedure): boolean {
  return calledBy(procedure).some((each) =>
    statementsIn(each).some((statement) => statement.kind === 'send' && statement.telecommand.hazardous),
  );
}

/** The faults of hazardous telecommands outside the plan they need. */
export function hazardFaults(
  { run, plan }: { readonly run: string; readonly plan?: string },
  environment: Environment,
  from: 'api' | 'schedule' | 'reaction',
): Fault[] {
  if (!environment.hazardousRequiresPlan || (plan !== undefined && from === 'schedule')) return [];
  const why = `procedure ${run} sends a hazardous telecommand, and environment ${environment.name} requires a plan`;
  if (plan === undefined) {
    return [fault('run::plan-required', why, 'bind it to a pass with a schedule', pointer('plan'))];
  }
  const message = `${why}: it starts only from a schedule`;
  return [fault('run::must-be-scheduled', message, 'make a schedule of it for that pass', pointer('plan'))];
}

/** The fault of a plan that names no pass. */
export function unknownPass(plan: string): Fault {
  const help = 'give the identifier of a stored pass, or of one of its contributions';
  return fault('run::unknown-pass', `no pass "${plan}"`, help, pointer('plan'));
}
