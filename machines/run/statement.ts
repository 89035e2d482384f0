/**
 * The statements of a step: what each asks for, and what is logged of its end. Mission Control Service, sections 3.2
 * and 4.2. Telecommands are in `sending.ts`, what people answer in `question.ts`.
 *
 * S1. A statement ends once: passed (`passStatement`), or its step has failed (`failing.ts`).
 */

import type { ConfigureStatement, TextPart } from '../../contract/program.ts';
import { type RunContext, statementOf } from './context.ts';
import type { Draft } from './draft.ts';
import type { RunChartEvent } from './protocol.ts';

type Reply<Type extends RunChartEvent['type']> = Extract<RunChartEvent, { type: Type }>;

/** The statement is done: the next one follows. */
export function passStatement(draft: Draft): void {
  const statement = draft.inStep.statement + 1;
  draft.changeStep({ statement, setter: 0, midway: false, failedSendings: 0 });
}

// Conditions ----------------------------------------------------------------------------------------------------------

/** Has the condition judged, of a configure its readbacks. */
export function judge(draft: Draft): void {
  const { path, inStep, at: since, statement } = draft;
  const { answers } = inStep;
  if (statement?.kind === 'configure') {
    const { target, readbacks, withinMs } = statement;
    const judgement = { kind: 'readbacks', target, readbacks, withinMs } as const;
    draft.askAwaited({ type: 'effect.judge', path, statement: judgement, since, answers });
  } else if (statement !== undefined && 'condition' in statement)
    draft.askAwaited({ type: 'effect.judge', path, statement, since, answers });
}

export function logChecked(draft: Draft, { ok, reason, samples }: Reply<'judged'>): void {
  const { path, statement } = draft;
  if (statement === undefined || !('condition' in statement || statement.kind === 'configure')) return;
  const isConfigure = statement.kind === 'configure';
  draft.record({
    event: 'checked',
    path,
    statement: isConfigure ? 'expect' : statement.kind,
    condition: isConfigure ? readbackText(statement) : statement.condition,
    ok,
    ...(reason !== undefined && { reason }),
    samples: [...samples],
  });
}

export function passCondition(draft: Draft, event: Reply<'judged'>): void {
  logChecked(draft, event);
  passStatement(draft);
}

/** `obc.mode = SAFE and eps[1].voltage = 5` */
function readbackText({ readbacks }: ConfigureStatement): string {
  return readbacks.map(({ parameter, value }) => `${parameter} = ${value}`).join(' and ');
}

export function isConfiguring(context: RunContext): boolean {
  return statementOf(context)?.kind === 'configure';
}

// Modes ---------------------------------------------------------------------------------------------------------------

export function setMode(draft: Draft): void {
  const { statement } = draft;
  if (statement?.kind !== 'configure' && statement?.kind !== 'set_mode') return;
  const { target, mode } = statement;
  draft.askAwaited({ type: 'effect.set-mode', target, mode });
}

export function passMode(draft: Draft): void {
  const { path, statement } = draft;
  if (statement?.kind !== 'configure' && statement?.kind !== 'set_mode') return;
  const { target, mode } = statement;
  draft.record({ event: 'mode_changed', path, target, mode });
  passStatement(draft);
}

// Texts ---------------------------------------------------------------------------------------------------------------

/** The text when nothing in it has to be looked up. */
export function plainText(parts: readonly TextPart[]): string | undefined {
  const texts = parts.filter((part) => typeof part === 'string');
  return texts.length === parts.length ? texts.join('') : undefined;
}

export function writeText(draft: Draft): void {
  const { statement, inStep } = draft;
  const { answers } = inStep;
  if (statement?.kind === 'log')
    draft.askAwaited({ type: 'effect.write', parts: statement.message, answers });
  else if (statement?.kind === 'ask' || statement?.kind === 'confirm')
    draft.askAwaited({ type: 'effect.write', parts: statement.prompt, answers });
}

export function isLogging(context: RunContext): boolean {
  return statementOf(context)?.kind === 'log';
}

export function logText(draft: Draft, message: string, samples: Reply<'written'>['samples']): void {
  draft.record({ event: 'logged', path: draft.path, message, samples: [...samples] });
  passStatement(draft);
}

// Time and files ------------------------------------------------------------------------------------------------------

export function wait(draft: Draft): void {
  const { statement, at } = draft;
  if (statement?.kind === 'wait') draft.askAwaited({ type: 'effect.wake', at: at + statement.ms });
}

/** Before another attempt. */
export function pause(draft: Draft): void {
  draft.askAwaited({ type: 'effect.wake', at: draft.progress.again?.dueAt ?? draft.at });
}

export function transfer(draft: Draft): void {
  const { path, inStep, statement } = draft;
  if (statement?.kind !== 'download' && statement?.kind !== 'upload') return;
  draft.askAwaited({ type: 'effect.transfer', path, statement, answers: inStep.answers });
}
