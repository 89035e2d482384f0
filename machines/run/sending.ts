/**
 * Telecommands of a run: the confirmation of hazardous ones, the sending, and what its end means. Mission Control
 * Service, sections 3.2, 4.2 rule 6 and 5.4.
 *
 * N1. A telecommand is in the log before it leaves (MC-LOG-009), under an identifier that its place in the log gives.
 * N2. No hazardous telecommand is logged before every role of the policy has confirmed the step, each by another
 *     person.
 * N3. One that changes the state is never sent again by itself, and none is once a suspension is wished: it takes place
 *     at the end of the sending that is under way (MC-STM-014).
 */

import type { SendStatement, StepNode } from '../../contract/program.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import { telecommandIdOf } from '../../contract/telecommand-id.ts';
import { isGoodTcEnd } from '../../contract/telecommand-state.ts';
import { leafOf, type RunContext, statementOf } from './context.ts';
import type { Draft } from './draft.ts';
import { statementsOf } from './place.ts';
import { repeats } from './progress.ts';
import type { RunChartEvent } from './protocol.ts';
import { passStatement } from './statement.ts';

type Ended = Extract<RunChartEvent, { type: 'telecommand.ended' }>;

/** The telecommand under way, of a configure its next setter; undefined behind the last one. */
export function sendOf(context: RunContext): SendStatement | undefined {
  const statement = statementOf(context);
  if (statement?.kind === 'configure') return statement.setters[context.inStep.setter];
  return statement?.kind === 'send' ? statement : undefined;
}

/** The role that has to confirm the telecommand before it leaves (N2); undefined when none has. */
export function awaitedRole(context: RunContext): string | undefined {
  const { program, inStep } = context;
  const role = program.policy.hazardousConfirmation[inStep.confirmed];
  return sendOf(context)?.hazardous === true ? role : undefined;
}

/** N1 */
export function sendTelecommand(draft: Draft): void {
  const { context, progress, path, at, inStep } = draft;
  const send = sendOf(context);
  if (send === undefined) return;
  const tc = telecommandIdOf(context.run, progress.seq + 1, at);
  const before = repeats(progress, inStep.failedSendings > 0);
  draft.record({
    event: 'telecommand_sent',
    path,
    tc,
    target: send.target,
    telecommand: nameOf(context, send),
    changes_state: send.changesState,
    ...(before !== undefined && { retry_of: before }),
  });
  const { answers } = inStep;
  draft.askAwaited({ type: 'effect.send', tc, path, statement: send, answers });
}

export function isGoodEnd({ state }: Ended): boolean {
  return isGoodTcEnd(state);
}

/** N3 */
export function hasRetryLeft(context: RunContext): boolean {
  const send = sendOf(context);
  return send !== undefined && !send.changesState && context.inStep.failedSendings < send.retry;
}

export function logTelecommandEnd(draft: Draft, { tc, state, detail, acks }: Ended): void {
  const why = detail === undefined ? {} : { detail };
  draft.record({ event: 'telecommand_finished', path: draft.path, tc, state, ...why, acks: [...acks] });
}

/** It is sent again. */
export function countFailedSending(draft: Draft, event: Ended): void {
  logTelecommandEnd(draft, event);
  draft.changeStep({ failedSendings: draft.inStep.failedSendings + 1 });
}

/** The telecommand is done: behind it comes the next setter, or the next statement. */
export function passSending(draft: Draft, event: Ended): void {
  logTelecommandEnd(draft, event);
  if (draft.statement?.kind !== 'configure') return passStatement(draft);
  draft.changeStep({ setter: draft.inStep.setter + 1, midway: true, failedSendings: 0 });
}

/** `component[instance].name` */
function nameOf({ inStep }: RunContext, { component, instance, telecommand }: SendStatement): string {
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

/** Whether the log event is about this statement; which instance was meant, an answer may have said. */
export function isSendOf(
  { target, component, telecommand }: SendStatement,
  sent: Pick<Extract<RunEvent, { event: 'telecommand_sent' }>, 'target' | 'telecommand'>,
): boolean {
  const name = sent.telecommand.replace(/\[.*\]/, '');
  return sent.target === target && name === `${component}.${telecommand}`;
}

/** The confirmation is one of the step, so it names everything hazardous in it. */
export function hazardText(context: RunContext, role: string): string {
  const leaf = leafOf(context);
  const hazardous = (leaf === undefined ? [] : sendsOf(leaf)).filter((send) => send.hazardous);
  const names = new Set(hazardous.map((send) => `${nameOf(context, send)} to ${send.target}`));
  return `hazardous: ${[...names].join(', ')}; to be confirmed by ${role}`;
}

export function endText(context: RunContext, { state, detail }: Ended): string {
  const send = sendOf(context);
  const ended = `${send === undefined ? 'telecommand' : nameOf(context, send)} ended ${state}`;
  return detail === undefined ? ended : `${ended}: ${detail}`;
}
