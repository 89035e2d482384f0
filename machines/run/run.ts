/**
 * The life of one run. Mission Control Service, section 3.2. The procedure is data (`contract/program.ts`): the chart knows
 * what is under way, never which step it is. What an event leads to is worked out in one turn (`told.ts`): events of the
 * log and effects, and the state for what is under way next.
 *
 * R1. No telecommand leaves once the run is suspended, and none is sent whose sending is not in the log.
 * R2. The log tells the whole of it: a new owner goes on from any beginning of it (`fold.ts`).
 * R3. A state-changing telecommand is never sent again without a person's decision.
 * R4. Nothing is logged behind `finished`.
 */

import { enqueueActions, setup } from 'xstate';
import { CHART_MICROSTEPS } from '../../contract/limits.ts';
import type { AnswerGiven, RunChartEvent, RunCommand, RunEffect, RunInput, RunRecord } from './protocol.ts';
import { begun, newRun, told } from './told.ts';
import type { Activity, RunContext } from './turn.ts';

/** The state for each activity. */
const STATE_OF = {
  preparing: 'preparing',
  sending: 'running.sending',
  judging: 'running.judging',
  writing: 'running.writing',
  waiting: 'running.waiting',
  settingMode: 'running.settingMode',
  transferring: 'running.transferring',
  asking: 'running.asking',
  confirming: 'running.confirming',
  readingAnswer: 'running.readingAnswer',
  pausing: 'running.pausing',
  waitingDecision: 'waitingDecision',
  suspending: 'suspending',
  suspended: 'suspended',
  resuming: 'resuming',
  ending: 'ending',
  closing: 'closing',
  recovering: 'recovering',
} as const satisfies Record<Exclude<Activity['kind'], 'none'>, string>;

type ActivityKind = keyof typeof STATE_OF;

/** The event is worked out, and the chart goes where that leads. */
const taken = { target: '#run.proceeding', actions: 'takeTurn' } as const;
/** The same for the reply of an effect: one that comes too late changes nothing. */
const reply = { ...taken, guard: 'isAwaited' } as const;
const kept = { actions: 'keepForOwner' } as const;

export const runMachine = setup({
  types: {} as {
    context: RunContext;
    events: RunChartEvent;
    emitted: RunEffect | RunRecord;
    input: RunInput;
  },
  guards: {
    isAwaited: ({ context: { activity }, event }) =>
      'ticket' in activity && 'ticket' in event && event.ticket === activity.ticket,
    isUnderWay: ({ context }, kind: ActivityKind) => context.activity.kind === kind,
  },
  actions: {
    begin: enqueueActions(({ context, enqueue }) => {
      const turn = begun(context);
      enqueue.assign(turn.context);
      for (const item of turn.emitted) enqueue.emit(item);
    }),
    takeTurn: enqueueActions(({ context, event, enqueue }) => {
      const turn = told(context, event);
      enqueue.assign(turn.context);
      for (const item of turn.emitted) enqueue.emit(item);
    }),
    keepForOwner: enqueueActions(({ context, event, enqueue }) => {
      enqueue.assign({ early: [...context.early, event as RunCommand | AnswerGiven] });
    }),
    /** Each behind the turn of the takeover, as if it came now. */
    tellEarly: enqueueActions(({ context, self, enqueue }) => {
      for (const event of context.early) enqueue.sendTo(self, event);
      enqueue.assign({ early: [] });
    }),
  },
}).createMachine({
  id: 'run',
  options: { maxIterations: CHART_MICROSTEPS },
  context: ({ input }) => newRun(input),
  initial: 'beginning',
  on: {
    'command.suspend': taken,
    'command.preempt': taken,
    'command.resume': taken,
    'command.abort': taken,
    answer: taken,
    'fault.switched': taken,
    'fault.refused': taken,
  },
  states: {
    beginning: { always: { target: 'proceeding', actions: 'begin' } },
    proceeding: {
      always: (Object.keys(STATE_OF) as ActivityKind[]).map((kind) => ({
        guard: { type: 'isUnderWay' as const, params: kind },
        target: STATE_OF[kind],
      })),
    },
    preparing: { on: { prepared: reply, 'not-prepared': reply } },
    running: {
      initial: 'sending',
      states: {
        sending: { on: { 'telecommand.ended': reply } },
        judging: { on: { judged: reply } },
        writing: { on: { written: reply } },
        waiting: { on: { woken: reply } },
        settingMode: { on: { done: reply, failed: reply } },
        transferring: { on: { done: reply, failed: reply } },
        asking: { on: { woken: reply } },
        confirming: {},
        readingAnswer: { on: { 'answer.read': reply, 'answer.unreadable': reply } },
        /** Before another attempt. */
        pausing: { on: { woken: reply } },
      },
    },
    waitingDecision: {},
    suspending: { on: { released: reply } },
    suspended: {},
    resuming: { on: { prepared: reply, 'not-prepared': reply } },
    /** Faults are switched off. */
    ending: {},
    /** `finished` is logged: the leases go back, the report is archived. */
    closing: {
      on: {
        released: { guard: 'isAwaited', target: 'finished' },
        answer: {},
        'fault.switched': {},
        'fault.refused': {},
      },
    },
    finished: { type: 'final' },
    recovering: {
      on: {
        recovered: { ...taken, actions: ['takeTurn', 'tellEarly'] },
        'command.suspend': kept,
        'command.preempt': kept,
        'command.resume': kept,
        'command.abort': kept,
        answer: kept,
      },
    },
  },
});
