import { describe, expect, it } from 'vitest';
import { FAULT_AT_END_MS } from '../../../contract/limits/simulation.ts';
import type { ProgramFault, ProgramTrigger } from '../../../contract/program.ts';
import { runLogFaults } from '../../support/run-log-checker.ts';
import { Bench, change, ended, log, program, type Reply, step, wait, well } from './bench.ts';

function fault(at: ProgramTrigger, off: ProgramTrigger | null = null): ProgramFault {
  return { target: 'sat1', gateway: 'sim', fault: 'mute', at, off };
}

const steps = [step('a', [wait(1_000)]), step('b', [change('fire'), wait(1_000)], { attempts: 2 })];

function running(...faults: readonly ProgramFault[]): Bench {
  return Bench.start(program(steps, { faults })).reply({ type: 'prepared' });
}

const refusingFire: Reply = (effect) =>
  effect.type === 'effect.send' ? ended(effect.tc, 'REJECTED') : well(effect);
const asked = (bench: Bench) => bench.faults.map(({ index, on, at }) => ({ index, on, at }));
const switched = (on: boolean, index = 0) => ({ type: 'fault.switched', fault: index, on }) as const;
const refused = (on: boolean) => ({ type: 'fault.refused', fault: 0, on, reason: 'no such fault' }) as const;
const unanswered = (on: boolean) =>
  ({ type: 'fault.refused', fault: 0, on, reason: 'no answer', mayBeDone: true }) as const;
const messages = (bench: Bench) => bench.of('logged').map(({ path, message }) => `${path}: ${message}`);

describe('faults of simulated targets', () => {
  it('MC-RUN-021 MC-RUN-023 are switched at the start of the run, after the delay of their trigger', () => {
    const before = Bench.start(program(steps, { faults: [fault({ afterMs: 300 }, { afterMs: 900 })] }));
    expect(before.faults).toEqual([]);
    const bench = before.reply({ type: 'prepared' });
    const begun = Date.parse(bench.of('procedure_started')[0]!.at);
    expect(asked(bench)).toEqual([
      { index: 0, on: true, at: begun + 300 },
      { index: 0, on: false, at: begun + 900 },
    ]);
  });

  it('MC-RUN-020 count from the first entry of their step; another attempt arms nothing again', () => {
    const bench = running(fault({ step: 'b', afterMs: 0 }));
    expect(bench.faults).toEqual([]);
    bench.play(refusingFire);
    expect(asked(bench)).toEqual([{ index: 0, on: true, at: Date.parse(bench.of('step_started')[1]!.at) }]);
    bench.tell(switched(true)).decide('replay');
    expect(bench.of('step_started').filter(({ path }) => path === 'b')).toHaveLength(2);
    expect(bench.faults).toHaveLength(1);
  });

  it('MC-LOG-027 log each switch with the path of the step in progress, naming fault, target, on or off', () => {
    const bench = running(fault({ afterMs: 0 }, { afterMs: 500 }))
      .tell(switched(true))
      .tell(switched(false));
    expect(messages(bench)).toEqual([
      'a: fault mute of sat1 switched on',
      'a: fault mute of sat1 switched off',
    ]);
  });

  it('MC-SIM-007 the run goes on with a warning when the simulator refuses', () => {
    const bench = running(fault({ afterMs: 0 }));
    bench.tell({ type: 'fault.refused', fault: 0, on: true, reason: 'no such fault' }).play();
    expect(messages(bench)).toEqual([
      'a: warning: fault mute of sat1 could not be switched on: no such fault',
    ]);
    expect(bench.of('finished')).toMatchObject([{ ok: true }]);
  });

  it('MC-RUN-024 are off before the run is over: what is on is switched off first', () => {
    const bench = running(fault({ afterMs: 0 }), fault({ step: 'never', afterMs: 0 }))
      .tell(switched(true))
      .play();
    expect(bench.state).toBe('ending.switchingOff');
    expect(bench.kinds).not.toContain('finished');
    expect(asked(bench).at(-1)).toEqual({ index: 0, on: false, at: bench.now });
    bench.tell(switched(false)).play();
    expect(bench.kinds.slice(-3)).toEqual(['logged', 'procedure_finished', 'finished']);
    expect(messages(bench).at(-1)).toBe('proc: fault mute of sat1 switched off');
    expect(runLogFaults(bench.events, { ended: true })).toEqual([]);
  });

  it('MC-RUN-024 are switched off when the run is aborted too, and one still to come is not waited for', () => {
    const bench = running(fault({ afterMs: 0 }), fault({ afterMs: 60_000 })).tell(switched(true));
    bench.command('abort');
    expect(bench.state).toBe('ending.switchingOff');
    bench.tell({ type: 'fault.refused', fault: 0, on: false, reason: 'gone' });
    expect(bench.of('finished')).toMatchObject([{ ok: false, reason: 'aborted by bob' }]);
  });

  it('run/fault.F2 MC-RUN-024 one that may be on is switched off before the run is over', () => {
    const bench = running(fault({ afterMs: 0 })).tell(unanswered(true));
    expect(messages(bench)).toEqual(['a: warning: fault mute of sat1 may be on: no answer']);
    expect(bench.faultState).toBe('faultOn');
    bench.play();
    expect(bench.state).toBe('ending.switchingOff');
    expect(asked(bench).at(-1)).toEqual({ index: 0, on: false, at: bench.now });
    bench.tell(switched(false)).play();
    expect(bench.of('finished')).toMatchObject([{ ok: true }]);
  });

  it('run/fault.F2 one of which it is not known whether it was switched off does not hold the end up', () => {
    const bench = running(fault({ afterMs: 0 }))
      .tell(switched(true))
      .play()
      .tell(unanswered(false));
    expect(messages(bench).at(-1)).toBe(
      'proc: warning: fault mute of sat1 could not be switched off: no answer',
    );
    expect(bench.play().of('finished')).toMatchObject([{ ok: true }]);
  });

  it('run/fault-log.V4 one that others have on is left on, which the log says and a new owner reads', () => {
    const bench = running(fault({ afterMs: 0 }, { afterMs: 500 })).tell(switched(true));
    bench.tell({ ...switched(false), staysOn: true });
    expect(messages(bench).at(-1)).toBe(
      'a: fault mute of sat1 switched off for this run; it stays on for others',
    );
    const heir = Bench.restored(bench.input, bench.events).tell({ type: 'recovered', by: 'x2' }).play();
    expect(asked(heir)).toEqual([]);
    for (const each of [bench.play(), heir]) expect(each.of('finished')).toMatchObject([{ ok: true }]);
  });

  it('run/fault.F2 one that is due within the time given at the end is waited for, a later one is not', () => {
    const ending = (afterMs: number) => {
      const bench = running(fault({ afterMs }));
      const begun = Date.parse(bench.of('procedure_started')[0]!.at);
      // The command comes a millisecond behind the last event.
      expect(bench.now).toBe(begun);
      return bench.command('abort').state;
    };
    expect(ending(FAULT_AT_END_MS + 1)).toBe('ending.switchingOff');
    expect(ending(FAULT_AT_END_MS + 2)).toBe('ending.releasing');
  });

  it.each([
    ['due at the end is not asked for again', 2, [2]],
    ['due later is asked for at once', 3, [3, 2]],
  ])('MC-RUN-024 the switching off of one that is on, %s', (_what, afterMs, asks) => {
    const bench = running(fault({ afterMs: 0 }, { afterMs })).tell(switched(true));
    const begun = Date.parse(bench.of('procedure_started')[0]!.at);
    bench.command('abort');
    expect([bench.state, bench.now - begun]).toEqual(['ending.switchingOff', 2]);
    const off = asked(bench).filter(({ on }) => !on);
    expect(off.map(({ at }) => at - begun)).toEqual(asks);
    expect(bench.tell(switched(false)).of('finished')).toMatchObject([{ ok: false }]);
  });

  it('MC-RUN-024 a suspension leaves them as they are, and the run still switches them off', () => {
    const bench = running(fault({ afterMs: 0 }), fault({ afterMs: 9_000 })).tell(switched(true));
    expect(bench.faultState).toBe('faultOn');
    bench.command('preempt').reply({ type: 'released' });
    expect([bench.state, bench.faultState]).toEqual(['suspended', 'faultOn']);
    bench.tell(switched(true, 1));
    expect(bench.of('logged')).toHaveLength(2);
    bench.command('resume').play();
    expect(bench.state).toBe('ending.switchingOff');
    bench.tell(switched(false)).tell(switched(false, 1)).play();
    expect(bench.of('finished')).toMatchObject([{ ok: true }]);
  });

  it.each([
    ['no', undefined, false],
    ['abort', 'abort', true],
  ])(
    'MC-RUN-024 are switched off first by who takes over a run that ends by the decision %s',
    (_, value, accepted) => {
      const first = running(fault({ afterMs: 0 }))
        .tell(switched(true))
        .play(refusingFire);
      first.decide('replay').play(refusingFire).decide(value, { accepted });
      expect(first.state).toBe('ending.switchingOff');
      const heir = Bench.restored(first.input, first.events).tell({ type: 'recovered', by: 'x2' });
      heir.play();
      expect([heir.state, heir.kinds.includes('finished')]).toEqual(['ending.switchingOff', false]);
      heir.tell(switched(false)).play();
      expect(heir.kinds.slice(-2)).toEqual(['logged', 'finished']);
      expect(heir.of('finished')).toMatchObject([{ ok: false }]);
    },
  );

  it('wait at the end for a switch that is under way, and undo it', () => {
    const bench = running(fault({ afterMs: 0 })).command('abort');
    expect(bench.state).toBe('ending.switchingOff');
    bench.tell(switched(true));
    expect(bench.state).toBe('ending.switchingOff');
    expect(asked(bench).at(-1)).toMatchObject({ on: false });
    bench.tell(switched(false));
    expect(bench.kinds.at(-1)).toBe('finished');
  });

  it('ignore a late or repeated answer', () => {
    const bench = running(fault({ afterMs: 0 })).tell(switched(true));
    const before = bench.events.length;
    bench.tell(switched(true)).tell(switched(false)).tell(switched(true, 5));
    expect(bench.events).toHaveLength(before);
  });

  it('are known to a new owner from the log: switched is not switched again, armed is asked for again', () => {
    const bench = running(fault({ afterMs: 0 }), fault({ step: 'a', afterMs: 5_000 }, { afterMs: 9_000 }));
    bench.tell(switched(true));
    const next = Bench.restored(bench.input, bench.events);
    expect(next.faults).toEqual([]);
    next.tell({ type: 'recovered', by: 'x2' });
    const begun = Date.parse(bench.of('procedure_started')[0]!.at);
    expect(asked(next)).toEqual([
      { index: 1, on: true, at: begun + 5_000 },
      { index: 1, on: false, at: begun + 9_000 },
    ]);
    next.reply({ type: 'prepared' }).command('abort');
    expect(next.state).toBe('ending.switchingOff');
    expect(asked(next).at(-1)).toMatchObject({ index: 0, on: false });
  });
});

describe('what the log says of them, read by a new owner', () => {
  it('run/fault-log.V2 a text about another one says nothing of it', () => {
    const deaf = { ...fault({ afterMs: 0 }, { afterMs: 100 }), fault: 'deaf' };
    const bench = running(fault({ afterMs: 0 }), deaf)
      .tell(switched(true, 0))
      .tell(switched(true, 1));
    bench.tell(switched(false, 1));
    const heir = Bench.restored(bench.input, bench.events).tell({ type: 'recovered', by: 'x2' });
    heir.reply({ type: 'prepared' }).command('abort');
    expect(heir.state).toBe('ending.switchingOff');
    expect(asked(heir).at(-1)).toMatchObject({ index: 0, on: false });
  });

  it.each([
    [
      'one is on, another is not',
      'faultOn',
      [fault({ afterMs: 0 }), fault({ afterMs: 9_000 })],
      [switched(true)],
    ],
    ['it is still to be switched on', 'faultArmed', [fault({ afterMs: 9_000 })], []],
    [
      'one is, and another was refused',
      'faultArmed',
      [fault({ afterMs: 0 }), fault({ afterMs: 9_000 })],
      [refused(true)],
    ],
    [
      'it was refused, and is still to be switched off',
      'faultArmed',
      [fault({ afterMs: 0 }, { afterMs: 9_000 })],
      [refused(true)],
    ],
    [
      'one is off again, another is still to be switched on',
      'faultArmed',
      [fault({ afterMs: 0 }, { afterMs: 1 }), fault({ afterMs: 9_000 })],
      [switched(true), switched(false)],
    ],
    ['it was refused', 'noFault', [fault({ afterMs: 0 })], [refused(true)]],
    ['it may be on', 'faultOn', [fault({ afterMs: 0 })], [unanswered(true)]],
    [
      'it may have been on',
      'noFault',
      [fault({ afterMs: 0 }, { afterMs: 1 })],
      [unanswered(true), switched(false)],
    ],
    [
      'it is off again',
      'noFault',
      [fault({ afterMs: 0 }, { afterMs: 1 })],
      [switched(true), switched(false)],
    ],
    ['its step has not begun', 'noFault', [fault({ step: 'b', afterMs: 0 })], []],
  ])('is how they stood: %s', (_what, state, faults, answers) => {
    const bench = running(...faults);
    for (const answer of answers) bench.tell(answer);
    expect([bench.faultState, Bench.restored(bench.input, bench.events).faultState]).toEqual([state, state]);
  });

  it.each([
    ['on', null, [refused(true)]],
    ['off', { afterMs: 0 }, [switched(true), refused(false)]],
  ])(
    'run/fault-log.V2 one that was refused to be switched %s is not asked for again, and the end does not wait for it',
    (_side, off, answers) => {
      const bench = running(fault({ afterMs: 0 }, off));
      for (const answer of answers) bench.tell(answer);
      const heir = Bench.restored(bench.input, bench.events).tell({ type: 'recovered', by: 'x2' });
      expect([asked(heir), heir.faultState]).toEqual([[], 'noFault']);
      heir.play();
      expect(heir.of('finished')).toMatchObject([{ ok: true }]);
    },
  );

  it('run/fault-log.V3 MC-RUN-024 one that may be on is switched off by its heir, and not switched on again', () => {
    const bench = running(fault({ afterMs: 0 })).tell(unanswered(true));
    const heir = Bench.restored(bench.input, bench.events).tell({ type: 'recovered', by: 'x2' }).play();
    expect(asked(heir)).toEqual([{ index: 0, on: false, at: heir.now }]);
    heir.tell(switched(false)).play();
    expect(heir.of('finished')).toMatchObject([{ ok: true }]);
  });

  it('run/fault-log.V3 a log that calls a gateway without an answer a refusal is read as it was meant then', () => {
    const bench = running(fault({ afterMs: 0 })).tell({
      ...refused(true),
      reason: 'gateway sim did not answer within 5 s',
    });
    const heir = Bench.restored(bench.input, bench.events).tell({ type: 'recovered', by: 'x2' }).play();
    expect([asked(heir), heir.of('finished')]).toMatchObject([[], [{ ok: true }]]);
  });

  it('run/fault-log.V2 a text of the procedure answers no switch that is armed: it is asked for again', () => {
    const logging = program([step('a', [log('x'), wait(1)])], { faults: [fault({ afterMs: 9_000 })] });
    const bench = Bench.start(logging).reply({ type: 'prepared' });
    expect(messages(bench)).toEqual(['a: x']);
    const heir = Bench.restored(bench.input, bench.events).tell({ type: 'recovered', by: 'x2' });
    expect(asked(heir)).toEqual(asked(bench));
    expect(asked(heir)).toHaveLength(1);
  });
});

describe('the end of a run whose step logs', () => {
  it('does not take the text of a procedure for a switch of a fault that is off', () => {
    const forged = program([step('a', [log('fault mute of sat1 switched off'), wait(1)])], {
      faults: [fault({ step: 'b', afterMs: 0 })],
    });
    const bench = Bench.start(forged).reply({ type: 'prepared' });
    const next = Bench.restored(bench.input, bench.events).tell({ type: 'recovered', by: 'x2' }).play();
    expect(next.of('finished')).toMatchObject([{ ok: true }]);
  });
});

describe('a fault that is switched while its run is being closed', () => {
  it.each([switched(true), refused(true)])('MC-RUN-024 adds nothing behind finished: $type', (answer) => {
    const bench = running(fault({ afterMs: 60_000 })).command('abort');
    expect(bench.kinds.at(-1)).toBe('finished');
    bench.tell(answer);
    expect(bench.kinds.at(-1)).toBe('finished');
  });
});
