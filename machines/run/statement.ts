/**
 * The statements of a step: how each begins, and what its replies make of it. Mission Control Service, sections 3.2 and
 * 4.2. Telecommands are in `sending.ts`, what people answer in `question.ts`.
 *
 * S1. A statement ends by `passed` or `failed`, once.
 */

import type {
  ConditionStatement,
  ConfigureStatement,
  ProgramStatement,
  TextPart,
} from '../../contract/program.ts';
import { retryDepth } from './place.ts';
import type { ReadbackJudgement, RunChartEvent } from './protocol.ts';
import type { Turn } from './turn.ts';

type Reply<Type extends RunChartEvent['type']> = Extract<RunChartEvent, { type: Type }>;

/** The statement is done: the next one follows. */
export function passed(turn: Turn): void {
  turn.changeStep({ statement: turn.inStep.statement + 1, setter: 0, failedSendings: 0 });
  turn.goOn();
}

/** The statement failed and its step with it: another attempt follows, or a decision is asked (MC-STM-004, 027). */
export function failed(turn: Turn, reason: string): void {
  const { path, program, progress } = turn;
  const attempt = progress.frames.at(-1)?.attempt ?? 1;
  if (retryDepth(program, progress.frames) === undefined)
    turn.record({ event: 'decision_required', path, reason });
  else turn.record({ event: 'step_finished', path, attempt, ok: false, reason });
  turn.goOn();
}

// Conditions ----------------------------------------------------------------------------------------------------------

export function beginCondition(turn: Turn, statement: ConditionStatement | ReadbackJudgement): void {
  const { path, inStep, at } = turn;
  const ticket = turn.askAwaited({
    type: 'effect.judge',
    path,
    statement,
    since: at,
    answers: inStep.answers,
  });
  turn.become({ kind: 'judging', ticket });
}

export function judged(turn: Turn, { ok, reason, samples }: Reply<'judged'>): void {
  const { path, statement } = turn;
  if (statement === undefined || !('condition' in statement || statement.kind === 'configure')) return;
  const isConfigure = statement.kind === 'configure';
  turn.record({
    event: 'checked',
    path,
    statement: isConfigure ? 'expect' : statement.kind,
    condition: isConfigure ? readbackText(statement) : statement.condition,
    ok,
    ...(reason !== undefined && { reason }),
    samples: [...samples],
  });
  if (!ok) failed(turn, reason ?? 'the condition does not hold');
  else if (isConfigure) beginMode(turn, statement);
  else passed(turn);
}

/** `obc.mode = SAFE and eps[1].voltage = 5` */
function readbackText({ readbacks }: ConfigureStatement): string {
  return readbacks.map(({ parameter, value }) => `${parameter} = ${value}`).join(' and ');
}

/** What follows the setters of a configure. */
export function afterSetters(turn: Turn, statement: ConfigureStatement): void {
  const { target, readbacks, withinMs } = statement;
  if (readbacks.length === 0) return beginMode(turn, statement);
  beginCondition(turn, { kind: 'readbacks', target, readbacks, withinMs });
}

// Modes ---------------------------------------------------------------------------------------------------------------

export function beginMode(turn: Turn, { target, mode }: { target: string; mode: string }): void {
  turn.become({ kind: 'settingMode', ticket: turn.askAwaited({ type: 'effect.set-mode', target, mode }) });
}

export function modeSet(turn: Turn): void {
  const { path, statement } = turn;
  if (statement?.kind !== 'configure' && statement?.kind !== 'set_mode') return;
  const { target, mode } = statement;
  turn.record({ event: 'mode_changed', path, target, mode });
  passed(turn);
}

// Texts ---------------------------------------------------------------------------------------------------------------

/** The text when nothing in it has to be looked up. */
export function plainText(parts: readonly TextPart[]): string | undefined {
  const texts = parts.filter((part) => typeof part === 'string');
  return texts.length === parts.length ? texts.join('') : undefined;
}

export function beginWriting(turn: Turn, parts: readonly TextPart[]): void {
  const { answers } = turn.inStep;
  turn.become({ kind: 'writing', ticket: turn.askAwaited({ type: 'effect.write', parts, answers }) });
}

export function log(turn: Turn, message: string, samples: Reply<'written'>['samples']): void {
  turn.record({ event: 'logged', path: turn.path, message, samples: [...samples] });
  passed(turn);
}

// Time and files ------------------------------------------------------------------------------------------------------

export function beginWait(turn: Turn, ms: number): void {
  turn.become({ kind: 'waiting', ticket: turn.askAwaited({ type: 'effect.wake', at: turn.at + ms }) });
}

export function beginTransfer(
  turn: Turn,
  statement: Extract<ProgramStatement, { kind: 'download' | 'upload' }>,
): void {
  const { path, inStep } = turn;
  const ticket = turn.askAwaited({ type: 'effect.transfer', path, statement, answers: inStep.answers });
  turn.become({ kind: 'transferring', ticket });
}
