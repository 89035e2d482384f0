/** Why a telecommand may not go at all, before anybody is asked. Mission Control Service, sections 3.1 and 4.1. */

import { TC_MAX_AGE_MS } from '../../contract/limits/telecommand.ts';
import type { NeededHold } from '../../contract/target-holds.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Holds } from './holds.ts';
import type { Work } from './work.ts';

/** Why there is no definition of a telecommand. */
export const UNDEFINED =
  'the configuration it was resolved with is not stored any more, or does not define it';

/** As of now; undefined when it may. */
export async function refusalOf(
  work: Work,
  { clock, holds }: { readonly clock: Clock; readonly holds: Holds },
): Promise<string | undefined> {
  const { submission, submittedAt, definition } = work;
  if (submission.withdrawn !== undefined) return submission.withdrawn;
  const age = clock.now() - submittedAt;
  const allowedMs = maxAgeMs({ definition });
  if (age > allowedMs) {
    return `submitted ${Math.round(age / 1000)} s ago, at most ${allowedMs / 1000} s is allowed`;
  }
  if (definition === undefined) return UNDEFINED;
  return holds.refusal({ ...sentBy(work), changesState: definition.telecommand.changesState });
}

export function sentBy({ submission: { target, run }, seq }: Work): Parameters<Holds['unheld']>[0] {
  return { target, run, position: seq };
}

export function holdOf({ submission: { run }, seq }: Work): NeededHold | undefined {
  return run === undefined ? undefined : { run, position: seq };
}

/** How old a submission may be when it leaves (MC-TC-059). */
export function maxAgeMs({ definition }: Pick<Work, 'definition'>): number {
  return definition?.mission.settings.maxSubmissionAgeMs ?? TC_MAX_AGE_MS;
}
