/**
 * The life of the radio: whether there is a board, who holds it, and its commands in their order. RF Bench Service,
 * sections 1 and 3; the states are not shown there. What stops the transmitter is no command here: it is done at once,
 * and recorded afterwards.
 *
 * R1. Commands that use the same part of the board are done one at a time, in the order they were asked; those that use
 *     another go on beside them, so that a setting never waits for blocks. Whatever was asked behind a setting waits
 *     for it. How many wait is bounded.
 * R2. While a run holds the board, only what is done in its name is not refused; what was asked before is still done.
 * R3. Of a lost board nothing is taken for known: what waits and what is under way is refused, and no profile is
 *     applied.
 * R4. A new life of the daemon begins the same way: nothing asked in an earlier one is done or answered.
 */

import { assign, enqueueActions, setup } from 'xstate';
import {
  BENCH_COMMANDS_WAITING,
  BOARD_RETRY_FIRST_MS,
  BOARD_RETRY_LARGEST_MS,
} from '../../contract/limits/bench.ts';
import { CHART_MICROSTEPS } from '../../contract/limits/cell.ts';
import {
  type Command,
  goesBefore,
  type Holder,
  isSameHolder,
  type RadioContext,
  type RadioEffect,
  type RadioEvent,
} from './radio-protocol.ts';
import { afterFact, afterLoss, NOTHING_APPLIED } from './radio-record.ts';

type Of<Type extends RadioEvent['type']> = Extract<RadioEvent, { type: Type }>;

const BEGINNING: RadioContext = {
  record: NOTHING_APPLIED,
  session: '',
  trouble: 'the daemon has not looked for it yet',
  failures: 0,
  board: undefined,
  holder: undefined,
  running: [],
  waiting: [],
};

const isForeign = ({ holder }: RadioContext, by: Holder | undefined): boolean => !isSameHolder(holder, by);

function refusal(
  session: string,
  { id }: Command,
  why: Pick<Extract<RadioEffect, { type: 'effect.refuse' }>, 'code' | 'message' | 'help'>,
): RadioEffect {
  return { type: 'effect.refuse', session, id, ...why };
}

function nobodyElse({ holder }: RadioContext, { command, by }: Of<'operator.command'>) {
  if (holder === undefined)
    return {
      code: 'conflict' as const,
      message: `${by?.kind ?? 'the run'} ${by?.id ?? ''} no longer holds the board`,
    };
  return {
    code: 'board_busy' as const,
    message: `the ${holder.kind} run ${holder.id} holds the board, so ${command.route} is not done`,
    help: `wait for its end, or stop it; reading is possible meanwhile`,
  };
}

export const radioMachine = setup({
  types: {} as { context: RadioContext; events: RadioEvent; emitted: RadioEffect },
  guards: {
    isRefused: ({ context, event }) => event.type === 'operator.command' && isForeign(context, event.by),
    isFull: ({ context }) => context.waiting.length >= BENCH_COMMANDS_WAITING,
    isWaiting: ({ context, event }) =>
      event.type === 'operator.withdraw' && context.waiting.some(({ id }) => id === event.id),
    isLast: ({ context, event }) =>
      event.type === 'command.ended' &&
      context.waiting.length === 0 &&
      context.running.length === 1 &&
      context.running[0]?.id === event.id,
    isRunning: ({ context, event }) =>
      event.type === 'command.ended' && context.running.some(({ id }) => id === event.id),
    isPresentBoard: ({ context, event }) =>
      event.type === 'board.lost' && context.board?.attachment === event.attachment,
    isHolder: ({ context, event }) =>
      event.type === 'run.release' &&
      context.holder !== undefined &&
      isSameHolder(context.holder, event.holder),
  },
  delays: {
    retry: ({ context }) =>
      Math.min(BOARD_RETRY_LARGEST_MS, BOARD_RETRY_FIRST_MS * 2 ** Math.max(0, context.failures - 1)),
  },
  actions: {
    beginAnew: assign(({ context, event }) => ({
      ...BEGINNING,
      record: afterLoss(context.record),
      session: (event as Of<'daemon.started'>).session,
    })),
    attach: enqueueActions(({ context, enqueue }) =>
      enqueue.emit({ type: 'effect.attach', session: context.session }),
    ),
    keepBoard: assign(({ event }) => ({ board: (event as Of<'board.attached'>).board, failures: 0 })),
    countFailure: assign(({ context, event }) => ({
      failures: context.failures + 1,
      trouble: (event as Of<'board.missed' | 'board.lost'>).reason,
    })),
    refuseBusy: enqueueActions(({ context, event, enqueue }) => {
      const { command } = event as Of<'operator.command'>;
      enqueue.emit(refusal(context.session, command, nobodyElse(context, event as Of<'operator.command'>)));
    }),
    refuseFull: enqueueActions(({ context, event, enqueue }) => {
      const why = {
        code: 'unavailable' as const,
        message: `${BENCH_COMMANDS_WAITING} commands are already waiting for the board`,
        help: 'try again when some of them are done',
      };
      enqueue.emit(refusal(context.session, (event as Of<'operator.command'>).command, why));
    }),
    refuseAbsent: enqueueActions(({ context, event, enqueue }) => {
      const why = {
        code: 'unavailable' as const,
        message: `there is no board: ${context.trouble}`,
        help: 'the daemon keeps looking for it; check its power, its cable and its iiod',
      };
      enqueue.emit(refusal(context.session, (event as Of<'operator.command'>).command, why));
    }),
    wait: assign(({ context, event }) => ({
      waiting: [...context.waiting, (event as Of<'operator.command'>).command],
    })),
    /** R1 */
    beginReady: enqueueActions(({ context, enqueue }) => {
      const { session } = context;
      const running = [...context.running];
      const waiting: Command[] = [];
      for (const command of context.waiting) {
        if ([...running, ...waiting].some((before) => goesBefore(before, command))) waiting.push(command);
        else {
          running.push(command);
          enqueue.emit({ type: 'effect.command', session, id: command.id });
        }
      }
      enqueue.assign({ running, waiting });
    }),
    end: enqueueActions(({ context, event, enqueue }) => {
      const { id, facts, at } = event as Of<'command.ended'>;
      enqueue.assign({
        running: context.running.filter((command) => command.id !== id),
        record: facts.reduce((record, fact) => afterFact(record, fact, at), context.record),
      });
      enqueue.emit({ type: 'effect.answer', session: context.session, id });
    }),
    keepFacts: assign(({ context, event }) => {
      const { facts, at } = event as Of<'transmitter.stopped'>;
      return { record: facts.reduce((record, fact) => afterFact(record, fact, at), context.record) };
    }),
    keepDifference: assign(({ context, event }) => {
      const { what, at } = event as Of<'board.differs'>;
      return { record: afterFact(context.record, { type: 'board.differs', what }, at) };
    }),
    withdraw: enqueueActions(({ context, event, enqueue }) => {
      const { id } = event as Of<'operator.withdraw'>;
      enqueue.assign({ waiting: context.waiting.filter((command) => command.id !== id) });
      enqueue.emit({
        type: 'effect.refuse',
        session: context.session,
        id,
        code: 'conflict',
        message: 'withdrawn before it began',
      });
    }),
    /** R3 */
    lose: enqueueActions(({ context, event, enqueue }) => {
      const { reason } = event as Of<'board.lost'>;
      const { session, running, waiting, record } = context;
      const why = { code: 'unavailable' as const, message: `the board is lost: ${reason}` };
      for (const command of [...running, ...waiting]) enqueue.emit(refusal(session, command, why));
      enqueue.assign({ board: undefined, running: [], waiting: [], record: afterLoss(record) });
      enqueue.emit({ type: 'effect.tell-lost', session, reason });
    }),
    hold: enqueueActions(({ context, event, enqueue }) => {
      const { request, holder } = event as Of<'run.hold'>;
      const { session, holder: other } = context;
      const isFree = other === undefined || isSameHolder(other, holder);
      if (isFree) enqueue.assign({ holder });
      enqueue.emit({
        type: 'effect.hold-answer',
        session,
        request,
        ...(!isFree && { code: 'conflict', message: `the ${other.kind} run ${other.id} holds the board` }),
      });
    }),
    refuseHold: enqueueActions(({ context, event, enqueue }) => {
      const { request } = event as Of<'run.hold'>;
      enqueue.emit({
        type: 'effect.hold-answer',
        session: context.session,
        request,
        code: 'unavailable',
        message: `there is no board: ${context.trouble}`,
      });
    }),
    release: assign({ holder: undefined }),
  },
}).createMachine({
  id: 'radio',
  options: { maxIterations: CHART_MICROSTEPS },
  context: BEGINNING,
  initial: 'unstarted',
  on: {
    'daemon.started': { target: '.attaching', reenter: true, actions: 'beginAnew' },
    'operator.command': { actions: 'refuseAbsent' },
    'run.hold': { actions: 'refuseHold' },
    'run.release': { guard: 'isHolder', actions: 'release' },
  },
  states: {
    unstarted: {
      description: 'The daemon has not begun: what an earlier one was asked for is not carried out (R4).',
    },
    attaching: {
      entry: 'attach',
      on: {
        'board.attached': { target: 'attached', actions: 'keepBoard' },
        'board.missed': { target: 'absent', actions: 'countFailure' },
      },
    },
    absent: { after: { retry: 'attaching' } },
    attached: {
      initial: 'idle',
      on: {
        'run.hold': { actions: 'hold' },
        'transmitter.stopped': { actions: 'keepFacts' },
        'board.differs': { actions: 'keepDifference' },
        'board.lost': {
          guard: 'isPresentBoard',
          target: 'absent',
          actions: ['countFailure', 'lose'],
        },
      },
      states: {
        idle: {
          on: {
            'operator.command': [
              { guard: 'isRefused', actions: 'refuseBusy' },
              { target: 'working', actions: ['wait', 'beginReady'] },
            ],
          },
        },
        working: {
          on: {
            'operator.command': [
              { guard: 'isRefused', actions: 'refuseBusy' },
              { guard: 'isFull', actions: 'refuseFull' },
              { actions: ['wait', 'beginReady'] },
            ],
            'operator.withdraw': { guard: 'isWaiting', actions: ['withdraw', 'beginReady'] },
            'command.ended': [
              { guard: 'isLast', target: 'idle', actions: 'end' },
              { guard: 'isRunning', actions: ['end', 'beginReady'] },
            ],
          },
        },
      },
    },
  },
});
