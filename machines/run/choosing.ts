/**
 * What a run comes to next. Everything that takes no time is written in one go (`advance`), so that a long row of log
 * lines and steps is one microstep of the chart; where something is to be waited for, `aheadOf` names the state for it.
 * Mission Control Service, section 3.2. Which statement comes next is data: nothing here knows a procedure.
 *
 * R1. Nothing that needs a target begins before its leases are held.
 * R2. Once suspension is wished nothing begins: it takes place at the end of the present statement, or between two
 *     steps.
 */

import { assert, assertNever } from '../../contract/assert.ts';
import type { ProgramStatement } from '../../contract/program.ts';
import type { RunFact } from '../../contract/run-event.ts';
import { type RunContext, statementOf } from './context.ts';
import type { Draft } from './draft.ts';
import { isEligibleForRetry, logFailedAttempt } from './failing.ts';
import { armFaults } from './fault.ts';
import { type Next, nextOf } from './next.ts';
import type { Progress } from './progress.ts';
import { answerItself, isUnanswerable } from './question.ts';
import { awaitedRole, sendOf } from './sending.ts';
import { logText, plainText } from './statement.ts';

/** The states in which a run waits for something, by their name in the chart. */
export type Ahead =
  | 'preparing'
  | 'retaking'
  | 'sending'
  | 'judging'
  | 'asking'
  | 'confirming'
  | 'waiting'
  | 'writing'
  | 'settingMode'
  | 'transferring'
  | 'pausing'
  | 'failing'
  | 'waitingDecision'
  | 'suspending'
  | 'suspended'
  | 'ending';

/** Writes, begins and ends whatever comes at once, until something has to be waited for. */
export function advance(draft: Draft): void {
  while (aheadOf(draft.context, draft.at) === undefined) write(draft, nextOf(draft.program, draft.progress));
}

/** Where the run goes; undefined while something that takes no time comes first. */
export function aheadOf(context: RunContext, at: number): Ahead | undefined {
  const { program, progress, abort } = context;
  if (abort !== null) return 'ending';
  const next = nextOf(program, progress);
  switch (next.kind) {
    case 'rest':
      return progress.standing.kind === 'suspended' ? 'suspended' : 'waitingDecision';
    case 'fact':
      return aheadOfFact(progress, next.fact);
    case 'open':
      return aheadOfOpening(context, next.dueAt, at);
    case 'statement':
      return aheadOfStatement(context);
    default:
      return assertNever(next);
  }
}

function aheadOfFact({ frames }: Progress, { event }: RunFact): Ahead | undefined {
  if (event === 'decision_required') return 'failing';
  const isEnd = event === 'finished' || (event === 'procedure_finished' && frames.length === 0);
  return isEnd ? 'ending' : undefined;
}

function aheadOfOpening(context: RunContext, dueAt: number, at: number): Ahead | undefined {
  const isProcedure = context.progress.procedure === 'before';
  if (!context.targetsHeld) return isProcedure ? 'preparing' : 'retaking';
  if (context.suspendWish !== null && !isProcedure) return 'suspending';
  return dueAt > at ? 'pausing' : undefined;
}

function aheadOfStatement(context: RunContext): Ahead | undefined {
  const { inStep, suspendWish } = context;
  const statement = statementOf(context);
  if (statement === undefined) return undefined;
  const isInstructionOver = inStep.statement > 0 && !inStep.midway;
  return suspendWish !== null && isInstructionOver ? 'suspending' : aheadOfKind(context, statement);
}

function aheadOfKind(context: RunContext, statement: ProgramStatement): Ahead | undefined {
  switch (statement.kind) {
    case 'send':
    case 'configure':
      return aheadOfSending(context, statement);
    case 'expect':
    case 'check':
    case 'wait_until':
      return 'judging';
    case 'wait':
      return 'waiting';
    case 'log':
      return plainText(statement.message) === undefined ? 'writing' : undefined;
    case 'ask':
    case 'confirm':
      return plainText(statement.prompt) === undefined ? 'writing' : aheadOfQuestion(context, statement);
    case 'set_mode':
      return 'settingMode';
    case 'download':
    case 'upload':
      return 'transferring';
    default:
      return assertNever(statement);
  }
}

function aheadOfSending(
  context: RunContext,
  statement: Extract<ProgramStatement, { kind: 'send' | 'configure' }>,
): Ahead | undefined {
  if (sendOf(context) === undefined)
    return statement.kind === 'configure' && statement.readbacks.length > 0 ? 'judging' : 'settingMode';
  if (awaitedRole(context) === undefined) return 'sending';
  return context.program.policy.humanOrchestration ? 'confirming' : undefined;
}

function aheadOfQuestion(
  context: RunContext,
  { kind }: Extract<ProgramStatement, { kind: 'ask' | 'confirm' }>,
): Ahead | undefined {
  if (isUnanswerable(context)) return isEligibleForRetry(context) ? undefined : 'failing';
  if (!context.program.policy.humanOrchestration) return undefined;
  return kind === 'ask' ? 'asking' : 'confirming';
}

function write(draft: Draft, next: Next): void {
  switch (next.kind) {
    case 'fact':
      return draft.record(next.fact);
    case 'open':
      return open(draft, next);
    case 'statement':
      return pass(draft);
    default:
      assert(false, 'R1');
  }
}

function open(draft: Draft, { fact, path }: Extract<Next, { kind: 'open' }>): void {
  const isProcedure = draft.progress.procedure === 'before';
  draft.record(fact);
  armFaults(draft, isProcedure ? undefined : path);
}

/** A statement that takes no time, or the end of a step that has no other. */
function pass(draft: Draft): void {
  const { statement, path, progress } = draft;
  if (statement === undefined) {
    const attempt = progress.frames.at(-1)?.attempt ?? 1;
    draft.record({ event: 'step_finished', path, attempt, ok: true });
  } else if (statement.kind === 'log') logText(draft, plainText(statement.message) ?? '', []);
  else if (isUnanswerable(draft.context)) logFailedAttempt(draft);
  else answerItself(draft);
}
