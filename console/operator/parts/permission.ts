/**
 * What the caller may not do, in words for the button that does it. Pure. Mission Control Service, sections 4.2 rules
 * 2, 6 and 7, and 5.4.
 *
 * P1. It is said before the button is pressed, and the button stays one that can be pressed: what is known here may be
 *     old, and the service has the last word.
 */

import type { WhoAmI } from '../../../contract/auth.ts';
import type { MissionView } from '../../../contract/mission-view.ts';

type Environment = MissionView['environments'][number];

/** Whatever is said in somebody's name; empty where nothing is missing, or nothing is known. */
export function needsName(caller: WhoAmI | undefined): string {
  return caller?.identity === 'anonymous' ? 'needs your name' : '';
}

export function needsRole(caller: WhoAmI | undefined, role: string | undefined): string {
  if (caller === undefined || role === undefined || caller.roles.includes(role)) return '';
  return `needs role ${role}`;
}

/** To answer or command a run of the environment. */
export function needsIdentity(caller: WhoAmI | undefined, environment: Environment | undefined): string {
  const isVerified = caller?.identity === 'verified';
  if (caller !== undefined && environment?.identity === 'jwt' && !isVerified) return 'needs a sign-in';
  return needsName(caller);
}

/** To launch a run in the environment: where nobody orchestrates, anybody may. */
export function needsForLaunch(caller: WhoAmI | undefined, environment: Environment | undefined): string {
  return environment?.human_orchestration === true ? needsIdentity(caller, environment) : '';
}
