/** Suspends a run. Mission Control Service, section 3.2. */

import { alarmOfReaction } from '../../contract/alarm.ts';
import type { Turn } from './turn.ts';

/** Gives the leases back, soon where a reaction waits for them; the run is suspended once they are. */
export function suspend(turn: Turn, by: string): void {
  const soon = alarmOfReaction(by) === undefined ? {} : ({ soon: true } as const);
  turn.become({ kind: 'suspending', by, ticket: turn.askAwaited({ type: 'effect.release', ...soon }) });
}
