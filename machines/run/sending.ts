/**
 * Telecommands of a run: the confirmation of hazardous ones, the sending, and what its end means. Mission Control Service,
 * sections 3.2, 4.2 rule 6 and 5.4.
 *
 * N1. A telecommand is in the log before it leaves (MC-LOG-009), under an identifier that its place in the log gives.
 * N2. No hazardous telecommand is logged before every role of the policy has confirmed the step, each by another person.
 * N3. One that changes the state is never sent again by itself, and none is once a suspension is wished: it takes place at the
 *     end of the sending that is under way (MC-STM-014).
 */

import type { SendStatement, StepNode } from '../../contract/program.ts';
import type { RunEvent } from '../../contract/run.ts';
import { telecommandIdOf } from '../../contract/telecommand-id.ts';
import { isGoodTcEnd } from '../../contract/telecommand-state.ts';
import { statementsOf } from './place.ts';
import { repeats } from './progress.ts';
import type { RunChartEvent } from './protocol.ts';
import { confirm } from './question.ts';
import { afterSetters, failed, passed } from './statement.ts';
import { suspend } from './suspension.ts';
import type { Turn } from './turn.ts';

/** Begins the sending of the statement, of a configure that of its next setter. */
export function beginSending(turn: Turn): void {
  const send = sendOf(turn);
  if (send === undefined) return sendingOver(turn);
  const role = turn.program.policy.hazardousConfirmation[turn.inStep.confirmed];
  if (send.hazardous && role !== undefined) confirm(turn, hazardText(turn, role), role);
  else leave(turn, send);
}

export function telecommandEnded(
  turn: Turn,
  { tc, state, detail, acks }: Extract<RunChartEvent, { type: 'telecommand.ended' }>,
): void {
  const { context, path, inStep } = turn;
  const send = sendOf(turn);
  if (send === undefined) return;
  const why = detail === undefined ? {} : { detail };
  turn.record({ event: 'telecommand_finished', path, tc, state, ...why, acks: [...acks] });
  if (isGoodTcEnd(state)) {
    turn.changeStep({ setter: inStep.setter + 1, failedSendings: 0 });
    beginSendingOfNext(turn);
  } else if (!send.changesState && inStep.failedSendings < send.retry) {
    if (context.suspendWish !== null) return suspend(turn, context.suspendWish);
    turn.changeStep({ failedSendings: inStep.failedSendings + 1 });
    leave(turn, send);
  } else failed(turn, endText(turn, send, state, detail));
}

function beginSendingOfNext(turn: Turn): void {
  if (turn.statement?.kind === 'configure') beginSending(turn);
  else passed(turn);
}

function sendingOver(turn: Turn): void {
  if (turn.statement?.kind === 'configure') afterSetters(turn, turn.statement);
}

function sendOf({ statement, inStep }: Turn): SendStatement | undefined {
  if (statement?.kind === 'configure') return statement.setters[inStep.setter];
  return statement?.kind === 'send' ? statement : undefined;
}

function leave(turn: Turn, send: SendStatement): void {
  const { context, progress, path, at, inStep } = turn;
  const tc = telecommandIdOf(context.run, progress.seq + 1, at);
  const before = repeats(progress, inStep.failedSendings > 0);
  turn.record({
    event: 'telecommand_sent',
    path,
    tc,
    target: send.target,
    telecommand: nameOf(turn, send),
    changes_state: send.changesState,
    ...(before !== undefined && { retry_of: before }),
  });
  const { answers } = inStep;
  const ticket = turn.askAwaited({ type: 'effect.send', tc, path, statement: send, answers });
  turn.become({ kind: 'sending', ticket, tc });
}

/** `component[instance].name` */
function nameOf({ inStep }: Turn, { component, instance, telecommand }: SendStatement): string {
  if (instance === undefined) return `${component}.${telecommand}`;
  const value = 'value' in instance ? instance.value : (inStep.answers[instance.name] ?? instance.name);
  return `${component}[${value}].${telecommand}`;
}

/** Every telecommand a step may send, setters among them. */
export function sendsOf(leaf: StepNode): readonly SendStatement[] {
  return statementsOf(leaf).flatMap((each) => {
    if (each.kind === 'configure') return each.setters;
    return each.kind === 'send' ? [each] : [];
  });
}

/** Whether the log event tells of this statement; which instance was meant, an answer may have said. */
export function isSendOf(
  { target, component, telecommand }: SendStatement,
  sent: Pick<Extract<RunEvent, { event: 'telecommand_sent' }>, 'target' | 'telecommand'>,
): boolean {
  const name = sent.telecommand.replace(/\[.*\]/, '');
  return sent.target === target && name === `${component}.${telecommand}`;
}

/** The confirmation is one of the step, so it names everything hazardous in it. */
function hazardText(turn: Turn, role: string): string {
  const sends = turn.leaf === undefined ? [] : sendsOf(turn.leaf);
  const hazardous = sends.filter((send) => send.hazardous);
  const names = new Set(hazardous.map((send) => `${nameOf(turn, send)} to ${send.target}`));
  return `hazardous: ${[...names].join(', ')}; to be confirmed by ${role}`;
}

function endText(turn: Turn, send: SendStatement, state: string, detail: string | undefined): string {
  const ended = `${nameOf(turn, send)} ended ${state}`;
  return detail === undefined ? ended : `${ended}: ${detail}`;
}
