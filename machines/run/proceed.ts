/**
 * The course of a run between two waits: one loop writes, begins and ends whatever comes at once, so that a long row of
 * instantaneous steps is one turn of the chart and not one microstep each. Mission Control Service, section 3.2.
 *
 * R1. Nothing that needs a target begins before its leases are held.
 * R2. Once suspension is wished nothing begins: it takes place at the end of the present statement, or between two steps.
 * R3. Nothing is logged behind `finished`, and it is not logged while a fault of the run is on.
 */

import { assertNever } from '../../contract/assert.ts';
import type { ProgramStatement } from '../../contract/program.ts';
import type { RunFact } from '../../contract/run.ts';
import { armFaults, faultsAreOff } from './fault.ts';
import { type Next, nextOf } from './next.ts';
import type { RunChartEvent } from './protocol.ts';
import { ask, confirm } from './question.ts';
import { beginSending } from './sending.ts';
import {
  beginCondition,
  beginMode,
  beginTransfer,
  beginWait,
  beginWriting,
  log,
  plainText,
} from './statement.ts';
import { suspend } from './suspension.ts';
import type { Turn } from './turn.ts';

/** Goes on until something has to be waited for. */
export function proceed(turn: Turn): void {
  while (turn.activity.kind === 'none') take(turn, nextStep(turn));
}

function nextStep({ context, program, progress }: Turn): Next {
  if (context.abort === null) return nextOf(program, progress);
  return { kind: 'fact', fact: { event: 'finished', ok: false, reason: `aborted by ${context.abort.by}` } };
}

function take(turn: Turn, next: Next): void {
  switch (next.kind) {
    case 'rest':
      return rest(turn);
    case 'fact':
      return write(turn, next.fact);
    case 'open':
      return open(turn, next);
    case 'statement':
      return run(turn);
    default:
      assertNever(next);
  }
}

function rest(turn: Turn): void {
  const isSuspended = turn.progress.standing.kind === 'suspended';
  if (!isSuspended && turn.context.suspendWish !== null) suspend(turn, turn.context.suspendWish);
  else turn.become({ kind: isSuspended ? 'suspended' : 'waitingDecision' });
}

function write(turn: Turn, fact: RunFact): void {
  if (isOfTheEnd(turn, fact) && !faultsAreOff(turn)) return turn.become({ kind: 'ending' });
  turn.record(fact);
  if (fact.event === 'finished') close(turn);
}

function isOfTheEnd({ progress }: Turn, { event }: RunFact): boolean {
  return event === 'finished' || (event === 'procedure_finished' && progress.frames.length === 0);
}

/** What the end asks for; who aborted the run hears of it now. */
export function close(turn: Turn): void {
  for (const request of turn.context.abort?.requests ?? []) turn.accept(request);
  turn.become({ kind: 'closing', ticket: turn.askAwaited({ type: 'effect.release' }) });
  turn.ask({ type: 'effect.archive' });
}

// Steps ---------------------------------------------------------------------------------------------------------------

function open(turn: Turn, { fact, path, dueAt }: Extract<Next, { kind: 'open' }>): void {
  const { context, at } = turn;
  const isProcedure = turn.progress.procedure === 'before';
  if (!context.targetsHeld) return prepare(turn, isProcedure);
  if (context.suspendWish !== null && !isProcedure) return suspend(turn, context.suspendWish);
  if (dueAt > at) {
    turn.become({ kind: 'pausing', ticket: turn.askAwaited({ type: 'effect.wake', at: dueAt }) });
    return;
  }
  turn.record(fact);
  armFaults(turn, isProcedure ? undefined : path);
}

/** The leases are taken at the start, and made sure of by a new owner (R1). */
function prepare(turn: Turn, isStart: boolean): void {
  if (isStart) {
    const ticket = turn.askAwaited({ type: 'effect.prepare', since: turn.context.at });
    turn.become({ kind: 'preparing', ticket });
  } else {
    const ticket = turn.askAwaited({ type: 'effect.prepare', again: true });
    turn.become({ kind: 'resuming', ticket, resume: null });
  }
}

function run(turn: Turn): void {
  const { statement, context, inStep, path, progress } = turn;
  if (statement === undefined) {
    const attempt = progress.frames.at(-1)?.attempt ?? 1;
    return turn.record({ event: 'step_finished', path, attempt, ok: true });
  }
  if (context.suspendWish !== null && inStep.statement > 0) suspend(turn, context.suspendWish);
  else begin(turn, statement);
}

function begin(turn: Turn, statement: ProgramStatement): void {
  switch (statement.kind) {
    case 'send':
    case 'configure':
      return beginSending(turn);
    case 'expect':
    case 'check':
    case 'wait_until':
      return beginCondition(turn, statement);
    case 'wait':
      return beginWait(turn, statement.ms);
    case 'log':
      return begunText(turn, statement.message, (text) => log(turn, text, []));
    case 'ask':
      return begunText(turn, statement.prompt, (text) => ask(turn, text, statement));
    case 'confirm':
      return begunText(turn, statement.prompt, (text) => confirm(turn, text, statement.role));
    case 'set_mode':
      return beginMode(turn, statement);
    case 'download':
    case 'upload':
      return beginTransfer(turn, statement);
    default:
      assertNever(statement);
  }
}

function begunText(turn: Turn, parts: Parameters<typeof plainText>[0], begun: (text: string) => void): void {
  const text = plainText(parts);
  if (text === undefined) beginWriting(turn, parts);
  else begun(text);
}

/** The text of the statement is there; a question is not asked any more once suspension is wished (R2). */
export function written(turn: Turn, { text, samples }: Extract<RunChartEvent, { type: 'written' }>): void {
  const { statement, context } = turn;
  if (statement?.kind === 'log') log(turn, text, samples);
  else if (context.suspendWish !== null) suspend(turn, context.suspendWish);
  else if (statement?.kind === 'ask') ask(turn, text, statement);
  else if (statement?.kind === 'confirm') confirm(turn, text, statement.role);
}
