/**
 * The guards of the chart of a run (`run.ts`), by name: what each asks of the context and the event. Mission Control
 * Service, section 3.2.
 *
 * R5. Every guard is false for a reply that comes too late: its ticket is not the last one given out (T3 of
 *     `draft.ts`).
 */

import { type Ahead, aheadOf } from './choosing.ts';
import { resumptionRefusal } from './command.ts';
import type { RunContext } from './context.ts';
import { areFaultsOff } from './ending.ts';
import { isEligibleForRetry } from './failing.ts';
import { isPassNews } from './pass-news.ts';
import type { AnswerGiven, RunChartEvent } from './protocol.ts';
import { type Asking, isConfirming, isTypedAnswer, isUnanswerable, refusalOf } from './question.ts';
import { hasRetryLeft, isGoodEnd } from './sending.ts';
import { isConfiguring, isLogging } from './statement.ts';
import { isToLookBack } from './uploads.ts';

interface Asked {
  readonly context: RunContext;
  readonly event: RunChartEvent;
}
type Of<Type extends RunChartEvent['type']> = Extract<RunChartEvent, { type: Type }>;
type Choice = 'replay' | 'skip' | 'fail' | 'abort';

/** Time of the event; the start has none of its own. */
export function timeOf({ at }: RunContext, event: { readonly at?: unknown }): number {
  return typeof event.at === 'number' ? event.at : at;
}

/** R5 */
function timely(holds: (context: RunContext, event: RunChartEvent) => boolean) {
  return ({ context, event }: Asked): boolean =>
    !('ticket' in event && event.ticket !== context.tickets) && holds(context, event);
}

function on<Type extends RunChartEvent['type']>(
  type: Type,
  holds: (event: Of<Type>, context: RunContext) => boolean,
) {
  return timely((context, event) => event.type === type && holds(event as Of<Type>, context));
}

/** What comes next is waited for in this state. */
function next(state: Ahead) {
  return timely((context, event) => aheadOf(context, timeOf(context, event)) === state);
}

function answering(holds: (answer: AnswerGiven, context: RunContext) => boolean) {
  return on('answer', holds);
}

function unanswering(asking: Asking) {
  return answering((answer, context) => refusalOf(context, answer, asking) !== undefined);
}

function deciding(choice: Choice) {
  return answering(({ accepted, value }) => accepted && value === choice);
}

function isSuspensionWished({ suspendWish }: RunContext): boolean {
  return suspendWish !== null;
}

function hasFault(context: RunContext, is: (standing: RunContext['faults'][number]) => boolean): boolean {
  return context.faults.some(is);
}

const isAnyOn = (context: RunContext): boolean => hasFault(context, ({ isLit }) => isLit);
const isAnyArmed = (context: RunContext): boolean =>
  hasFault(context, ({ on: own, off }) => own.stage === 'armed' || off.stage === 'armed');

export const guards = {
  /** The reply is the one that is waited for. */
  inTime: timely(() => true),
  isAborted: timely(({ abort }) => abort !== null),
  isSuspensionWished: timely(isSuspensionWished),

  // What comes next
  isTelecommandNext: next('sending'),
  isConditionNext: next('judging'),
  isQuestionNext: next('asking'),
  isConfirmationNext: next('confirming'),
  isWaitNext: next('waiting'),
  isTextNext: next('writing'),
  isModeNext: next('settingMode'),
  isTransferNext: next('transferring'),
  isPauseNext: next('pausing'),
  isDecisionRequired: next('failing'),
  isDecisionPending: next('waitingDecision'),
  isInstructionOver: next('suspending'),
  isStillSuspended: next('suspended'),
  isNotBegun: next('preparing'),
  isTakenOver: next('retaking'),
  isLastActionDone: next('ending'),

  // Statements
  isVerified: on('telecommand.ended', isGoodEnd),
  maySendAgain: timely((context) => hasRetryLeft(context) && !isSuspensionWished(context)),
  isSuspendedBeforeRetry: timely((context) => hasRetryLeft(context) && isSuspensionWished(context)),
  doReadbacksHold: on('judged', ({ ok }, context) => ok && isConfiguring(context)),
  doesHold: on('judged', ({ ok }) => ok),
  isLogText: timely(isLogging),
  isUnanswerable: timely(isUnanswerable),
  isAnsweredByNobody: timely(({ program }) => !program.policy.humanOrchestration),
  isConfirmation: timely(isConfirming),
  isEligibleForRetry: timely(isEligibleForRetry),

  // Answers
  answersNoQuestion: unanswering('asking'),
  answersNoConfirmation: unanswering('confirming'),
  answersNoDecision: unanswering('waitingDecision'),
  answersNo: answering(({ accepted }) => !accepted),
  answersValue: answering((answer, context) => isTypedAnswer(context, answer) === 'with value'),
  answersWithoutValue: answering((answer, context) => isTypedAnswer(context, answer) === 'without'),
  answersReplay: deciding('replay'),
  answersSkip: deciding('skip'),
  answersFail: deciding('fail'),
  answersAbort: deciding('abort'),

  // Resumption
  isRefusable: on('command.resume', (event, context) => resumptionRefusal(context, event) !== undefined),
  choosesAbort: on('command.resume', ({ choice }) => choice === 'abort'),

  isPassNews: on('pass.seen', (event, context) => isPassNews(context, event)),

  // Faults and the end
  isSwitch: timely(({ faults, progress }, event) => {
    if (event.type !== 'fault.switched' && event.type !== 'fault.refused') return false;
    const side = event.on ? 'on' : 'off';
    return progress.standing.kind !== 'over' && faults[event.fault]?.[side].stage === 'armed';
  }),
  isAnyOn: timely(isAnyOn),
  isAnyArmed: timely((context) => !isAnyOn(context) && isAnyArmed(context)),
  isNoneArmed: timely((context) => !isAnyOn(context) && !isAnyArmed(context)),
  isToLookBack: timely(isToLookBack),
  areFaultsOff: timely((context, event) => areFaultsOff(context, timeOf(context, event))),
  isRunOver: on('released', (_event, { progress }) => progress.standing.kind === 'over'),
};
