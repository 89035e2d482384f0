/**
 * The life of one run of a scenario. RF Bench Service, section 3. What a step does, and what assertions say, is decided
 * elsewhere: here is only the order.
 *
 * J1. One step at a time, in order; each is over before the next is asked for.
 * J2. However the timeline ends, the actions of the end are done and the board is given back, each once.
 * J3. A life of the daemon does nothing that an earlier one asked for: such a run failed, and what the board did then
 *     is unknown.
 * J4. A run whose timeline was not completed never passes.
 */

import { assign, emit, setup } from 'xstate';
import { BENCH_ABORT_MS, BENCH_ENDING_MS } from '../../contract/limits/bench.ts';
import { CHART_MICROSTEPS } from '../../contract/limits/cell.ts';
import {
  endStatus,
  type ScenarioRunContext,
  type ScenarioRunEffect,
  type ScenarioRunEvent,
  type ScenarioRunInput,
  type TimelineEnd,
} from './scenario-run-protocol.ts';

export const scenarioRunMachine = setup({
  types: {} as {
    context: ScenarioRunContext;
    events: ScenarioRunEvent;
    emitted: ScenarioRunEffect;
    input: ScenarioRunInput;
  },
  guards: {
    isEnding: ({ context }) => context.end !== undefined,
    isCurrent: ({ context, event }) => 'index' in event && event.index === context.cursor,
    isLast: ({ context, event }) =>
      'index' in event && event.index === context.cursor && context.cursor === context.steps - 1,
    willPass: ({ context, event }) => statusOf(context, event) === 'passed',
    willCancel: ({ context, event }) => statusOf(context, event) === 'cancelled',
  },
  delays: {
    runLimit: ({ context }) => context.limitMs,
    abortTerm: BENCH_ABORT_MS,
    endingTerm: BENCH_ENDING_MS,
  },
  actions: {
    hold: emit(({ context }): ScenarioRunEffect => ({ type: 'effect.hold', session: context.session })),
    step: emit(
      ({ context }): ScenarioRunEffect => ({
        type: 'effect.step',
        session: context.session,
        index: context.cursor,
      }),
    ),
    abort: emit(
      ({ context: { session, end } }): ScenarioRunEffect => ({
        type: 'effect.abort',
        session,
        reason: end?.reason ?? 'it ends',
      }),
    ),
    end: emit(({ context }): ScenarioRunEffect => ({ type: 'effect.end', session: context.session })),
    judge: emit(
      ({ context: { session, end } }): ScenarioRunEffect => ({
        type: 'effect.judge',
        session,
        end: end ?? { as: 'failed', reason: 'it ended without a reason', lost: false },
      }),
    ),
    over: emit(({ context }): ScenarioRunEffect => ({ type: 'effect.over', session: context.session })),
    advance: assign(({ context }) => ({ cursor: context.cursor + 1 })),
    complete: assign(({ context }) => ({
      cursor: context.cursor + 1,
      end: context.end ?? { as: 'completed' as const, reason: 'the timeline was completed', lost: false },
    })),
    /** The first reason to end is the reason. */
    stop: assign(({ context, event }) => ({ end: context.end ?? endBy(event, context) })),
    judged: assign(({ event }) => (event.type === 'run.judged' ? judgedBy(event) : {})),
    interrupt: assign(({ context, event }) => ({
      end: {
        as: 'failed' as const,
        reason: 'the daemon ended while it ran',
        lost: false,
      },
      endedAt: 'at' in event ? event.at : context.startedAt,
    })),
  },
}).createMachine({
  id: 'scenario',
  options: { maxIterations: CHART_MICROSTEPS },
  context: ({ input }) => ({
    runId: input.runId,
    scenario: input.scenario,
    profileRef: input.profileRef,
    session: input.session,
    steps: input.steps,
    limitMs: input.limitMs,
    startedAt: input.at,
    cursor: 0,
    end: undefined,
    judgement: undefined,
    endedAt: undefined,
  }),
  initial: 'pending',
  states: {
    pending: {
      entry: 'hold',
      on: {
        'board.held': [{ guard: 'isEnding', target: 'running.ending' }, { target: 'running' }],
        'board.refused': { target: 'running.judging', actions: 'stop' },
        'operator.cancel': { actions: 'stop' },
        'campaign.gaveUp': { actions: 'stop' },
        'run.cutOff': { actions: 'stop' },
        'board.lost': { actions: 'stop' },
        'daemon.restarted': { target: 'failed', actions: 'interrupt' },
      },
    },
    running: {
      initial: 'timeline',
      on: { 'daemon.restarted': { target: 'failed', actions: 'interrupt' } },
      states: {
        timeline: {
          entry: 'step',
          after: { runLimit: { target: 'stopping', actions: 'stop' } },
          on: {
            'step.done': [
              { guard: 'isLast', target: 'ending', actions: 'complete' },
              { guard: 'isCurrent', actions: ['advance', 'step'] },
            ],
            'step.failed': { guard: 'isCurrent', target: 'ending', actions: ['stop', 'advance'] },
            'operator.cancel': { target: 'stopping', actions: 'stop' },
            'campaign.gaveUp': { target: 'stopping', actions: 'stop' },
            'run.cutOff': { target: 'stopping', actions: 'stop' },
            'board.lost': { target: 'stopping', actions: 'stop' },
          },
        },
        stopping: {
          entry: 'abort',
          after: { abortTerm: 'ending' },
          on: {
            'step.done': { guard: 'isCurrent', target: 'ending', actions: 'advance' },
            'step.failed': { guard: 'isCurrent', target: 'ending', actions: 'advance' },
          },
        },
        ending: {
          entry: 'end',
          after: { endingTerm: 'judging' },
          on: { 'ending.done': 'judging' },
        },
        judging: {
          entry: 'judge',
          on: {
            'run.judged': [
              { guard: 'willPass', target: '#scenario.passed', actions: 'judged' },
              { guard: 'willCancel', target: '#scenario.cancelled', actions: 'judged' },
              { target: '#scenario.failed', actions: 'judged' },
            ],
          },
        },
      },
    },
    passed: { entry: 'over', type: 'final' },
    failed: { entry: 'over', type: 'final' },
    cancelled: { entry: 'over', type: 'final' },
  },
});

function statusOf({ end }: ScenarioRunContext, event: ScenarioRunEvent): string | undefined {
  if (event.type !== 'run.judged' || end === undefined) return undefined;
  return endStatus(end, event);
}

/** Why an event ends the timeline; a deadline has no event of its own. */
function endBy(event: ScenarioRunEvent | { type: string }, { limitMs }: ScenarioRunContext): TimelineEnd {
  if (event.type === 'operator.cancel') return { as: 'cancelled', reason: 'cancelled', lost: false };
  const { reason, lost = event.type === 'board.lost' } = event as { reason?: string; lost?: boolean };
  return { as: 'failed', reason: reason ?? `it took longer than its ${limitMs / 1000} s`, lost };
}

function judgedBy({
  at,
  ...event
}: Extract<ScenarioRunEvent, { type: 'run.judged' }>): Partial<ScenarioRunContext> {
  const { type: _, ...judgement } = event;
  return { judgement, endedAt: at };
}
