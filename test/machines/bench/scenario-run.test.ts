import { describe, expect, it } from 'vitest';
import { BENCH_ABORT_MS, BENCH_ENDING_MS } from '../../../contract/limits/bench.ts';
import { scenarioRunMachine } from '../../../machines/bench/scenario-run.ts';
import type { ScenarioRunEvent, ScenarioRunInput } from '../../../machines/bench/scenario-run-protocol.ts';
import { drive, explore, type Row, walkTable } from '../../harness/harness.ts';

const INPUT: ScenarioRunInput = {
  runId: 'r',
  scenario: 's',
  session: 'one',
  steps: 2,
  limitMs: 60_000,
  at: 0,
};

const at = 1;
const held: ScenarioRunEvent = { type: 'board.held', at };
const first: ScenarioRunEvent = { type: 'step.done', at, index: 0 };
const second: ScenarioRunEvent = { type: 'step.done', at, index: 1 };
const failed: ScenarioRunEvent = { type: 'step.failed', at, index: 0, reason: 'no', lost: false };
const failedSecond: ScenarioRunEvent = { ...failed, index: 1 };
const cancel: ScenarioRunEvent = { type: 'operator.cancel', at };
const gaveUp: ScenarioRunEvent = { type: 'campaign.gaveUp', at, reason: 'late' };
const cutOff: ScenarioRunEvent = { type: 'run.cutOff', at, reason: 'unrecorded' };
const lost: ScenarioRunEvent = { type: 'board.lost', at, reason: 'gone' };
const refusedHold: ScenarioRunEvent = { type: 'board.refused', at, reason: 'no board', lost: true };
const ended: ScenarioRunEvent = { type: 'ending.done', at };
const judged = (assertionsFailed: number): ScenarioRunEvent => ({
  type: 'run.judged',
  at,
  durationMs: 5,
  stepsExecuted: 2,
  assertionsPassed: 1,
  assertionsFailed,
  verified: true,
  hasReport: true,
});
const restarted: ScenarioRunEvent = { type: 'daemon.restarted', at };

type Chart = typeof scenarioRunMachine;
const run = (...events: ScenarioRunEvent[]) => drive(scenarioRunMachine, { input: INPUT }).send(...events);

describe('the whole chart: every pair that is not listed stays put', () => {
  // One step, so that each row leads to one state.
  const ROWS: Row<Chart>[] = [
    { from: 'pending', on: held, to: 'running.timeline' },
    { from: 'pending', on: refusedHold, to: 'running.judging' },
    ...[cancel, gaveUp, cutOff, lost].map((on): Row<Chart> => ({ from: 'pending', on, to: 'pending' })),
    { from: 'pending', on: restarted, to: 'failed' },
    { from: 'running.timeline', on: first, to: 'running.ending' },
    { from: 'running.timeline', on: failed, to: 'running.ending' },
    ...[cancel, gaveUp, cutOff, lost, 'deadline' as const].map(
      (on): Row<Chart> => ({ from: 'running.timeline', on, to: 'running.stopping' }),
    ),
    { from: 'running.timeline', on: restarted, to: 'failed' },
    ...[first, failed, 'deadline' as const].map(
      (on): Row<Chart> => ({ from: 'running.stopping', on, to: 'running.ending' }),
    ),
    { from: 'running.stopping', on: restarted, to: 'failed' },
    { from: 'running.ending', on: ended, to: 'running.judging' },
    { from: 'running.ending', on: 'deadline', to: 'running.judging' },
    { from: 'running.ending', on: restarted, to: 'failed' },
    // The shortest way there is a board that was not held.
    { from: 'running.judging', on: judged(0), to: 'failed' },
    { from: 'running.judging', on: restarted, to: 'failed' },
  ];

  it('RB-SCEN-013 pending, running, then passed, failed or cancelled: the table of transitions', () => {
    const walked = walkTable(scenarioRunMachine, {
      input: { ...INPUT, steps: 1 },
      rows: ROWS,
      alien: [second],
    });
    expect(walked.states.length).toBeGreaterThanOrEqual(6);
  });

  it('a request to end before the board is held only marks the end: no step is asked for', () => {
    for (const wish of [cancel, gaveUp, cutOff, lost]) {
      const driven = run(wish).expectState('pending').send(held).expectState('running.ending');
      expect(driven.effects.map(({ type }) => type)).toEqual(['effect.hold', 'effect.end']);
    }
  });
});

describe('ends', () => {
  const ENDS: [name: string, events: ScenarioRunEvent[], state: 'passed' | 'failed' | 'cancelled'][] = [
    ['all steps, no assertion failed', [held, first, second, ended, judged(0)], 'passed'],
    ['all steps, an assertion failed', [held, first, second, ended, judged(1)], 'failed'],
    ['a step refused', [held, failed, ended, judged(0)], 'failed'],
    ['cancelled in a step', [held, cancel, failed, ended, judged(0)], 'cancelled'],
    [
      'cancelled in the last step, which ends all the same',
      [held, first, cancel, second, ended, judged(0)],
      'cancelled',
    ],
    ['cancelled before it began', [cancel, held, ended, judged(0)], 'cancelled'],
    ['given up by its campaign', [held, gaveUp, failed, ended, judged(0)], 'failed'],
    ['the board lost', [held, first, lost, failedSecond, ended, judged(0)], 'failed'],
    ['the board not held', [refusedHold, judged(0)], 'failed'],
    [
      'lost, then cancelled: the first reason counts',
      [held, lost, cancel, failed, ended, judged(0)],
      'failed',
    ],
  ];

  it.each(ENDS)('RB-SCEN-002 %s', (_, events, state) => {
    const driven = run(...events).expectState(state);
    expect(driven.ended).toBe(true);
    expect(driven.effects.filter(({ type }) => type === 'effect.over')).toHaveLength(1);
  });

  it('the limit of the run ends it as failed, and an aborted step that never answers is left', () => {
    const driven = run(held).advance(59_999).expectState('running.timeline').advance(1);
    driven
      .expectState('running.stopping')
      .advance(BENCH_ABORT_MS - 1)
      .expectState('running.stopping');
    driven
      .advance(1)
      .expectState('running.ending')
      .advance(BENCH_ENDING_MS - 1);
    driven.expectState('running.ending').advance(1).expectState('running.judging');
    driven.send(judged(0)).expectState('failed');
    expect(driven.context.end).toMatchObject({ as: 'failed', reason: expect.stringContaining('60 s') });
  });

  it('the limit counts from the beginning of the timeline, not from the last step', () => {
    run(held).advance(59_000).send(first).advance(1_000).expectState('running.stopping');
  });

  it('scenario-run.J1 each step is asked for once the one before is over, in the name of the life of the daemon', () => {
    const driven = run(held, first, second, ended, judged(0));
    const end = { as: 'completed', reason: 'the timeline was completed', lost: false };
    expect(driven.effects).toEqual([
      { type: 'effect.hold', session: 'one' },
      { type: 'effect.step', session: 'one', index: 0 },
      { type: 'effect.step', session: 'one', index: 1 },
      { type: 'effect.end', session: 'one' },
      { type: 'effect.judge', session: 'one', end },
      { type: 'effect.over', session: 'one' },
    ]);
    const { type: _, at: __, ...judgement } = judged(0) as Extract<ScenarioRunEvent, { type: 'run.judged' }>;
    expect(driven.context).toMatchObject({ cursor: 2, end, judgement, endedAt: at });
    expect(driven.context.judgement).toEqual(judgement);
  });

  const REASONS: [name: string, events: ScenarioRunEvent[], end: object, isAborted: boolean][] = [
    ['cancelled', [held, cancel], { as: 'cancelled', reason: 'cancelled', lost: false }, true],
    ['cut off', [held, cutOff], { as: 'failed', reason: 'unrecorded', lost: false }, true],
    ['given up', [held, gaveUp], { as: 'failed', reason: 'late', lost: false }, true],
    ['board lost', [held, lost], { as: 'failed', reason: 'gone', lost: true }, true],
    ['board lost before it was held', [lost, held], { as: 'failed', reason: 'gone', lost: true }, false],
    ['board refused', [refusedHold], { as: 'failed', reason: 'no board', lost: true }, false],
    [
      'board busy',
      [{ ...refusedHold, lost: false } as ScenarioRunEvent],
      { as: 'failed', lost: false },
      false,
    ],
    ['a step failed', [held, failed], { as: 'failed', reason: 'no', lost: false }, false],
    [
      'a step failed with the board',
      [held, { ...failed, lost: true } as ScenarioRunEvent],
      { as: 'failed', reason: 'no', lost: true },
      false,
    ],
  ];

  it.each(REASONS)(
    'why it ends, and whether what is under way is aborted: %s',
    (_, events, end, isAborted) => {
      const driven = run(...events);
      expect(driven.context.end).toMatchObject(end);
      const aborts = driven.effects.filter(({ type }) => type === 'effect.abort');
      expect(aborts).toEqual(
        isAborted ? [{ type: 'effect.abort', session: 'one', reason: driven.context.end?.reason }] : [],
      );
    },
  );

  it('scenario-run.J1 what is under way is waited for, and no other step, once the end is asked for', () => {
    const stopping = run(held, first, cancel, first).expectState('running.stopping');
    expect(stopping.send(second).expectState('running.ending').context.cursor).toBe(2);
    expect(run(held, cancel, failedSecond).expectState('running.stopping').context.cursor).toBe(0);
  });

  it('scenario-run.J1 an answer to another step than the current one changes nothing', () => {
    run(held, first, first).expectState('running.timeline');
    expect(run(held, first, first).context.cursor).toBe(1);
    const failedBefore = run(held, first, failed).expectState('running.timeline');
    expect([failedBefore.context.cursor, failedBefore.context.end]).toEqual([1, undefined]);
  });

  it('scenario-run.J1 a step that failed has been executed', () => {
    const { context } = run(held, first, failedSecond).expectState('running.ending');
    expect([context.cursor, context.end]).toMatchObject([
      2,
      { as: 'failed', reason: expect.stringContaining('no') },
    ]);
  });

  it('scenario-run.J2 the end is asked for where the timeline ends, and nowhere else; a way to the verdict leads through it', () => {
    const events = [held, first, second, failed, cancel, gaveUp, cutOff, lost, ended, judged(0), judged(1)];
    // Which step is under way and how it ends decide where a way leads.
    const distinguish = ({ context: { cursor, end } }: ReturnType<typeof run>) => `${cursor} ${end?.as}`;
    const explored = explore(scenarioRunMachine, { input: INPUT, events, distinguish });
    expect(explored.unreached).toEqual([]);
    explored.everyPath(({ from, to, effects }) => {
      const asked = effects.filter(({ type }) => type === 'effect.end').length;
      expect([from, to, asked]).toEqual([from, to, to === 'running.ending' && from !== to ? 1 : 0]);
      if (to === 'running.judging') expect(['pending', 'running.ending', to]).toContain(from);
    });
  });

  it('scenario-run.J3 an end of the daemon fails the run in any state, without a report', () => {
    for (const events of [[], [held], [held, cancel], [held, first, second], [held, first, second, ended]])
      expect(run(...events, restarted).expectState('failed').context).toMatchObject({
        judgement: undefined,
        end: { as: 'failed' },
        endedAt: at,
      });
  });
});
