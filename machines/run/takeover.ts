/**
 * What a run does when another executor takes it up in the middle of a step: it begins the step again, or a person is
 * asked. Mission Control Service, section 3.2 (executor restarts after a state-changing telecommand).
 */

import type { Standing } from './standing.ts';

/** The step in progress: how deep it is open, and whether a telecommand that changes the state was sent in it. */
interface OpenStep {
  readonly depth: number;
  readonly hasChanged: boolean;
}

/** MC-STM-005 MC-STM-028 */
export function standingAfterTakeover(by: string, { depth, hasChanged }: OpenStep): Standing {
  const reason = `taken over by ${by}`;
  if (hasChanged) return { kind: 'doubt', reason: `${reason} after a telecommand that changes the state` };
  return { kind: 'verdict', choice: 'replay', depth, reason };
}
