/** What the log of a run with a plan says of its pass, in every state of its chart. */

import { describe, expect, it } from 'vitest';
import { stepsOf } from '../../../actors/run/replay.ts';
import { foldRun } from '../../../machines/run/fold.ts';
import { Bench, log, program, send, step, wait, well } from './bench.ts';

const PLAN = 'p1';
const planned = () =>
  program([step('a', [send('act'), log('pass by')]), step('b', [wait(5), send('more')])], { plan: PLAN });
const seen = (words: string, isStored = true) =>
  ({ type: 'pass.seen', text: `pass ${PLAN} of sat1 ${words}`, isStored }) as const;
const said = (bench: Bench): string[] => bench.of('logged').map(({ message }) => message);
const FROM = 'over kiruna is from 03:00 to 03:10';
const LATER = 'over kiruna is from 03:01 to 03:11';

describe('the pass of a plan', () => {
  it('pass-note.N1 is said when the run begins, then as a warning, and nothing twice in a row', () => {
    const bench = Bench.start(planned());
    bench.tell(seen(FROM)).tell(seen(FROM));
    bench.play(well, ({ state }) => state.endsWith('sending'));
    bench.tell(seen(LATER)).tell(seen(LATER)).tell(seen(FROM)).tell(seen('is not stored any more', false));
    bench.play();
    const about = `pass ${PLAN} of sat1`;
    expect(said(bench)).toEqual([
      `${about} ${FROM}`,
      `warning: ${about} ${LATER}`,
      `warning: ${about} ${FROM}`,
      `warning: ${about} is not stored any more`,
      'pass by',
    ]);
    expect(bench.kinds.slice(0, 2)).toEqual(['started', 'logged']);
    expect(bench.of('finished')).toMatchObject([{ ok: true }]);
  });

  it('pass-news.N2 is not missing before anything was said of it', () => {
    const bench = Bench.start(planned());
    bench.tell(seen('is not stored any more', false)).play();
    expect(said(bench)).toEqual(['pass by']);
  });

  it('stops nothing: what is under way goes on, and only its answer moves the run', () => {
    const bench = Bench.start(planned()).play(well, ({ state }) => state.endsWith('sending'));
    const [before, asked] = [bench.state, bench.pending];
    bench.tell(seen('is over since 03:10'));
    expect([bench.state, bench.pending]).toEqual([before, asked]);
    expect(bench.play().of('finished')).toMatchObject([{ ok: true }]);
  });

  it.each([
    [
      'suspended',
      (bench: Bench) =>
        bench
          .play(well, ({ state }) => state.endsWith('sending'))
          .command('preempt')
          .play(),
    ],
    [
      'waitingDecision',
      (bench: Bench) =>
        bench.play((effect) =>
          effect.type === 'effect.send'
            ? { type: 'telecommand.ended', tc: effect.tc, state: 'VERIFY_FAILED', acks: [] }
            : well(effect),
        ),
    ],
  ])('is said of a run that stands: %s', (state, stand) => {
    const bench = stand(Bench.start(planned()));
    expect(bench.state).toBe(state);
    bench.tell(seen(FROM)).tell(seen('is cancelled'));
    expect(bench.state).toBe(state);
    expect(said(bench)).toHaveLength(2);
  });

  it('run.R4 is not said behind the end', () => {
    const bench = Bench.start(planned()).play(well, ({ state }) => state.startsWith('ending'));
    bench.tell(seen(FROM));
    expect(bench.kinds.at(-1)).toBe('finished');
    expect(bench.play().kinds.at(-1)).toBe('finished');
  });

  it('run/fold.D1 D2 pass-note.N1 is not said again by the next owner, and behind its takeover when it changed', () => {
    const first = Bench.start(planned())
      .tell(seen(FROM))
      .play(well, ({ state }) => state.endsWith('sending'));
    for (const [words, times] of [
      [FROM, 0],
      [LATER, 1],
    ] as const) {
      const heir = Bench.restored(first.input, first.events);
      heir.tell(seen(words));
      expect(heir.kinds).toEqual(first.kinds);
      heir.tell({ type: 'recovered', by: 'heir' });
      expect(heir.of('taken_over')).toHaveLength(1);
      expect(said(heir)).toHaveLength(1 + times);
    }
  });

  it('is the same for the live chart, for its fold and for its history', () => {
    const bench = Bench.start(planned()).tell(seen(FROM));
    bench.play(well, ({ state }) => state.endsWith('sending'));
    bench.tell(seen(LATER)).play(well, ({ state }) => state.endsWith('waiting'));
    bench.tell(seen('is over since 03:11')).play();
    const { input, events } = bench;
    expect(foldRun({ input, events }).passNote).toBe(`pass ${PLAN} of sat1 is over since 03:11`);
    const steps = stepsOf(input, events);
    expect(steps.filter(({ put }) => put !== undefined)).toEqual([]);
    expect(steps.flatMap(({ told }) => told).filter(({ type }) => type === 'pass.seen')).toHaveLength(3);
  });

  it('is nothing to a run without a plan', () => {
    const bench = Bench.start(program([step('a', [log('pass p1 of sat1')])]));
    bench.play();
    expect(foldRun(bench).passNote).toBeNull();
  });
});
