/** A run that is aborted while its leases are on their way: it ends once the answer is there, whatever that says. */

import { describe, expect, it } from 'vitest';
import { runLogFaults } from '../../support/run-log-checker.ts';
import { Bench, program, step, wait } from './bench.ts';

const PROGRAM = program([step('a', [wait(5)])]);
const running = () => Bench.start(PROGRAM).reply({ type: 'prepared' });
const suspending = () => running().command('preempt', { request: 'first' });
const resuming = () => suspending().reply({ type: 'released' }).command('resume');
const HELD = { type: 'not-prepared', reason: 'sat1 is held by run X' } as const;

function retaking(): Bench {
  const { input, events } = running();
  return Bench.restored(input, events).tell({ type: 'recovered', by: 'x2' });
}

describe('a run that is aborted while its leases are taken', () => {
  it.each([
    ['preparing', () => Bench.start(PROGRAM), { type: 'prepared' } as const],
    ['preparing', () => Bench.start(PROGRAM), HELD],
    ['resuming', resuming, { type: 'prepared' } as const],
    ['resuming', resuming, HELD],
    ['retaking', retaking, { type: 'prepared' } as const],
    ['retaking', retaking, HELD],
  ])('MC-STM-018 MC-STM-020 %s: ends aborted, also where they are not to be had', (state, there, answer) => {
    const bench = there().command('abort');
    expect(bench.state).toBe(state);
    bench.reply(answer);
    expect(bench.state).toBe('ending.releasing');
    expect(bench.pending.map(({ type }) => type)).toContain('effect.release');
    expect(bench.of('finished')).toMatchObject([{ ok: false, reason: 'aborted by bob' }]);
    expect(runLogFaults(bench.events, { ended: true })).toEqual([]);
  });

  it('run/command.M2 the resumption that was asked for before is refused, with what stood in its way', () => {
    const refusals = [{ type: 'prepared' } as const, HELD].map((answer) => {
      const bench = resuming().command('abort').reply(answer);
      return bench.replies.filter(({ request }) => request === 'resume-1');
    });
    expect(refusals).toMatchObject([
      [{ outcome: 'refused', reason: 'the run was aborted by bob' }],
      [{ outcome: 'refused', reason: 'sat1 is held by run X' }],
    ]);
  });
});

describe('a run that is aborted while its leases go back', () => {
  it.each(['suspend', 'preempt'] as const)('is not suspended any more: %s is refused', (command) => {
    const bench = suspending().command('abort').command(command, { request: 'late' });
    expect(bench.state).toBe('suspending');
    bench.reply({ type: 'released' });
    expect(bench.state).toBe('ending.releasing');
    expect(bench.replies.filter(({ request }) => request === 'late')).toMatchObject([
      { outcome: 'refused', reason: 'the run is ending' },
    ]);
    expect(bench.of('suspended')).toEqual([]);
  });
});
