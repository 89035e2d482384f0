/** The chart of a run where a reaction takes its target, and of a reaction. */

import { describe, expect, it } from 'vitest';
import { Bench, ended, program, RUN, START, send, step, wait, well } from './bench.ts';

const ALARM = 'alarm sat1.battery.1.undervoltage';
const working = () => program([step('a', [wait(5), send('ping')]), step('b', [wait(5)])]);

describe('a run whose target a reaction takes', () => {
  it('MC-STM-015 MC-REACT-016 is suspended in the middle of a statement, by the reaction', () => {
    const bench = Bench.start(working()).reply({ type: 'prepared' });
    bench.command('preempt', { by: ALARM }).reply({ type: 'released' });
    expect(bench.state).toBe('suspended');
    expect(bench.of('suspended')).toMatchObject([{ by: ALARM, path: 'a' }]);
  });

  it('MC-STM-015 gives its leases back at once, which nobody else who suspends it waits for', () => {
    const released = (by: string, how: 'preempt' | 'suspend') => {
      const bench = Bench.start(working()).reply({ type: 'prepared' }).command(how, { by });
      return bench
        .play(well, (each) => each.state === 'suspended')
        .asked.find(({ type }) => type === 'effect.release');
    };
    expect(released(ALARM, 'preempt')).toMatchObject({ soon: true });
    for (const other of [released('bob', 'preempt'), released('bob', 'suspend')])
      expect(other).not.toHaveProperty('soon');
    const ends = Bench.start(working()).play();
    expect(ends.asked.find(({ type }) => type === 'effect.release')).not.toHaveProperty('soon');
  });

  it('MC-REACT-018 goes on only when it is resumed, also with another owner', () => {
    const first = Bench.start(working()).reply({ type: 'prepared' });
    first.command('preempt', { by: ALARM }).reply({ type: 'released' });
    const next = Bench.restored(first.input, first.events).tell({ type: 'recovered', by: 'heir' });
    expect(next.state).toBe('suspended');
    next.command('resume').play(well);
    expect(next.of('continued')).toHaveLength(1);
    expect(next.of('finished')).toMatchObject([{ ok: true }]);
  });

  it('MC-REACT-019 MC-STM-017 stays suspended where its target is still held, and says by whom', () => {
    const bench = Bench.start(working()).reply({ type: 'prepared' });
    bench.command('preempt', { by: ALARM }).reply({ type: 'released' });
    bench.command('resume').reply({ type: 'not-prepared', reason: 'sat1 is held by run X' });
    expect(bench.state).toBe('suspended');
    expect(bench.replies.at(-1)).toMatchObject({ outcome: 'refused', reason: 'sat1 is held by run X' });
  });

  it('MC-REACT-018 is suspended by the reaction where a new owner finds its target taken', () => {
    const first = Bench.start(working()).reply({ type: 'prepared' });
    const next = Bench.restored(first.input, first.events).tell({ type: 'recovered', by: 'heir' });
    expect(next.pending.at(-1)).toMatchObject({ type: 'effect.prepare', again: true });
    const reason = `sat1 was taken from it by ${ALARM}`;
    next.reply({ type: 'not-prepared', reason, takenBy: ALARM }).reply({ type: 'released' });
    expect(next.of('suspended')).toMatchObject([{ by: ALARM }]);
    expect(next.kinds).not.toContain('telecommand_sent');
  });
});

describe('a reaction', () => {
  const reaction = () => Bench.start(program([step('a', [send('ping')])]), { by: ALARM });

  it('MC-REACT-015 counts its wait from its start, also with another owner', () => {
    const first = reaction();
    expect(first.pending).toMatchObject([{ type: 'effect.prepare', since: START }]);
    const next = Bench.restored(first.input, first.events).tell({ type: 'recovered', by: 'heir' });
    expect(next.pending.at(-1)).toMatchObject({ type: 'effect.prepare', since: START });
  });

  it('MC-REACT-023 ends failed with the reason where it does not get its target', () => {
    const bench = reaction().reply({ type: 'not-prepared', reason: 'sat1 is held by run X' }).play(well);
    expect(bench.of('finished')).toMatchObject([{ ok: false, reason: 'sat1 is held by run X' }]);
    expect(bench.kinds).toEqual(['started', 'finished']);
  });

  it('asked to resume does not wait for its target', () => {
    const bench = reaction().reply({ type: 'prepared' });
    bench.command('preempt').reply({ type: 'released' }).command('resume');
    const asked = bench.pending.at(-1);
    expect(asked).toMatchObject({ type: 'effect.prepare' });
    expect(asked).not.toHaveProperty('since');
    expect(asked).not.toHaveProperty('again');
  });

  it('MC-STM-005 that was interrupted behind a change of state asks a person', () => {
    const change = send('set_watchdog', { changesState: true });
    const first = Bench.start(program([step('a', [change, wait(5)])]), { by: ALARM });
    first.reply({ type: 'prepared' });
    first.reply(ended(first.of('telecommand_sent')[0]!.tc, 'COMPLETE'));
    const next = Bench.restored(first.input, first.events).tell({ type: 'recovered', by: 'heir' });
    expect(next.of('decision_required')).toHaveLength(1);
    next.command('abort').play(well);
    expect(next.of('finished')).toMatchObject([{ run: RUN, ok: false, reason: 'aborted by bob' }]);
  });
});
