/**
 * The actions of the chart of a run (`run.ts`), by name, with its guards and types. Each writes the context, the events
 * of the log and the effects that it leads to (`draft.ts`). Mission Control Service, section 3.2.
 */

import { setup } from 'xstate';
import { logStarted } from './beginning.ts';
import { advance } from './choosing.ts';
import * as command from './command.ts';
import type { RunContext } from './context.ts';
import { Draft } from './draft.ts';
import { logFinished, switchOffFaults } from './ending.ts';
import { logFailedAttempt, requireDecision } from './failing.ts';
import { faultAnswered } from './fault.ts';
import { guards, timeOf } from './guards.ts';
import { logPass } from './pass-news.ts';
import type {
  AnswerGiven,
  PassSeen,
  RunChartEvent,
  RunCommand,
  RunEffect,
  RunInput,
  RunRecord,
} from './protocol.ts';
import * as question from './question.ts';
import * as sending from './sending.ts';
import * as statement from './statement.ts';
import { logUploads, lookBack } from './uploads.ts';

type Of<Type extends RunChartEvent['type']> = Extract<RunChartEvent, { type: Type }>;

const parts = setup({
  types: {} as {
    context: RunContext;
    events: RunChartEvent;
    emitted: RunEffect | RunRecord;
    input: RunInput;
    tags: 'awaits';
  },
  guards,
});

function writes(write: (draft: Draft, event: RunChartEvent) => void) {
  return parts.enqueueActions(({ context, event, enqueue }) => {
    const draft = new Draft(context, timeOf(context, event));
    write(draft, event);
    if (draft.changes !== undefined) enqueue.assign(draft.changes);
    for (const item of draft.emitted) enqueue.emit(item);
  });
}

/** Of an event of these types; the chart asks for it nowhere else. */
function on<Type extends RunChartEvent['type']>(
  types: readonly Type[],
  write: (draft: Draft, event: Of<Type>) => void,
) {
  return writes((draft, event) => {
    if ((types as readonly string[]).includes(event.type)) write(draft, event as Of<Type>);
  });
}

function commanded(write: (draft: Draft, asked: RunCommand) => void) {
  return on(['command.suspend', 'command.preempt', 'command.resume', 'command.abort'], write);
}

function refusing(reason: string) {
  return commanded((draft, { request }) => draft.refuse(request, reason));
}

function refusingAnswer(asking: question.Asking | undefined) {
  return on(['answer'], (draft, answer) => question.refuseAnswer(draft, answer, asking));
}

const decided = on(['answer'], question.logDecision);

export const chartOfRun = parts.extend({
  actions: {
    logStarted: writes(logStarted),
    advance: writes(advance),

    // Leases
    takeLeases: writes(command.takeLeases),
    retakeLeases: writes(command.retakeLeases),
    checkLeases: writes(command.checkLeases),
    keepLeases: writes(command.keepLeases),
    releaseLeases: writes(command.releaseLeases),
    leasesReleased: on(['released'], command.leasesReleased),
    logNotReady: on(['not-prepared'], command.logNotReady),
    logNotRetaken: on(['not-prepared'], command.logNotRetaken),

    // Statements
    sendTelecommand: writes(sending.sendTelecommand),
    logTelecommandEnd: on(['telecommand.ended'], sending.logTelecommandEnd),
    countFailedSending: on(['telecommand.ended'], sending.countFailedSending),
    passSending: on(['telecommand.ended'], sending.passSending),
    judge: writes(statement.judge),
    logChecked: on(['judged'], statement.logChecked),
    passCondition: on(['judged'], statement.passCondition),
    writeText: writes(statement.writeText),
    logText: on(['written'], (draft, { text, samples }) => statement.logText(draft, text, samples)),
    wait: writes(statement.wait),
    pause: writes(statement.pause),
    setMode: writes(statement.setMode),
    passMode: writes(statement.passMode),
    transfer: writes(statement.transfer),
    passStatement: writes(statement.passStatement),
    logFailedAttempt: writes(logFailedAttempt),
    requireDecision: writes(requireDecision),

    // Questions
    ask: writes(question.ask),
    askConfirmation: writes(question.askConfirmation),
    answerItself: writes(question.answerItself),
    logAnswer: on(['answer'], question.logAnswer),
    readAnswer: on(['answer'], question.readAnswer),
    passTypedAnswer: on(['answer.read'], question.passTypedAnswer),
    logUnreadable: writes(question.logUnreadable),
    passQuestion: on(['answer'], question.passQuestion),
    passConfirmation: on(['answer'], question.passConfirmation),
    refuseAnswer: refusingAnswer(undefined),
    refuseToQuestion: refusingAnswer('asking'),
    refuseToConfirmation: refusingAnswer('confirming'),
    refuseToDecision: refusingAnswer('waitingDecision'),

    // Decisions: what was decided is in the log, and with that the progress goes there (run/progress.P1).
    beginNewAttempt: decided,
    countAsPassed: decided,
    failStep: decided,
    logDecision: decided,

    // Suspension and abort
    acceptSuspension: commanded(command.acceptSuspension),
    confirmSuspended: commanded((draft, { request }) => draft.accept(request)),
    logSuspended: on(['released'], command.logSuspended),
    keepResumption: on(['command.resume'], command.keepResumption),
    logContinued: writes(command.logContinued),
    refuseResumption: on(['command.resume'], (draft, event) => {
      draft.refuse(event.request, command.resumptionRefusal(draft.context, event) ?? '');
    }),
    refuseResumed: writes(command.refuseResumed),
    refuseNotSuspended: refusing('the run is not suspended'),
    refuseSuspending: refusing('the run is still being suspended'),
    refuseResuming: refusing('the run is being resumed'),
    refuseEnding: refusing('the run is ending'),
    keepAbort: commanded(command.keepAbort),
    sayOver: commanded(command.sayOver),

    // Takeover
    keepForOwner: writes((draft, event) => {
      draft.change({ early: [...draft.context.early, event as RunCommand | AnswerGiven | PassSeen] });
    }),
    logTakeover: on(['recovered'], command.logTakeover),
    /** Each behind the takeover, as if it came now. */
    repeatEarly: parts.enqueueActions(({ context, self, enqueue }) => {
      for (const event of context.early) enqueue.sendTo(self, event);
      enqueue.assign({ early: [] });
    }),

    logPass: on(['pass.seen'], logPass),

    // Faults and the end
    logSwitch: on(['fault.switched', 'fault.refused'], faultAnswered),
    lookBack: writes(lookBack),
    logUploads: on(['uploads.seen'], (draft, { uploads }) => logUploads(draft, uploads)),
    switchOffFaults: writes(switchOffFaults),
    logFinished: writes(logFinished),
    acceptAborts: writes(command.acceptAborts),
    releaseAndArchive: writes(command.releaseAndArchive),
  },
});
