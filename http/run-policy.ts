/**
 * Who may launch a run, answer it and command it, as its environment says. Mission Control Service, sections 4.2 rules
 * 2, 6 and 7, and 5.4. Roles are no matter of the front end: the executor judges who may confirm what.
 *
 * Y1. Where nobody orchestrates, anybody launches, also without a name.
 * Y2. Answers and commands carry a name everywhere: who has none is refused, with 401 where the environment asks for an
 *     identity and 400 elsewhere.
 * Y3. A run whose environment is no longer configured keeps the policy it was launched under.
 */

import type { Environment } from '../mission/mission.ts';
import type { Caller } from './caller.ts';
import { refuse } from './errors.ts';
import type { Refusal } from './reply.ts';

/** What the front end asks of an environment, or of the program of a run in one that is gone (Y3). */
export type SpeakingPolicy = Pick<Environment, 'name' | 'identity' | 'humanOrchestration'>;

/** Undefined when the caller may launch in the environment; else `api::anonymous` or `auth::jwt-required`, both 401. */
export function launchRefusal(caller: Caller, environment: Environment | undefined): Refusal | undefined {
  // An environment that does not exist is the fault that resolution reports.
  if (environment === undefined || !environment.humanOrchestration) return undefined;
  return caller.kind === 'anonymous' ? anonymous(401) : undeclaredRefusal(caller, environment);
}

/** Undefined when the caller may answer or command a run of the environment; else as Y2, or `auth::jwt-required`. */
export function operatorRefusal(
  caller: Caller,
  environment: SpeakingPolicy | undefined,
): Refusal | undefined {
  if (caller.kind === 'anonymous') return anonymous(environment?.humanOrchestration === true ? 401 : 400);
  return environment === undefined ? undefined : undeclaredRefusal(caller, environment);
}

function anonymous(status: number): Refusal {
  const refusal = refuse('api::anonymous', 'the caller has no name', {
    help: 'Send a bearer token, or the header X-Mcs-User where the environment accepts declared names.',
  });
  return { ...refusal, status };
}

/** Undefined unless the environment accepts verified identities only, and the caller has none. */
export function undeclaredRefusal(caller: Caller, { name, identity }: SpeakingPolicy): Refusal | undefined {
  if (identity === 'declared' || caller.kind === 'verified') return undefined;
  return refuse('auth::jwt-required', `environment ${name} accepts verified identities only`, {
    help: 'Send Authorization: Bearer <token>; a declared name does not count here.',
  });
}
