/**
 * What people ask of a run: suspension, resumption, abort; and the leases that are taken and given back for it. Mission
 * Control Service, sections 3.2 and 4.2 rule 7. What is done with a command in which state is the chart's to say:
 * `run.ts`.
 *
 * M1. Every command is answered exactly once: a suspension at once, a resumption when its leases are retaken, an abort
 *     when `finished` is stored.
 * M2. While leases are being taken or given back nothing else is done with them: what is asked meanwhile is done behind
 *     it.
 * M3. A telecommand that is under way when its run is interrupted goes on by itself, and has left or never will when
 *     the run is suspended or over; where its gateway does not confirm that, the log says so first.
 * M4. A resumption ends the suspension that stood when it was asked for, never a later one: it may be asked again.
 */

import { alarmOfReaction } from '../../contract/alarm-name.ts';
import { CHOICES, isChoice } from '../../contract/run.ts';
import type { RunContext } from './context.ts';
import type { Draft } from './draft.ts';
import { armedFaults } from './fault.ts';
import { whereabouts } from './next.ts';
import type { RunChartEvent, RunCommand } from './protocol.ts';
import { isToLookBack, logUploads } from './uploads.ts';

type Reply<Type extends RunChartEvent['type']> = Extract<RunChartEvent, { type: Type }>;
type Resumption = Reply<'command.resume'>;

// Commands ------------------------------------------------------------------------------------------------------------

/** It takes place by and by; whoever asked first is named. */
export function acceptSuspension(draft: Draft, { request, by }: RunCommand): void {
  draft.accept(request);
  draft.change({ suspendWish: draft.context.suspendWish ?? by });
}

export function keepAbort(draft: Draft, { request, by }: RunCommand): void {
  const { abort } = draft.context;
  draft.change({ abort: { by: abort?.by ?? by, requests: [...(abort?.requests ?? []), request] } });
}

/** Its log has ended, and the request came behind that. */
export function sayOver(draft: Draft, { request }: RunCommand): void {
  draft.ask({ type: 'effect.reply', request, outcome: 'over' });
}

/** Why a suspended run is not resumed; undefined when it is. */
export function resumptionRefusal(context: RunContext, { choice, seen }: Resumption): string | undefined {
  const { standing } = context.progress;
  if (seen !== undefined && standing.kind === 'suspended' && standing.since > seen)
    return `${standing.by} has suspended it since then`;
  if (isChoice(choice)) return undefined;
  return `${JSON.stringify(choice)} is no choice: give one of ${CHOICES.join(', ')}`;
}

export function keepResumption(draft: Draft, { request, by, choice }: Resumption): void {
  if (isChoice(choice) && choice !== 'abort') draft.change({ resume: { request, by, choice } });
}

// Leases --------------------------------------------------------------------------------------------------------------

/** At the start: a reaction waits for another one from then on. */
export function takeLeases(draft: Draft): void {
  draft.askAwaited({ type: 'effect.prepare', since: draft.context.at });
}

export function retakeLeases(draft: Draft): void {
  draft.askAwaited({ type: 'effect.prepare' });
}

/** A new owner makes sure of the leases that the run had. */
export function checkLeases(draft: Draft): void {
  draft.askAwaited({ type: 'effect.prepare', again: true });
}

/** Soon where a reaction waits for them. */
export function releaseLeases(draft: Draft): void {
  const { suspendWish } = draft.context;
  const isSoon = suspendWish !== null && alarmOfReaction(suspendWish) !== undefined;
  draft.askAwaited({
    type: 'effect.release',
    ...(isSoon && { soon: true as const }),
    ...(isToLookBack(draft.context) && { uploads: true as const }),
  });
}

export function keepLeases(draft: Draft): void {
  draft.change({ targetsHeld: true });
}

/** The choice applies to the step where it stopped. */
export function logContinued(draft: Draft): void {
  const { resume } = draft.context;
  if (resume === null) return;
  const { request, by, choice } = resume;
  draft.record({ event: 'continued', path: whereabouts(draft.program, draft.progress), by, choice });
  draft.accept(request);
  draft.change({ resume: null });
}

/** Also where leases are retaken, and somebody has aborted the run meanwhile. */
export function refuseResumed(draft: Draft, event: RunChartEvent): void {
  const { resume, abort } = draft.context;
  if (resume === null) return;
  const aborted = `the run was aborted by ${abort?.by ?? ''}`;
  draft.refuse(resume.request, event.type === 'not-prepared' ? event.reason : aborted);
  draft.change({ resume: null, ...(event.type === 'not-prepared' && { suspendWish: null }) });
}

export function logNotReady(draft: Draft, { reason }: Reply<'not-prepared'>): void {
  draft.record({ event: 'finished', ok: false, reason });
}

export function logNotRetaken(draft: Draft, { reason, takenBy }: Reply<'not-prepared'>): void {
  const { suspendWish, owner, run } = draft.context;
  const message = `suspended after the takeover: ${reason}`;
  draft.record({ event: 'logged', path: draft.path, message, samples: [] });
  draft.change({ suspendWish: suspendWish ?? takenBy ?? owner ?? run });
}

/** Before the names of telecommands that no gateway has confirmed to hold back. */
export const MAY_STILL_LEAVE = 'warning: may still leave: ';

/** M3 */
export function leasesReleased(draft: Draft, { mayLeave }: Reply<'released'>): void {
  if (mayLeave !== undefined) {
    const message = MAY_STILL_LEAVE + mayLeave.join('; ');
    draft.record({ event: 'logged', path: draft.path, message, samples: [] });
  }
  draft.change({ targetsHeld: false });
}

export function logSuspended(draft: Draft, event: Reply<'released'>): void {
  leasesReleased(draft, event);
  logUploads(draft, event.uploads);
  const { program, progress, context } = draft;
  const by = context.suspendWish ?? context.run;
  draft.change({ suspendWish: null });
  draft.record({ event: 'suspended', path: whereabouts(program, progress), by });
}

// Takeover and end ----------------------------------------------------------------------------------------------------

/** The new owner says so in the log, and asks again for what is armed. */
export function logTakeover(draft: Draft, { by, uploads }: Reply<'recovered'>): void {
  draft.record({ event: 'taken_over', by });
  logUploads(draft, uploads);
  draft.change({ owner: by });
  for (const effect of armedFaults(draft.context)) draft.ask(effect);
}

/** Answers those who aborted the run. */
export function acceptAborts(draft: Draft): void {
  for (const request of draft.context.abort?.requests ?? []) draft.accept(request);
}

/** What the end asks for: the leases go back, the report is archived. */
export function releaseAndArchive(draft: Draft): void {
  draft.askAwaited({ type: 'effect.release' });
  draft.ask({ type: 'effect.archive' });
}
