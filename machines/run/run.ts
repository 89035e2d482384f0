/**
 * The life of one run. Mission Control Service, section 3.2: each row of its table is a transition here. Two regions:
 * who controls the run and what is under way (`control`), and beside it the simulated faults that it has switched on
 * (`faults`). The procedure is data (`contract/program.ts`): the chart knows what is under way, never which step it is;
 * `choosing` asks for what comes next (`choosing.ts`).
 *
 * R1. No telecommand leaves once the run is suspended, and none is sent whose sending is not in the log.
 * R2. The log says everything: a new owner continues from any beginning of it (`fold.ts`).
 * R3. A state-changing telecommand is never sent again without a person's decision.
 * R4. Nothing is logged behind `finished`.
 * R5. A state with the tag `awaits` waits for the reply to the last ticket given out; a reply with another one moves
 *     nothing.
 */

import type { SnapshotFrom } from 'xstate';
import { CHART_MICROSTEPS } from '../../contract/limits/cell.ts';
import { chartOfRun } from './actions.ts';
import { newRun } from './beginning.ts';
import type { RunContext } from './context.ts';

const SUSPENDING = '#run.control.suspending';
const DECIDING = '#run.control.waitingDecision';
const ENDING = '#run.control.ending';
/** Waiting for people or for another attempt is no instruction: a suspension interrupts it (MC-STM-030). */
const suspendAtOnce = { target: SUSPENDING, actions: 'acceptSuspension' } as const;
/** While leases are on their way what is asked is done behind it (run/command.M2). */
const suspendBehind = [
  { guard: 'isAborted', actions: 'refuseEnding' },
  { actions: 'acceptSuspension' },
] as const;
const abort = { target: ENDING, actions: 'keepAbort' } as const;
const keep = { actions: 'keepForOwner' } as const;
const over = { actions: 'sayOver' } as const;
const awaits = 'awaits';

export const runMachine = chartOfRun.createMachine({
  id: 'run',
  options: { maxIterations: CHART_MICROSTEPS },
  context: ({ input }) => newRun(input),
  type: 'parallel',
  states: {
    control: {
      initial: { target: 'preparing', actions: 'logStarted' },
      on: {
        answer: { actions: 'refuseAnswer' },
        'command.resume': { actions: 'refuseNotSuspended' },
        'pass.seen': { guard: 'isPassNews', actions: 'logPass' },
      },
      states: {
        preparing: {
          tags: awaits,
          entry: 'takeLeases',
          on: {
            prepared: [
              { guard: 'isAborted', target: 'ending' },
              { guard: 'inTime', target: 'running', actions: 'keepLeases' },
            ],
            'not-prepared': [
              { guard: 'isAborted', target: 'ending' },
              { guard: 'inTime', target: 'ending', actions: 'logNotReady' },
            ],
            'command.suspend': suspendBehind,
            'command.preempt': suspendBehind,
            'command.abort': { actions: 'keepAbort' },
          },
        },
        running: {
          initial: 'choosing',
          on: {
            'command.suspend': { actions: 'acceptSuspension' },
            'command.preempt': suspendAtOnce,
            'command.abort': abort,
          },
          states: {
            choosing: {
              entry: 'advance',
              always: [
                { guard: 'isTelecommandNext', target: 'sending' },
                { guard: 'isConditionNext', target: 'judging' },
                { guard: 'isTextNext', target: 'writing' },
                { guard: 'isWaitNext', target: 'waiting' },
                { guard: 'isModeNext', target: 'settingMode' },
                { guard: 'isTransferNext', target: 'transferring' },
                { guard: 'isQuestionNext', target: 'asking' },
                { guard: 'isConfirmationNext', target: 'confirming' },
                { guard: 'isPauseNext', target: 'pausing' },
                { guard: 'isDecisionRequired', target: 'failing' },
                { guard: 'isDecisionPending', target: DECIDING },
                { guard: 'isInstructionOver', target: SUSPENDING },
                { guard: 'isStillSuspended', target: '#run.control.suspended' },
                { guard: 'isNotBegun', target: '#run.control.preparing' },
                { guard: 'isTakenOver', target: '#run.control.retaking' },
                { guard: 'isLastActionDone', target: ENDING },
              ],
            },
            sending: {
              tags: awaits,
              entry: 'sendTelecommand',
              on: {
                'telecommand.ended': [
                  { guard: 'isVerified', target: 'choosing', actions: 'passSending' },
                  {
                    guard: 'maySendAgain',
                    target: 'sending',
                    reenter: true,
                    actions: 'countFailedSending',
                  },
                  { guard: 'isSuspendedBeforeRetry', target: SUSPENDING, actions: 'logTelecommandEnd' },
                  { guard: 'inTime', target: 'failing', actions: 'logTelecommandEnd' },
                ],
              },
            },
            judging: {
              tags: awaits,
              entry: 'judge',
              on: {
                judged: [
                  { guard: 'doReadbacksHold', target: 'settingMode', actions: 'logChecked' },
                  { guard: 'doesHold', target: 'choosing', actions: 'passCondition' },
                  { guard: 'inTime', target: 'failing', actions: 'logChecked' },
                ],
              },
            },
            writing: {
              tags: awaits,
              entry: 'writeText',
              on: {
                written: [
                  { guard: 'isLogText', target: 'choosing', actions: 'logText' },
                  { guard: 'isSuspensionWished', target: SUSPENDING },
                  { guard: 'isUnanswerable', target: 'failing' },
                  { guard: 'isAnsweredByNobody', target: 'choosing', actions: 'answerItself' },
                  { guard: 'isConfirmation', target: 'confirming' },
                  { guard: 'inTime', target: 'asking' },
                ],
              },
            },
            waiting: {
              tags: awaits,
              entry: 'wait',
              on: { woken: { guard: 'inTime', target: 'choosing', actions: 'passStatement' } },
            },
            settingMode: {
              tags: awaits,
              entry: 'setMode',
              on: {
                done: { guard: 'inTime', target: 'choosing', actions: 'passMode' },
                failed: { guard: 'inTime', target: 'failing' },
              },
            },
            transferring: {
              tags: awaits,
              entry: 'transfer',
              on: {
                done: { guard: 'inTime', target: 'choosing', actions: 'passStatement' },
                failed: { guard: 'inTime', target: 'failing' },
              },
            },
            asking: {
              tags: awaits,
              entry: 'ask',
              on: {
                answer: [
                  { guard: 'answersNoQuestion', actions: 'refuseToQuestion' },
                  { guard: 'answersNo', target: 'failing', actions: 'logAnswer' },
                  { guard: 'answersValue', target: 'readingAnswer' },
                  { guard: 'answersWithoutValue', target: 'failing', actions: 'logAnswer' },
                  { target: 'choosing', actions: 'passQuestion' },
                ],
                woken: { guard: 'inTime', target: 'failing' },
                'command.suspend': suspendAtOnce,
              },
            },
            confirming: {
              tags: awaits,
              entry: 'askConfirmation',
              on: {
                answer: [
                  { guard: 'answersNoConfirmation', actions: 'refuseToConfirmation' },
                  { guard: 'answersNo', target: 'failing', actions: 'logAnswer' },
                  { target: 'choosing', actions: 'passConfirmation' },
                ],
                'command.suspend': suspendAtOnce,
              },
            },
            readingAnswer: {
              tags: awaits,
              entry: 'readAnswer',
              on: {
                'answer.read': { guard: 'inTime', target: 'choosing', actions: 'passTypedAnswer' },
                'answer.unreadable': { guard: 'inTime', target: 'failing', actions: 'logUnreadable' },
              },
            },
            /** Before another attempt. */
            pausing: {
              tags: awaits,
              entry: 'pause',
              on: {
                woken: { guard: 'inTime', target: 'choosing' },
                'command.suspend': suspendAtOnce,
              },
            },
            failing: {
              always: [
                { guard: 'isEligibleForRetry', target: 'choosing', actions: 'logFailedAttempt' },
                { target: DECIDING, actions: 'requireDecision' },
              ],
            },
          },
        },
        waitingDecision: {
          always: { guard: 'isSuspensionWished', target: 'suspending' },
          on: {
            answer: [
              { guard: 'answersNoDecision', actions: 'refuseToDecision' },
              { guard: 'answersNo', target: 'ending', actions: 'logDecision' },
              { guard: 'answersReplay', target: 'running', actions: 'beginNewAttempt' },
              { guard: 'answersSkip', target: 'running', actions: 'countAsPassed' },
              { guard: 'answersFail', target: 'running', actions: 'failStep' },
              { guard: 'answersAbort', target: 'ending', actions: 'logDecision' },
            ],
            'command.suspend': suspendAtOnce,
            'command.preempt': suspendAtOnce,
            'command.abort': abort,
          },
        },
        suspending: {
          tags: awaits,
          entry: 'releaseLeases',
          on: {
            released: [
              { guard: 'isAborted', target: 'ending', actions: 'leasesReleased' },
              { guard: 'inTime', target: 'suspended', actions: 'logSuspended' },
            ],
            'command.suspend': [
              { guard: 'isAborted', actions: 'refuseEnding' },
              { actions: 'confirmSuspended' },
            ],
            'command.preempt': [
              { guard: 'isAborted', actions: 'refuseEnding' },
              { actions: 'confirmSuspended' },
            ],
            'command.resume': { actions: 'refuseSuspending' },
            'command.abort': { actions: 'keepAbort' },
          },
        },
        suspended: {
          on: {
            'command.resume': [
              { guard: 'isRefusable', actions: 'refuseResumption' },
              { guard: 'choosesAbort', target: 'ending', actions: 'keepAbort' },
              { target: 'resuming', actions: 'keepResumption' },
            ],
            'command.suspend': { actions: 'confirmSuspended' },
            'command.preempt': { actions: 'confirmSuspended' },
            'command.abort': abort,
          },
        },
        resuming: {
          tags: awaits,
          entry: 'retakeLeases',
          on: {
            prepared: [
              { guard: 'isAborted', target: 'ending', actions: 'refuseResumed' },
              { guard: 'inTime', target: 'running', actions: ['keepLeases', 'logContinued'] },
            ],
            'not-prepared': [
              { guard: 'isAborted', target: 'ending', actions: 'refuseResumed' },
              { guard: 'inTime', target: 'suspended', actions: 'refuseResumed' },
            ],
            'command.suspend': suspendBehind,
            'command.preempt': suspendBehind,
            'command.resume': { actions: 'refuseResuming' },
            'command.abort': { actions: 'keepAbort' },
          },
        },
        /** A new owner makes sure of the leases. */
        retaking: {
          tags: awaits,
          entry: 'checkLeases',
          on: {
            prepared: [
              { guard: 'isAborted', target: 'ending' },
              { guard: 'inTime', target: 'running', actions: 'keepLeases' },
            ],
            'not-prepared': [
              { guard: 'isAborted', target: 'ending' },
              { guard: 'inTime', target: 'suspending', actions: 'logNotRetaken' },
            ],
            'command.suspend': suspendBehind,
            'command.preempt': suspendBehind,
            'command.resume': { actions: 'refuseResuming' },
            'command.abort': { actions: 'keepAbort' },
          },
        },
        recovering: {
          on: {
            recovered: { target: 'running', actions: ['logTakeover', 'repeatEarly'] },
            answer: keep,
            'command.suspend': keep,
            'command.preempt': keep,
            'command.resume': keep,
            'command.abort': keep,
            'pass.seen': keep,
          },
        },
        ending: {
          initial: 'beginning',
          on: {
            'command.suspend': { actions: 'refuseEnding' },
            'command.preempt': { actions: 'refuseEnding' },
            'command.resume': { actions: 'refuseEnding' },
            'command.abort': { actions: 'keepAbort' },
          },
          states: {
            beginning: {
              always: [{ guard: 'isToLookBack', target: 'lookingBack' }, { target: 'checking' }],
            },
            /** What became of the files that it uploads is logged before the end is. */
            lookingBack: {
              tags: awaits,
              entry: 'lookBack',
              on: { 'uploads.seen': { guard: 'inTime', target: 'checking', actions: 'logUploads' } },
            },
            checking: {
              entry: 'switchOffFaults',
              always: [
                { guard: 'areFaultsOff', target: 'releasing', actions: 'logFinished' },
                { target: 'switchingOff' },
              ],
            },
            /** Some fault is on still, or is about to be switched on. */
            switchingOff: {
              on: {
                'fault.switched': 'checking',
                'fault.refused': 'checking',
              },
            },
            /** `finished` is logged: the leases go back, the report is archived. */
            releasing: {
              tags: awaits,
              entry: ['acceptAborts', 'releaseAndArchive'],
              on: {
                released: { guard: 'inTime', target: '#run.control.finished' },
                answer: {},
                'command.suspend': over,
                'command.preempt': over,
                'command.resume': over,
                'command.abort': over,
              },
            },
          },
        },
        finished: { type: 'final' },
      },
    },
    faults: {
      initial: 'noFault',
      on: {
        'fault.switched': { guard: 'isSwitch', actions: 'logSwitch' },
        'fault.refused': { guard: 'isSwitch', actions: 'logSwitch' },
        released: { guard: 'isRunOver', target: '.finished' },
      },
      states: {
        noFault: { always: { guard: 'isAnyArmed', target: 'faultArmed' } },
        faultArmed: {
          always: [
            { guard: 'isAnyOn', target: 'faultOn' },
            { guard: 'isNoneArmed', target: 'noFault' },
          ],
        },
        faultOn: {
          always: [
            { guard: 'isAnyArmed', target: 'faultArmed' },
            { guard: 'isNoneArmed', target: 'noFault' },
          ],
        },
        finished: { type: 'final' },
      },
    },
  },
});

export type RunSnapshot = SnapshotFrom<typeof runMachine>;

/** The ticket of the reply that the chart waits for; undefined when it waits for none (R5). */
export function awaitedTicket(snapshot: RunSnapshot): number | undefined {
  return snapshot.hasTag(awaits) ? snapshot.context.tickets : undefined;
}

/** What is under way: the innermost state of the region `control`. */
export function underWay({ value }: Pick<RunSnapshot, 'value'>) {
  const { control } = value;
  if (typeof control === 'string') return control;
  return 'running' in control ? control.running : control.ending;
}

/** The state of the region `faults` for a context. */
export function faultsState({ faults }: RunContext): 'noFault' | 'faultArmed' | 'faultOn' {
  if (faults.some(({ isLit }) => isLit)) return 'faultOn';
  const isArmed = faults.some(({ on, off }) => on.stage === 'armed' || off.stage === 'armed');
  return isArmed ? 'faultArmed' : 'noFault';
}
