/**
 * Which target, link and environment a request means. Mission Control Service, section
 * 2.1 (fields `target`, `link`, `environment`) and section 4.1.
 *
 * R1. An unknown target is the only fault said: nothing else can be looked up without it.
 * R2. An environment is needed only where it makes a difference: the link has parameters by environment and the target
 *     is engaged in several.
 */

import type { ErrorCode, Fault } from '../contract/errors.ts';
import { nearHelp } from '../contract/near.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import type { Link, Mission, Target } from './mission.ts';

export interface LinkRequest {
  readonly target: string;
  readonly link?: string | undefined;
  readonly environment?: string | undefined;
}

export interface ResolvedLink {
  readonly target: Target;
  readonly link: Link;
  /** The one given, or the only one where the link has parameters by environment. */
  readonly environment?: string;
}

/** The target; refuses an unknown one with the code of the route. */
export function resolveTarget(mission: Mission, name: string, code: ErrorCode): Result<Target, Fault> {
  const target = mission.targets.get(name);
  if (target !== undefined) return accepted(target);
  return refused(
    fault(code, `no target "${name}"`, nearHelp(name, mission.targets.keys(), 'targets'), '/target'),
  );
}

/** The named link, or the default one. */
export function linkOf(
  target: Target,
  { link: name }: LinkRequest,
  code: ErrorCode,
): { readonly link: Link | undefined; readonly faults: readonly Fault[] } {
  const link = target.links.get(name ?? target.defaultLink);
  if (link !== undefined) return { link, faults: [] };
  const message = `target ${target.name} has no link "${name}"`;
  return {
    link,
    faults: [fault(code, message, nearHelp(name ?? '', target.links.keys(), 'links'), '/link')],
  };
}

/** The fault of an environment the target is not engaged in. */
export function environmentFaults(
  target: Target,
  { environment }: LinkRequest,
  code: ErrorCode,
): readonly Fault[] {
  if (environment === undefined || target.environments.includes(environment)) return [];
  const message = `target ${target.name} is not engaged in environment "${environment}"`;
  return [fault(code, message, nearHelp(environment, target.environments, 'environments'), '/environment')];
}

export function resolvedLink(target: Target, link: Link, environment: string | undefined): ResolvedLink {
  const [only, second] = target.environments;
  const implied = link.byEnvironment && second === undefined ? only : undefined;
  const chosen = environment ?? implied;
  return { target, link, ...(chosen !== undefined && { environment: chosen }) };
}

/** A fault with its help and its place in the request. */
export function fault(code: ErrorCode, message: string, help: string | undefined, path: string): Fault {
  return { code, message, ...(help !== undefined && { help }), path };
}
