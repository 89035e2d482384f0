/**
 * What people are shown of a run, computed from its log alone: the same through any instance and after any restart.
 * Mission Control Service, section 2.3 (RunSummary, run status). Pure.
 *
 * U1. `pending` is what the run waits for now: it goes with whatever moves the run on, and with a suspension, where
 *     only a resume is waited for.
 * U2. `step` is the step begun last; it stays when the run is over.
 */

import type { Program } from '../../contract/program.ts';
import type { PendingQuestion, RunStatus, RunSummary } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';

/** A run that is submitted and not begun, as its program announces it. */
export function submittedRun(
  run: string,
  { procedure, environment, targets }: Pick<Program, 'procedure' | 'environment' | 'targets'>,
  by?: string,
): RunSummary {
  return { run, procedure, suspended: false, environment, targets, ...(by !== undefined && { by }) };
}

/** The summary after one more event of the log. */
export function afterEvent(summary: RunSummary, event: RunEvent): RunSummary {
  return { ...moved(summary, event), updated_at: event.at };
}

/** The summary of a whole log, or of its beginning; `submitted` is what is known without it. */
export function summaryOf(submitted: RunSummary, log: Iterable<RunEvent>): RunSummary {
  let summary = submitted;
  for (const event of log) summary = afterEvent(summary, event);
  return summary;
}

/** A run known by its log only: what its first event says. */
export function unsubmittedRun(first: RunEvent): RunSummary {
  const announced =
    first.event === 'started' ? first : { procedure: 'unknown', environment: 'unknown', targets: {} };
  return submittedRun(first.run, announced);
}

/** The part of a summary that the state of one run shows. */
export function statusOf({
  run,
  procedure,
  step,
  suspended,
  pending,
  finished,
  reason,
}: RunSummary): RunStatus {
  return {
    run,
    procedure,
    suspended,
    ...(step !== undefined && { step }),
    ...(pending !== undefined && { pending }),
    ...(finished !== undefined && { finished }),
    ...(reason !== undefined && { reason }),
  };
}

function moved(summary: RunSummary, event: RunEvent): RunSummary {
  switch (event.event) {
    case 'started':
      return begun(summary, event);
    case 'step_started':
      return { ...settled(summary), step: event.path };
    case 'asked':
      return { ...summary, pending: questionOf(event) };
    case 'decision_required':
      return { ...summary, pending: decisionOf(event) };
    case 'answered':
      return summary.pending?.path === event.path ? settled(summary) : summary;
    case 'step_finished':
    case 'procedure_finished':
      return settled(summary);
    case 'suspended':
      return { ...settled(summary), suspended: true };
    case 'continued':
      return { ...settled(summary), suspended: false };
    case 'finished':
      return ended(summary, event);
    default:
      return summary;
  }
}

function begun(summary: RunSummary, event: RunEvent & { event: 'started' }): RunSummary {
  const { procedure, environment, targets, by, at } = event;
  return {
    ...summary,
    procedure,
    environment,
    targets,
    started_at: at,
    ...(by !== undefined && { by }),
  };
}

function questionOf(event: RunEvent & { event: 'asked' }): PendingQuestion {
  const { path, prompt, role, answer, deadline, seq, at } = event;
  return {
    path,
    kind: 'ask',
    prompt,
    ...(role !== undefined && { role }),
    question: seq,
    since: at,
    ...(answer !== undefined && { answer }),
    ...(deadline !== undefined && { deadline }),
  };
}

function decisionOf({ path, reason, seq, at }: RunEvent & { event: 'decision_required' }): PendingQuestion {
  return { path, kind: 'decision', prompt: reason, question: seq, since: at };
}

/** U1. */
function settled(summary: RunSummary): RunSummary {
  if (summary.pending === undefined) return summary;
  const { pending: _, ...rest } = summary;
  return rest;
}

function ended(summary: RunSummary, { ok, reason }: RunEvent & { event: 'finished' }): RunSummary {
  return {
    ...settled(summary),
    suspended: false,
    finished: ok,
    ...(reason !== undefined && { reason }),
  };
}
