/**
 * A run from its log: the state in which a new owner begins. Mission Control Service, sections 2.3 and 3.2. Reading the
 * log is the store's work (`actors/run/`).
 *
 * D1. The log alone restores a run: its progress (`progress.ts`) is all that is taken of it, folded from the beginning
 *     or from what an envelope beside the log has of it, with the same result.
 * D2. A run taken over stands in `recovering` with `effect.recover` pending and says nothing before `recovered`. One
 *     that was only asleep (suspended or waiting for a decision, under the same owner) stands where it stood.
 * D3. A run that is over writes nothing more: what its end asks for is asked again.
 * D4. What the log announces without its end may be submitted yet by an owner that was overtaken: the new one withdraws
 *     it before anything else.
 */

import { newRun } from './beginning.ts';
import type { RunContext } from './context.ts';
import { armedFaults } from './fault.ts';
import { leafAt } from './place.ts';
import { BEFORE, evolve, type Progress } from './progress.ts';
import type { Announced, FoldedRun, RunEffect, RunInput } from './protocol.ts';
import { faultsState, runMachine } from './run.ts';
import { isSendOf, sendsOf } from './sending.ts';

export interface RestoredRun {
  /** As `Envelope.snapshot` has it. */
  readonly snapshot: unknown;
  /** Pending: keyed by the store in this order, `run:<run>:<revision>:<n>`. */
  readonly effects: readonly RunEffect[];
}

export interface RestoreOptions {
  /** The last event has the present epoch, and the run is suspended or waits for a decision. */
  readonly asleep: boolean;
}

/** How far the log has brought the run. */
export function foldRun({ input, events }: FoldedRun): Progress {
  return events.reduce((progress, event) => evolve(input.program, progress, event), BEFORE);
}

/** What a cell of the run is restored with; the log must have begun. */
export function restoredRun(folded: FoldedRun, options: RestoreOptions): RestoredRun & { revision: number } {
  return { ...restoredFrom(folded.input, foldRun(folded), options), revision: folded.events.length };
}

/** The same, of a log that is folded. */
export function restoredFrom(input: RunInput, progress: Progress, { asleep }: RestoreOptions): RestoredRun {
  const state = stateOf(progress, asleep && !isInDoubt(input, progress));
  const context: RunContext = {
    ...newRun(input),
    progress,
    tickets: 1,
    // Under the same owner the leases were kept while a decision was waited for.
    targetsHeld: state === 'waitingDecision',
    suspendWish: progress.standing.kind === 'suspended' ? null : (input.suspendBy ?? null),
    faults: progress.faults,
  };
  const value = { control: VALUE_OF[state], faults: faultsState(context) };
  const snapshot = runMachine.getPersistedSnapshot(runMachine.resolveState({ value, context }));
  return { snapshot, effects: effectsOf(state, context, announcedIn(input, progress)) };
}

function announcedIn({ program }: RunInput, { announced, frames }: Progress): Announced | undefined {
  const leaf = leafAt(program, frames);
  if (announced === null || leaf === undefined) return undefined;
  const { tc, path } = announced;
  const statement = sendsOf(leaf).find((send) => isSendOf(send, announced));
  return statement === undefined ? undefined : { tc, path, statement };
}

type RestoredState = 'releasing' | 'suspended' | 'waitingDecision' | 'recovering';

const VALUE_OF = {
  releasing: { ending: 'releasing' },
  suspended: 'suspended',
  waitingDecision: 'waitingDecision',
  recovering: 'recovering',
} as const satisfies Record<RestoredState, unknown>;

function stateOf({ standing }: Progress, asleep: boolean): RestoredState {
  if (standing.kind === 'over') return 'releasing';
  if (asleep && standing.kind === 'suspended') return 'suspended';
  if (asleep && standing.kind === 'deciding') return 'waitingDecision';
  return 'recovering';
}

/** A suspension had begun: nobody knows whether the leases are still there. */
function isInDoubt({ suspendBy }: RunInput, { standing }: Progress): boolean {
  return suspendBy !== undefined && standing.kind === 'deciding';
}

function effectsOf(state: RestoredState, context: RunContext, announced: Announced | undefined): RunEffect[] {
  switch (state) {
    case 'releasing':
      return [{ type: 'effect.release', ticket: 1 }, { type: 'effect.archive' }];
    case 'recovering':
      return [{ type: 'effect.recover', ...(announced !== undefined && { announced }) }];
    default:
      return armedFaults(context);
  }
}
