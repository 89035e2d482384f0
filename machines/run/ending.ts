/**
 * The end of a run: what it has switched on is switched off, then its last events are logged. Mission Control Service,
 * section 3.2 (last row).
 *
 * R3. Nothing is logged behind `finished`, and it is not logged while a fault of the run is on.
 */

import type { RunFact } from '../../contract/run-event.ts';
import type { RunContext } from './context.ts';
import { Draft } from './draft.ts';
import { faultsAreOff } from './fault.ts';
import { nextOf } from './next.ts';

/** Whether nothing has to be switched off any more before the run is over. */
export function areFaultsOff(context: RunContext, at: number): boolean {
  return faultsAreOff(new Draft(context, at));
}

export function switchOffFaults(draft: Draft): void {
  faultsAreOff(draft);
}

/** The last events up to `finished`; an abort says its own, and nothing else is begun or ended. */
export function logFinished(draft: Draft): void {
  while (draft.progress.standing.kind !== 'over') draft.record(lastFact(draft.context));
}

function lastFact({ abort, program, progress }: RunContext): RunFact {
  if (abort !== null) return { event: 'finished', ok: false, reason: `aborted by ${abort.by}` };
  const next = nextOf(program, progress);
  if (next.kind !== 'fact') throw new Error(`a run that ends is to ${next.kind}`);
  return next.fact;
}
