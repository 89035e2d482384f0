import { describe, expect, it } from 'vitest';
import type { Program } from '../../../contract/program.ts';
import { uploadsIn } from '../../../machines/run/uploads.ts';
import { runLogFaults } from '../../support/run-log-checker.ts';
import {
  ask,
  Bench,
  call,
  change,
  configure,
  ended,
  group,
  ifFailed,
  log,
  policy,
  program,
  type Reply,
  send,
  step,
  upload,
  wait,
  well,
} from './bench.ts';

/** Telecommands of these names fail, as often as said; everything else goes well. */
function failing(times: Readonly<Record<string, number>>): Reply {
  const left: Record<string, number> = { ...times };
  return (effect) => {
    if (effect.type !== 'effect.send') return well(effect);
    const { telecommand } = effect.statement;
    const count = left[telecommand] ?? 0;
    left[telecommand] = count - 1;
    return ended(effect.tc, count > 0 ? 'VERIFY_FAILED' : 'VERIFIED', count > 0 ? 'no echo' : undefined);
  };
}

const ALWAYS = Number.POSITIVE_INFINITY;

/** Begun, its targets ready. */
function running(of: Program): Bench {
  return Bench.start(of).reply({ type: 'prepared' });
}

/** Waits for a decision on step `shoot`, whose telecommand `fire` failed. */
function deciding(after: Parameters<typeof program>[0] = [], over: Partial<Program> = {}): Bench {
  const shoot = step('shoot', [change('fire'), log('shot')]);
  const bench = Bench.start(program([shoot, ...after], over)).play(failing({ fire: 1 }));
  expect(bench.state).toBe('waitingDecision');
  return bench;
}

function suspended(of: Program = program([step('a', [wait(5), log('rest')]), step('b', [log('b')])])): Bench {
  const bench = running(of).command('suspend');
  return bench.play(well, () => bench.state === 'suspended');
}

function sound(bench: Bench): Bench {
  expect(runLogFaults(bench.events, { ended: true })).toEqual([]);
  expect(bench.state).toBe('finished');
  return bench;
}

const outcome = (bench: Bench) => {
  const { ok, reason } = bench.of('finished')[0]!;
  return reason === undefined ? { ok } : { ok, reason };
};
const paths = (bench: Bench, ok: boolean) =>
  bench.of('step_finished').flatMap((event) => (event.ok === ok ? [event.path] : []));
const messages = (bench: Bench) => bench.of('logged').map(({ message }) => message);

describe('the chart of a run: start and end', () => {
  it('MC-STM-001 MC-LOG-005 logs started first and asks for targets and leases before anything runs', () => {
    const bench = Bench.start(program([step('a', [log('x')])]));
    expect(bench.state).toBe('preparing');
    expect(bench.events).toEqual([
      expect.objectContaining({
        seq: 1,
        event: 'started',
        procedure: 'proc',
        library: 'lib@1',
        environment: 'bench',
        targets: { sat: 'sat1' },
        by: 'ada',
        inputs: { n: 7 },
      }),
    ]);
    expect(bench.asked.map(({ type }) => type)).toEqual(['effect.prepare']);
    expect(sound(bench.play()).kinds.slice(1, 3)).toEqual(['procedure_started', 'step_started']);
  });

  it('MC-STM-002 MC-STM-003 ends failed at once with the reason when a target is not ready or held', () => {
    const bench = Bench.start(program([step('a', [log('x')])]));
    bench.reply({ type: 'not-prepared', reason: 'sat1 is held by run 01X' }).play();
    expect(bench.kinds).toEqual(['started', 'finished']);
    expect(outcome(sound(bench))).toEqual({ ok: false, reason: 'sat1 is held by run 01X' });
  });

  it('MC-STM-021 logs finished, then gives the leases back and has the report archived', () => {
    const bench = running(program([step('a', [log('x')])]));
    expect(bench.kinds.at(-1)).toBe('finished');
    expect(bench.state).toBe('ending.releasing');
    expect(bench.asked.map(({ type }) => type).slice(-2)).toEqual(['effect.release', 'effect.archive']);
    expect(outcome(sound(bench.play()))).toEqual({ ok: true });
  });

  it('MC-LOG-024 says nothing behind finished, whatever comes', () => {
    const bench = running(program([step('a', [log('x')])]));
    bench.answer('a').command('suspend').command('abort').command('resume');
    bench.tell({ type: 'fault.switched', fault: 0, on: true });
    expect(bench.kinds.at(-1)).toBe('finished');
    expect(bench.replies.map(({ outcome: is }) => is)).toEqual(['over', 'over', 'over']);
    expect(sound(bench.play()).kinds.at(-1)).toBe('finished');
  });
});

describe('the chart of a run: steps', () => {
  it('MC-LOG-003 MC-LOG-006 MC-LOG-007 brackets procedures and steps by their paths, with attempt and inputs', () => {
    const inner = step('fetch/shed/#1', [log('in')]);
    const bench = sound(running(program([group('fetch', [call('fetch/shed', [inner])])])).play());
    const brackets = bench.events.flatMap((event) =>
      event.event === 'logged' || !('path' in event) ? [] : [`${event.event} ${event.path}`],
    );
    expect(brackets).toEqual([
      'procedure_started proc',
      'step_started fetch',
      'procedure_started fetch/shed',
      'step_started fetch/shed/#1',
      'step_finished fetch/shed/#1',
      'procedure_finished fetch/shed',
      'step_finished fetch',
      'procedure_finished proc',
    ]);
    expect(bench.of('step_started').map(({ attempt, inputs }) => ({ attempt, inputs }))).toEqual([
      { attempt: 1, inputs: { n: 7 } },
      { attempt: 1, inputs: { m: 1 } },
    ]);
  });

  it('runs 10,000 steps that do nothing in one turn', () => {
    const steps = Array.from({ length: 10_000 }, (_, n) => step(`#${n + 1}`, [log('x')]));
    const bench = sound(running(program(steps)).play());
    expect(bench.events).toHaveLength(30_004);
  });

  it('passes over an if failed block when nothing failed', () => {
    const bench = sound(
      running(
        program([step('a', [log('a')]), ifFailed(step('b', [log('b')])), step('c', [log('c')])]),
      ).play(),
    );
    expect(messages(bench)).toEqual(['a', 'c']);
  });

  it('MC-STM-027 begins a step again by itself while it has an attempt left and nothing changed the state', () => {
    const of = program([step('a', [send('ping')], { attempts: 3, delayMs: 5_000 })]);
    const bench = sound(running(of).play(failing({ ping: 2 })));
    expect(bench.of('step_started').map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    const [first, second] = bench.of('step_started').map(({ at }) => Date.parse(at));
    expect(second! - first!).toBeGreaterThanOrEqual(5_000);
    expect(bench.kinds).not.toContain('decision_required');
    expect(bench.of('step_finished')[0]).toMatchObject({
      ok: false,
      reason: 'obc.ping ended VERIFY_FAILED: no echo',
    });
  });

  it('MC-STM-027 MC-STM-004 asks a decision instead when a telecommand changed the state in the attempt', () => {
    const of = program([step('a', [change('fire'), send('ping')], { attempts: 3 })]);
    const bench = running(of).play(failing({ ping: 1 }));
    expect(bench.state).toBe('waitingDecision');
    expect(bench.of('decision_required')).toMatchObject([
      { path: 'a', reason: 'obc.ping ended VERIFY_FAILED: no echo' },
    ]);
  });

  it('MC-STM-004 asks a decision when no attempt is left', () => {
    const bench = running(program([step('a', [send('ping')], { attempts: 2 })])).play(
      failing({ ping: ALWAYS }),
    );
    expect(bench.state).toBe('waitingDecision');
    expect(bench.of('step_started').map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('begins the nearest step around it again when the leaf has no attempt left', () => {
    const inner = [step('g/a', [log('a')]), call('g/c', [step('g/c/b', [send('ping')])])];
    const bench = sound(running(program([group('g', inner, 2)])).play(failing({ ping: 1 })));
    expect(bench.of('step_started').map(({ path, attempt }) => `${path} ${attempt}`)).toEqual([
      'g 1',
      'g/a 1',
      'g/c/b 1',
      'g 2',
      'g/a 1',
      'g/c/b 1',
    ]);
    expect(paths(bench, false)).toEqual(['g/c/b', 'g']);
  });

  it('does not begin a step around it again when something in it changed the state', () => {
    const inner = [step('g/a', [change('fire')]), step('g/b', [send('ping')])];
    const bench = running(program([group('g', inner, 2)])).play(failing({ ping: 1 }));
    expect(bench.state).toBe('waitingDecision');
    expect(bench.of('decision_required')[0]!.path).toBe('g/b');
  });
});

describe('the chart of a run: decisions', () => {
  it('MC-STM-006 MC-LOG-010 replay begins a new attempt with new telecommand identifiers', () => {
    const bench = sound(deciding().decide('replay').play());
    const [first, second] = bench.of('telecommand_sent');
    expect(second!.tc).not.toBe(first!.tc);
    expect(second!.retry_of).toBe(first!.tc);
    expect(first).not.toHaveProperty('retry_of');
    expect(bench.of('step_finished')).toMatchObject([
      { attempt: 1, ok: false },
      { attempt: 2, ok: true },
    ]);
    expect(outcome(bench)).toEqual({ ok: true });
  });

  it('MC-STM-007 skip counts the step as passed and goes on behind it', () => {
    const bench = sound(
      deciding([step('next', [log('next')])])
        .decide('skip')
        .play(),
    );
    expect(paths(bench, true)).toEqual(['shoot', 'next']);
    expect(messages(bench)).toEqual(['next']);
    expect(outcome(bench)).toEqual({ ok: true });
  });

  it('MC-STM-008 fail runs the next if failed block and nothing else, and ends failed', () => {
    const after = [
      step('next', [log('next')]),
      ifFailed(step('safe', [log('safe')])),
      step('last', [log('last')]),
      ifFailed(step('other', [log('other')])),
    ];
    const bench = sound(deciding(after).decide('fail').play());
    expect(messages(bench)).toEqual(['safe']);
    expect(outcome(bench)).toEqual({
      ok: false,
      reason: 'step shoot failed: obc.fire ended VERIFY_FAILED: no echo',
    });
    expect(paths(bench, false)).toEqual(['shoot']);
    expect(bench.of('procedure_finished')).toMatchObject([{ path: 'proc', ok: false }]);
  });

  it('MC-STM-008 fail looks for the block outward and ends the steps and calls on the way as failed', () => {
    const shoot = step('g/c/shoot', [change('fire')]);
    const steps = [
      group('g', [call('g/c', [shoot]), step('g/d', [log('d')])], 2),
      ifFailed(step('safe', [log('safe')])),
    ];
    const bench = running(program(steps)).play(failing({ fire: 1 }));
    sound(bench.decide('fail').play());
    expect(messages(bench)).toEqual(['safe']);
    expect(paths(bench, false)).toEqual(['g/c/shoot', 'g']);
    expect(bench.of('step_finished').map(({ reason }) => reason)).toEqual([
      'obc.fire ended VERIFY_FAILED: no echo',
      'step g/c/shoot failed: obc.fire ended VERIFY_FAILED: no echo',
      undefined,
    ]);
    expect(bench.of('procedure_finished').map(({ path, ok }) => `${path} ${ok}`)).toEqual([
      'g/c false',
      'proc false',
    ]);
  });

  it('MC-LOG-010 names the telecommand that is sent again: of the same place, and of its last sending there', () => {
    const names = (bench: Bench) => {
      const sent = bench.of('telecommand_sent');
      const nth = (tc: string | undefined) => sent.findIndex((each) => each.tc === tc);
      return sent.map(({ telecommand, retry_of }) => [telecommand, nth(retry_of)]);
    };
    const statements = [send('ping', { retry: 1 }), send('pong'), change('fire')];
    const again = running(program([group('g', [step('g/a', statements), step('g/b', [send('last')])])]));
    again
      .play(failing({ ping: 1, fire: 1 }))
      .decide('replay')
      .play();
    expect(names(sound(again))).toEqual([
      ['obc.ping', -1],
      ['obc.ping', 0],
      ['obc.pong', -1],
      ['obc.fire', -1],
      ['obc.ping', 1],
      ['obc.pong', 2],
      ['obc.fire', 3],
      ['obc.last', -1],
    ]);
  });

  it('MC-STM-008 fail without a block ends the run failed', () => {
    const bench = sound(
      deciding([step('next', [log('next')])])
        .decide('fail')
        .play(),
    );
    expect(messages(bench)).toEqual([]);
    expect(outcome(bench).ok).toBe(false);
  });

  it('asks a decision inside an if failed block too, and a second fail ends the run with the first reason', () => {
    const steps = [
      group('g', [step('g/a', [change('fire')]), ifFailed(step('g/b', [change('save')]))], 3),
      ifFailed(step('z', [log('z')])),
    ];
    const bench = running(program(steps)).play(failing({ fire: 1, save: ALWAYS }));
    bench.decide('fail').play(failing({ save: ALWAYS }));
    expect(bench.of('decision_required').map(({ path }) => path)).toEqual(['g/a', 'g/b']);
    sound(bench.decide('fail').play());
    expect(messages(bench)).toEqual(['z']);
    expect(outcome(bench).ok).toBe(false);
  });

  it('does not begin a step again from inside its if failed block', () => {
    const steps = [group('g', [step('g/a', [ask()]), ifFailed(step('g/b', [send('ping')]))], 2)];
    const bench = running(program(steps)).answer('g/a', { accepted: false });
    bench.decide('fail').play(failing({ ping: ALWAYS }));
    expect(bench.state).toBe('waitingDecision');
    expect(bench.of('decision_required').at(-1)!.path).toBe('g/b');
    expect(bench.of('step_started').map(({ path }) => path)).toEqual(['g', 'g/a', 'g/b']);
  });

  it.each([
    ['MC-STM-009 abort', 'abort', {}, 'aborted by ada'],
    ['MC-STM-010 no', 'replay', { accepted: false }, 'ada answered no to the decision on shoot'],
  ])('%s ends the run failed and runs no if failed block', (_name, value, over, reason) => {
    const bench = sound(
      deciding([ifFailed(step('safe', [log('safe')]))])
        .decide(value, over)
        .play(),
    );
    expect(messages(bench)).toEqual([]);
    expect(outcome(bench)).toEqual({ ok: false, reason });
    expect(bench.kinds.slice(-2)).toEqual(['answered', 'finished']);
  });

  it.each([
    ['MC-STM-011 any other value', 'maybe', '"maybe" is no decision'],
    ['MC-ANS-031 yes without a value', undefined, 'no value is no decision'],
  ])('question.Q5 %s decides nothing: it is refused, and the run waits on', (_name, value, reason) => {
    const bench = deciding().decide(value);
    expect(bench.events.at(-1)).toMatchObject({ event: 'answer_refused', path: 'shoot', by: 'ada' });
    expect(bench.of('answer_refused')[0]?.reason).toContain(reason);
    expect(bench.state).toBe('waitingDecision');
    expect(outcome(sound(bench.decide('skip').play()))).toEqual({ ok: true });
  });

  it('MC-STM-026 asks decisions without human orchestration too', () => {
    const bench = deciding([], policy({ humanOrchestration: false }));
    expect(outcome(sound(bench.decide('skip').play()))).toEqual({ ok: true });
  });
});

describe('the chart of a run: suspension', () => {
  it('MC-STM-014 suspends at the end of the present statement: leases back first, then suspended', () => {
    const bench = running(program([step('a', [wait(5), log('rest')])])).command('suspend');
    expect(bench.replies).toEqual([{ type: 'effect.reply', request: 'suspend-1', outcome: 'accepted' }]);
    expect(bench.state).toBe('running.waiting');
    bench.reply({ type: 'woken' });
    expect(bench.state).toBe('suspending');
    expect(bench.kinds).not.toContain('suspended');
    bench.reply({ type: 'released' });
    expect(bench.state).toBe('suspended');
    expect(bench.events.at(-1)).toMatchObject({ event: 'suspended', path: 'a', by: 'bob' });
  });

  it('MC-STM-014 run/sending.N3 a telecommand that fails once suspension is wished is not sent again, and asks for no decision', () => {
    const retrying = program([step('a', [send('ping', { retry: 1 }), log('x')])]);
    const bench = running(retrying)
      .command('suspend')
      .play(failing({ ping: ALWAYS }), (each) => each.state === 'suspended');
    expect([bench.state, bench.kinds.slice(-2)]).toEqual([
      'suspended',
      ['telecommand_finished', 'suspended'],
    ]);
    expect(bench.of('telecommand_sent')).toHaveLength(1);
    expect(outcome(sound(bench.command('resume').play()))).toEqual({ ok: true });
    expect(bench.of('step_started').map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('MC-STM-014 a configure is one instruction: its setters, its readbacks and its mode', () => {
    const configuring = configure([change('one'), change('two')]);
    for (const statements of [[configuring], [log('x'), configuring]]) {
      const bench = running(program([step('a', [...statements, wait(5)]), step('b', [log('b')])]));
      bench.command('suspend').play(well, (each) => each.state === 'suspended');
      expect(bench.of('telecommand_sent').map(({ telecommand }) => telecommand)).toEqual([
        'obc.one',
        'obc.two',
      ]);
      expect(bench.kinds.slice(-2)).toEqual(['mode_changed', 'suspended']);
    }
  });

  it.each([true, false])(
    'MC-STM-014 a configure is one instruction also where one of its later setters has to be confirmed (by people: %s)',
    (humanOrchestration) => {
      const configuring = configure([change('one'), change('two', { hazardous: true }), change('three')]);
      const confirmed = policy({ humanOrchestration, hazardousConfirmation: ['op'] });
      for (const statements of [[configuring], [log('x'), configuring]]) {
        const steps = [step('a', [...statements, wait(5)]), step('b', [log('b')])];
        const bench = running(program(steps, confirmed)).command('suspend');
        bench.play(well, (each) => each.state === 'running.confirming' || each.state === 'suspended');
        if (humanOrchestration) bench.answer('a', { roles: ['op'] });
        bench.play(well, (each) => each.state === 'suspended');
        expect(bench.of('telecommand_sent').map(({ telecommand }) => telecommand)).toEqual([
          'obc.one',
          'obc.two',
          'obc.three',
        ]);
        expect(bench.kinds.slice(-2)).toEqual(['mode_changed', 'suspended']);
      }
    },
  );

  it('MC-STM-030 one that has no retry left asks for a decision, which the suspension then puts off', () => {
    const bench = running(program([step('a', [send('ping')])])).command('suspend');
    bench.play(failing({ ping: ALWAYS }), (each) => each.state === 'suspended');
    expect(bench.kinds.slice(-3)).toEqual(['telecommand_finished', 'decision_required', 'suspended']);
    bench.command('resume', { choice: 'skip' }).play();
    expect(outcome(sound(bench))).toEqual({ ok: true });
  });

  it('MC-UPL-009 says before it is suspended, and when it is taken over, what became of the files it uploads', () => {
    const left = ['2400 of 5000 bytes of file 7 of sat1 are on board'];
    const bench = running(program([step('a', [upload(), wait(5)])])).reply({ type: 'done' });
    bench.command('preempt');
    expect(bench.asked.at(-1)).toMatchObject({ type: 'effect.release', uploads: true });
    bench.reply({ type: 'released', mayLeave: ['T1'], uploads: left });
    expect(bench.events.slice(-3)).toMatchObject([
      { event: 'logged', message: 'warning: may still leave: T1' },
      { event: 'logged', message: `uploads: ${left}` },
      { event: 'suspended' },
    ]);
    expect(runLogFaults(bench.events, { ended: false })).toEqual([]);
    const { input, events } = bench;
    const heir = Bench.restored(input, events).tell({ type: 'recovered', by: 'x2', uploads: left });
    expect(heir.state).toBe('suspended');
    expect(heir.events.slice(-2)).toMatchObject([
      { event: 'taken_over' },
      { event: 'logged', message: `uploads: ${left}` },
    ]);
  });

  it('MC-UPL-009 looks at what uploads in any depth, and is read back from the log', () => {
    const deep = group('g', [call('g/c', [step('g/c/u', [upload()]), step('g/c/w', [wait(5)])])]);
    const bench = running(program([deep]))
      .reply({ type: 'done' })
      .command('preempt');
    expect(bench.asked.at(-1)).toMatchObject({ type: 'effect.release', uploads: true });
    bench.reply({ type: 'released', uploads: ['file 7', 'file 8'] });
    expect(bench.events.map(uploadsIn).filter((said) => said !== undefined)).toEqual(['file 7; file 8']);
    expect(uploadsIn(undefined)).toBeUndefined();
  });

  it('MC-UPL-009 run/uploads says nothing where nothing is left, and looks at nothing that uploads nothing', () => {
    const bench = running(program([step('a', [upload()])])).play();
    expect(bench.asked.map(({ type }) => type)).toContain('effect.uploads');
    expect(bench.kinds).not.toContain('logged');
    expect(bench.events.at(-1)).toMatchObject({ event: 'finished', ok: true });
    const other = running(program([step('a', [wait(5)])])).command('preempt');
    expect(other.asked.at(-1)).not.toHaveProperty('uploads');
    const refused = Bench.start(program([step('a', [upload()])])).reply({
      type: 'not-prepared',
      reason: 'held',
    });
    expect(refused.state).toBe('ending.releasing');
    expect(refused.events.at(-1)).toMatchObject({ event: 'finished' });
  });

  it('run/command.M3 A-71 says before it is suspended which telecommand its gateway has not confirmed to hold back', () => {
    const bench = running(program([step('a', [send('ping')])])).command('preempt', {
      by: 'alarm sat1/obc.temp',
    });
    bench.reply({ type: 'released', mayLeave: ['T1 to sat1 (gateway g does not answer)'] });
    expect(bench.events.slice(-2)).toMatchObject([
      { event: 'logged', message: 'warning: may still leave: T1 to sat1 (gateway g does not answer)' },
      { event: 'suspended', by: 'alarm sat1/obc.temp' },
    ]);
    expect(runLogFaults(bench.events, { ended: false })).toEqual([]);
    expect(bench.state).toBe('suspended');
  });

  it('run/command.M3 A-71 says so too where it was aborted while it was being suspended', () => {
    const bench = running(program([step('a', [send('ping')])])).command('preempt');
    bench.command('abort').reply({ type: 'released', mayLeave: ['T1'] });
    expect(bench.events.slice(-2)).toMatchObject([
      { event: 'logged', path: 'a', message: 'warning: may still leave: T1' },
      { event: 'finished', ok: false, reason: 'aborted by bob' },
    ]);
  });

  it.each([
    ['of before the suspension', -1, 'refused'],
    ['behind it', 0, 'accepted'],
    ['that says nothing of the log', undefined, 'accepted'],
  ])('run/command.M4 a resumption %s', (_what, behind, outcome) => {
    const bench = suspended();
    const since = bench.of('suspended')[0]!.seq;
    bench.command('resume', behind === undefined ? {} : { seen: since + behind }).play();
    expect(bench.replies.at(-1)).toMatchObject({ outcome });
    expect(bench.of('continued')).toHaveLength(outcome === 'accepted' ? 1 : 0);
    if (outcome === 'refused')
      expect(bench.replies.at(-1)).toMatchObject({ reason: 'bob has suspended it since then' });
  });

  it('names the next step when it stops between two', () => {
    const bench = suspended(program([step('a', [wait(5)]), group('b', [step('b/c', [log('c')])])]));
    expect(bench.events.at(-1)).toMatchObject({ event: 'suspended', path: 'b' });
    expect(paths(bench, true)).toEqual(['a']);
  });

  it('ends instead when the present statement was the last', () => {
    const bench = running(program([step('a', [wait(5)])])).command('suspend');
    expect(outcome(sound(bench.play()))).toEqual({ ok: true });
  });

  it('MC-STM-015 a reaction interrupts the statement at once; the telecommand under way goes on by itself', () => {
    const bench = running(program([step('a', [change('fire'), send('ping')])]));
    bench.command('preempt', { by: 'alarm sat1/obc.temp' });
    expect(bench.state).toBe('suspending');
    bench.reply({ type: 'released' });
    expect(bench.events.at(-1)).toMatchObject({ event: 'suspended', by: 'alarm sat1/obc.temp' });
    const before = bench.events.length;
    bench.tell({ type: 'telecommand.ended', ticket: 2, tc: 'x', state: 'VERIFIED', acks: [] });
    expect(bench.events).toHaveLength(before);
    expect(bench.state).toBe('suspended');
  });

  it('MC-STM-030 interrupts a decision; replay asks it again, skip and fail are applied to the step', () => {
    const wished = () => deciding().command('suspend').reply({ type: 'released' });
    expect(wished().events.at(-1)).toMatchObject({ event: 'suspended', path: 'shoot' });
    const again = wished().command('resume').reply({ type: 'prepared' });
    expect(again.state).toBe('waitingDecision');
    expect(again.of('decision_required')).toHaveLength(2);
    expect(outcome(sound(again.decide('skip').play()))).toEqual({ ok: true });
    expect(outcome(sound(wished().command('resume', { choice: 'skip' }).play()))).toEqual({ ok: true });
    expect(outcome(sound(wished().command('resume', { choice: 'fail' }).play())).ok).toBe(false);
  });

  it('interrupts the pause before another attempt', () => {
    const of = program([step('a', [send('ping')], { attempts: 2, delayMs: 60_000 })]);
    const bench = running(of).play(failing({ ping: 1 }), (each) => each.state === 'running.pausing');
    bench.command('suspend');
    expect(bench.state).toBe('suspending');
    const resumed = bench.reply({ type: 'released' }).command('resume').reply({ type: 'prepared' });
    expect(resumed.of('step_started').map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('MC-STM-016 MC-LOG-021 resumes with the choice once the leases are retaken', () => {
    const bench = suspended().command('resume', { by: 'eve' });
    expect(bench.state).toBe('resuming');
    expect(bench.replies).toHaveLength(1);
    bench.reply({ type: 'prepared' });
    expect(bench.replies.at(-1)).toMatchObject({ request: 'resume-1', outcome: 'accepted' });
    expect(bench.of('continued')).toMatchObject([{ path: 'a', by: 'eve', choice: 'replay' }]);
    sound(bench.play());
    expect(bench.of('step_started').map(({ path, attempt }) => `${path} ${attempt}`)).toEqual([
      'a 1',
      'a 2',
      'b 1',
    ]);
  });

  it.each([
    ['skip', ['a', 'b'], [], { ok: true }],
    ['fail', [], ['a'], { ok: false, reason: 'step a failed: counted as failed by bob' }],
  ])('MC-STM-016 applies %s to the step where it stopped', (choice, passed, failed, ends) => {
    const bench = sound(suspended().command('resume', { choice }).play());
    expect([paths(bench, true), paths(bench, false)]).toEqual([passed, failed]);
    expect(outcome(bench)).toEqual(ends);
  });

  it.each([
    ['replay', ['a', 'b/c', 'b'], true],
    ['skip', ['a', 'b'], true],
    ['fail', ['a'], false],
  ])('MC-STM-016 applies %s to the next step when it stopped between two', (choice, passed, ok) => {
    const of = program([step('a', [wait(5)]), group('b', [step('b/c', [log('c')])])]);
    const bench = sound(suspended(of).command('resume', { choice }).play());
    expect(paths(bench, true)).toEqual(passed);
    expect(outcome(bench).ok).toBe(ok);
    expect(bench.of('step_started').every(({ attempt }) => attempt === 1)).toBe(true);
  });

  it('MC-STM-017 stays suspended and refuses with the reason when targets are not ready or held', () => {
    const bench = suspended().command('resume');
    const before = bench.events.length;
    bench.reply({ type: 'not-prepared', reason: 'sat1 is held by run 01X' });
    expect(bench.state).toBe('suspended');
    expect(bench.replies.at(-1)).toMatchObject({ outcome: 'refused', reason: 'sat1 is held by run 01X' });
    expect(bench.events).toHaveLength(before);
    expect(outcome(sound(bench.command('resume').play()))).toEqual({ ok: true });
    expect(bench.of('suspended')).toHaveLength(1);
  });

  it('MC-STM-017 a suspension asked while its leases are retaken in vain is over with that: the next resumption goes on', () => {
    const bench = suspended().command('resume').command('suspend', { request: 's2' });
    bench.reply({ type: 'not-prepared', reason: 'sat1 is held by run 01X' });
    expect(bench.state).toBe('suspended');
    bench.command('resume', { request: 'r2' }).play();
    expect(outcome(sound(bench))).toEqual({ ok: true });
    expect(bench.replies.map(({ request, outcome: is }) => [request, is])).toEqual([
      ['suspend-1', 'accepted'],
      ['s2', 'accepted'],
      ['resume-1', 'refused'],
      ['r2', 'accepted'],
    ]);
  });

  it('MC-ANS-025 refuses to resume what is not suspended, and with an unknown choice', () => {
    const bench = running(program([step('a', [wait(5), log('x')])])).command('resume');
    expect(bench.replies).toMatchObject([{ outcome: 'refused', reason: 'the run is not suspended' }]);
    const asleep = suspended().command('resume', { choice: 'maybe' });
    expect(asleep.state).toBe('suspended');
    expect(asleep.replies.at(-1)).toMatchObject({ outcome: 'refused' });
  });

  it('suspends again at once when that was asked while it was resumed', () => {
    const bench = suspended().command('resume').command('suspend', { by: 'eve', request: 's2' });
    expect(bench.state).toBe('resuming');
    bench.play(well, (each) => each.state === 'suspended');
    expect(bench.of('suspended').map(({ by }) => by)).toEqual(['bob', 'eve']);
    expect(bench.of('logged')).toEqual([]);
    expect(outcome(sound(bench.command('resume').play()))).toEqual({ ok: true });
  });

  it('lets leases that are being taken come first, also when a reaction wants the target', () => {
    const of = program([step('a', [wait(5), log('x')])]);
    for (const bench of [Bench.start(of), suspended(of).command('resume')]) {
      const { state } = bench;
      bench.command('preempt', { request: 'p' });
      expect(bench.state).toBe(state);
      bench.reply({ type: 'prepared' });
      expect(bench.state).toBe('suspending');
      expect(bench.asked.at(-1)!.type).toBe('effect.release');
    }
  });

  it('accepts a suspension of what is suspended, and says nothing', () => {
    const bench = suspended();
    const before = bench.events.length;
    bench.command('suspend', { request: 's2' });
    expect(bench.replies.at(-1)).toMatchObject({ request: 's2', outcome: 'accepted' });
    expect(bench.events).toHaveLength(before);
  });

  it('is suspended before its first step when that was asked before it began', () => {
    const input = { suspendBy: 'alarm x' };
    const bench = Bench.start(program([step('a', [log('x')])]), input);
    bench.play(well, () => bench.state === 'suspended');
    expect(bench.events.at(-1)).toMatchObject({ event: 'suspended', path: 'a', by: 'alarm x' });
    expect(bench.of('step_started')).toEqual([]);
  });
});

describe('the chart of a run: abort', () => {
  it('MC-STM-018 MC-STM-020 ends failed at once, releases the leases and runs no if failed block', () => {
    const bench = running(program([step('a', [change('fire')]), ifFailed(step('safe', [log('safe')]))]));
    bench.command('abort', { by: 'eve' });
    expect(outcome(bench)).toEqual({ ok: false, reason: 'aborted by eve' });
    expect(bench.replies).toEqual([{ type: 'effect.reply', request: 'abort-1', outcome: 'accepted' }]);
    expect(bench.asked.slice(-3).map(({ type }) => type)).toEqual([
      'effect.reply',
      'effect.release',
      'effect.archive',
    ]);
    expect(messages(sound(bench.play()))).toEqual([]);
  });

  it('MC-STM-018 aborts a suspended run', () => {
    expect(outcome(sound(suspended().command('abort').play()))).toEqual({
      ok: false,
      reason: 'aborted by bob',
    });
  });

  it('MC-STM-019 resume with choice abort ends the run failed', () => {
    const bench = suspended().command('resume', { choice: 'abort', by: 'eve' });
    expect(outcome(bench)).toEqual({ ok: false, reason: 'aborted by eve' });
    expect(bench.replies.at(-1)).toMatchObject({ request: 'resume-1', outcome: 'accepted' });
    expect(bench.kinds).not.toContain('continued');
    sound(bench.play());
  });

  it('MC-STM-030 aborts while a decision is waited for', () => {
    expect(outcome(sound(deciding().command('abort').play()))).toEqual({
      ok: false,
      reason: 'aborted by bob',
    });
  });

  it.each(['preparing', 'suspending', 'resuming'])('waits for the leases in %s, then ends', (state) => {
    const of = program([step('a', [wait(5), log('x')])]);
    const there: Record<string, () => Bench> = {
      preparing: () => Bench.start(of),
      suspending: () => running(of).command('preempt'),
      resuming: () => suspended(of).command('resume'),
    };
    const bench = there[state]!().command('abort', { request: 'abort-9' });
    expect(bench.state).toBe(state);
    expect(bench.kinds).not.toContain('finished');
    sound(bench.play());
    expect(outcome(bench)).toEqual({ ok: false, reason: 'aborted by bob' });
    expect(
      bench.replies.filter(({ outcome: is }) => is === 'accepted').map(({ request }) => request),
    ).toContain('abort-9');
    expect(new Set(bench.replies.map(({ request }) => request)).size).toBe(bench.replies.length);
    expect(bench.replies.filter(({ request }) => request === 'resume-1')).toMatchObject(
      state === 'resuming' ? [{ outcome: 'refused', reason: 'the run was aborted by bob' }] : [],
    );
  });
});
