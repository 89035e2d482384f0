import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import type { Program, ProgramNode, ProgramStatement } from '../../../contract/program.ts';
import { RunEvent } from '../../../contract/run-event.ts';
import { foldRun } from '../../../machines/run/fold.ts';
import { runLogFaults } from '../../support/run-log-checker.ts';
import {
  ask,
  askTyped,
  type Bare,
  Bench,
  call,
  change,
  configure,
  confirm,
  ended,
  expecting,
  group,
  ifFailed,
  log,
  policy,
  program,
  type Reply,
  send,
  setMode,
  step,
  wait,
  well,
} from './bench.ts';

// Random programs -----------------------------------------------------------------------------------------------------

const statements: readonly ProgramStatement[] = [
  send('ping'),
  send('poll', { retry: 1 }),
  change('fire'),
  change('arm', { hazardous: true }),
  expecting('expect'),
  expecting('check'),
  wait(1_000),
  log('text'),
  log('n is ', { name: 'n' }),
  ask(),
  ask({ timeoutMs: 5_000 }),
  askTyped('gain'),
  confirm('operator'),
  configure(
    [send('set_a'), change('set_b')],
    [{ parameter: 'obc.a', component: 'obc', measure: 'a', value: 1 }],
  ),
  setMode('SAFE'),
];

const leaf = fc.record({
  statements: fc.array(fc.constantFrom(...statements), { maxLength: 4 }),
  attempts: fc.integer({ min: 1, max: 3 }),
  delayMs: fc.constantFrom(0, 2_000),
});

type Shape =
  | {
      readonly kind: 'leaf';
      readonly leaf: { statements: ProgramStatement[]; attempts: number; delayMs: number };
    }
  | {
      readonly kind: 'group' | 'call' | 'block';
      readonly attempts: number;
      readonly inner: readonly Shape[];
    };

const { shapes } = fc.letrec<{ shapes: Shape[]; shape: Shape }>((tie) => ({
  shapes: fc.array(tie('shape'), { minLength: 1, maxLength: 3 }),
  shape: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.record({ kind: fc.constant('leaf' as const), leaf }),
    fc.record({
      kind: fc.constantFrom('group' as const, 'call' as const, 'block' as const),
      attempts: fc.integer({ min: 1, max: 2 }),
      inner: tie('shapes'),
    }),
  ),
}));

function nodes(list: readonly Shape[], prefix = ''): ProgramNode[] {
  return list.map((shape, index) => {
    const path = `${prefix}s${index}`;
    if (shape.kind === 'leaf') return step(path, shape.leaf.statements, shape.leaf);
    if (shape.kind === 'block') return ifFailed(...nodes(shape.inner, `${prefix}if${index}-`));
    const inner = nodes(shape.inner, `${path}/`);
    return shape.kind === 'group' ? group(path, inner, shape.attempts) : call(path, inner);
  });
}

const programs = fc
  .record({
    list: shapes,
    humanOrchestration: fc.boolean(),
    hazardousConfirmation: fc.constantFrom<string[]>([], ['operator'], ['operator', 'supervisor']),
  })
  .map(({ list, ...people }) => program(nodes(list), policy(people)));

// A random world ------------------------------------------------------------------------------------------------------

/** Numbers drawn one after the other; past the last one everything goes well. */
class Dice {
  #left: readonly number[];

  constructor(numbers: readonly number[]) {
    this.#left = numbers;
  }

  /** True once in `sides`. */
  hits(sides: number): boolean {
    const [next, ...rest] = this.#left;
    this.#left = rest;
    return next !== undefined && next % sides === 0;
  }

  pick<Item>(items: readonly Item[], otherwise: Item): Item {
    const [next, ...rest] = this.#left;
    this.#left = rest;
    return next === undefined ? otherwise : (items[next % items.length] ?? otherwise);
  }
}

function chancy(dice: Dice): Reply {
  return (effect) => {
    const bad = dice.hits(4);
    switch (effect.type) {
      case 'effect.send':
        return ended(effect.tc, bad ? 'VERIFY_TIMEOUT' : 'VERIFIED');
      case 'effect.judge':
        return { type: 'judged', ok: !bad, samples: [] };
      case 'effect.read-answer':
        return bad ? { type: 'answer.unreadable', reason: 'no number' } : { type: 'answer.read', value: 1 };
      case 'effect.set-mode':
        return bad ? { type: 'failed', reason: 'refused' } : { type: 'done' };
      case 'effect.prepare':
        return bad ? { type: 'not-prepared', reason: 'held' } : { type: 'prepared' };
      default:
        return well(effect);
    }
  };
}

/** What a person does while the run waits for people; past the dice what ends it. */
function person(bench: Bench, dice: Dice): void {
  // Mostly somebody new: a step that asks for five confirmations needs five persons.
  const by = dice.pick(['ada', 'eve'], `person ${bench.now}`);
  const roles = ['operator', 'supervisor'];
  if (dice.hits(9)) bench.command('suspend', { request: `s${bench.now}` });
  else if (bench.state === 'suspended')
    bench.command('resume', {
      request: `r${bench.now}`,
      choice: dice.pick(['replay', 'skip', 'fail'], 'skip'),
    });
  else if (bench.state === 'waitingDecision')
    bench.decide(dice.pick(['replay', 'skip', 'fail', 'replay', 'abort'], 'skip'), { by });
  else {
    const { path } = bench.of('asked').at(-1)!;
    bench.answer(path, { by, roles, value: 3, accepted: !dice.hits(5) });
  }
}

/** Plays the run to its end: chance while the dice last, then nobody refuses anything. */
function toTheEnd(bench: Bench, dice: Dice): Bench {
  for (let turns = 0; turns < 400 && !bench.driven.ended; turns += 1) {
    if (dice.hits(11)) bench.command('preempt', { request: `p${bench.now}` });
    const before = bench.events.length;
    bench.play(chancy(dice));
    if (bench.driven.ended) break;
    if (bench.events.length === before || PEOPLE_WAIT.has(bench.state)) person(bench, dice);
  }
  return bench;
}

const PEOPLE_WAIT = new Set(['suspended', 'waitingDecision', 'running.asking', 'running.confirming']);
const numbers = fc.array(fc.nat(1_000), { maxLength: 60 });

function played(of: Program, drawn: readonly number[]): Bench {
  return toTheEnd(Bench.start(of), new Dice(drawn));
}

// What a prefix says, read without the progress
// ---------------------------------------------------------------------------

/** Where a log stands for a reader: what a new owner must do with it. */
function reading(events: readonly RunEvent[]) {
  const last = (kinds: readonly string[]) => events.findLastIndex(({ event }) => kinds.includes(event));
  const suspended = last(['suspended']) > last(['continued']);
  const asked = last(['decision_required']);
  const deciding = asked > last(['suspended']) && asked > lastAnswer(events, asked);
  return { finished: events.at(-1)?.event === 'finished', suspended, deciding };
}

function lastAnswer(events: readonly RunEvent[], after: number): number {
  return events.findIndex(({ event }, at) => at > after && event === 'answered');
}

/** Whether a telecommand changed the state in the step in progress since its attempt began. */
function changedInStep(events: readonly RunEvent[]): boolean {
  const begun = events.findLastIndex(({ event }) => event === 'step_started');
  const since = events.slice(begun);
  const isOpen = begun >= 0 && !since.some(({ event }) => event === 'step_finished');
  return isOpen && since.some((event) => event.event === 'telecommand_sent' && event.changes_state);
}

/** A person has said something that is not carried out yet: that holds, and not what the takeover would do. */
function isSaid(events: readonly RunEvent[]): boolean {
  const said = events.findLast(({ event }) => !['taken_over', 'logged', 'answer_refused'].includes(event));
  if (said?.event === 'continued') return true;
  if (said?.event !== 'answered') return false;
  const before = events
    .slice(0, said.seq - 1)
    .findLast(({ event }) => event === 'asked' || event === 'decision_required');
  return before?.event === 'decision_required' || !said.accepted;
}

const RUNS = 100;

const conform = Compile(RunEvent);

/** It has ended, and its log is whole and as the contract has it. */
function sound(bench: Bench): void {
  const faults = runLogFaults(bench.events, { ended: true });
  // The story is long to write: only for who has to read it.
  if (faults.length > 0) throw new Error(`${faults.join('\n')}\n${bench.driven.story}`);
  expect(bench.driven.ended).toBe(true);
  expect(bench.events.filter((event) => !conform.Check(event))).toEqual([]);
}

describe('a run from its log', () => {
  it('is sound to its end whatever the program, the world and people do', () => {
    fc.assert(
      fc.property(programs, numbers, (of, drawn) => {
        const bench = played(of, drawn);
        sound(bench);
        const answered = bench.replies.map(({ request }) => request);
        expect(new Set(answered).size).toBe(answered.length);
      }),
      { numRuns: RUNS },
    );
  }, 60_000);

  it('MC-LOG-002 MC-STM-005 MC-STM-022 MC-STM-028 goes on from any beginning of it as the log says', () => {
    fc.assert(
      fc.property(programs, numbers, numbers, (of, drawn, later) => {
        const { input, events } = played(of, drawn);
        for (let length = 1; length <= events.length; length += 1) {
          takenOver(input, events.slice(0, length), later);
        }
      }),
      { numRuns: RUNS / 4 },
    );
  }, 120_000);

  it('is the same again when its owner dies again and again', () => {
    fc.assert(
      fc.property(programs, numbers, fc.array(fc.nat(12), { maxLength: 12 }), (of, drawn, deaths) => {
        let bench = played(of, drawn);
        const { input } = bench;
        for (const more of deaths) {
          const cut = bench.events.slice(0, 1 + Math.min(more * 2, bench.events.length - 1));
          bench = Bench.restored(input, cut);
          if (bench.state === 'ending.releasing') break;
          toTheEnd(bench.tell({ type: 'recovered', by: 'x' }), new Dice(drawn.slice(more)));
          sound(bench);
        }
      }),
      { numRuns: RUNS / 2 },
    );
  }, 60_000);
});

function takenOver(input: Bench['input'], events: readonly RunEvent[], later: readonly number[]): void {
  const { finished, suspended, deciding } = reading(events);
  const bench = Bench.restored(input, events);
  if (finished) {
    expect(bench.state).toBe('ending.releasing');
    expect(bench.play().events).toHaveLength(events.length);
    expect(bench.driven.ended).toBe(true);
    return;
  }
  expect(bench.state).toBe('recovering');
  const [recover, ...others] = bench.asked;
  expect([recover?.type, others]).toEqual(['effect.recover', []]);
  const last = bench.events.at(-1);
  if (last?.event === 'telecommand_sent') expect(recover).toMatchObject({ announced: { tc: last.tc } });
  bench.tell({ type: 'recovered', by: 'x2' } as Bare);
  expect(bench.events[events.length]).toMatchObject({
    event: 'taken_over',
    by: 'x2',
    seq: events.length + 1,
  });
  const logged = bench.events.slice(events.length + 1).map(({ event }) => event);
  if (suspended) expect([bench.state, logged]).toEqual(['suspended', []]);
  else if (deciding) expect([bench.state, logged]).toEqual(['waitingDecision', []]);
  else if (!isSaid(events)) expect(logged.includes('decision_required')).toBe(changedInStep(events));
  toTheEnd(bench, new Dice(later));
  sound(bench);
}

describe('a run taken over', () => {
  const three = program([
    step('a', [send('ping'), send('pong')], { attempts: 1 }),
    step('b', [change('fire'), send('ping')]),
    step('c', [log('c')]),
  ]);

  /** Cut behind the n-th event of this kind. */
  function cut(kind: RunEvent['event'], n = 1): Bench {
    const { input, events } = Bench.start(three).play();
    const at = events.filter(({ event }) => event === kind)[n - 1]!.seq;
    return Bench.restored(input, events.slice(0, at));
  }

  it('MC-STM-028 MC-LOG-022 begins the step again without a decision when nothing changed the state', () => {
    const bench = cut('telecommand_sent', 2).tell({ type: 'recovered', by: 'x2' });
    expect(bench.of('taken_over')).toMatchObject([{ by: 'x2' }]);
    expect(bench.state).toBe('retaking');
    bench.play();
    expect(bench.of('step_started').map(({ path, attempt }) => `${path} ${attempt}`)).toEqual([
      'a 1',
      'a 2',
      'b 1',
      'c 1',
    ]);
    expect(bench.of('finished')).toMatchObject([{ ok: true }]);
    const [ping, pong, again] = bench.of('telecommand_sent');
    expect([again!.retry_of, bench.of('telecommand_sent')[3]!.retry_of]).toEqual([ping!.tc, pong!.tc]);
  });

  it('MC-STM-005 asks a decision when the step in progress changed the state, and sends nothing', () => {
    const bench = cut('telecommand_sent', 3).tell({ type: 'recovered', by: 'x2' });
    expect(bench.state).toBe('waitingDecision');
    expect(bench.of('decision_required')).toMatchObject([{ path: 'b' }]);
    expect(bench.asked.map(({ type }) => type)).toEqual(['effect.recover']);
  });

  it('knows the telecommand that is announced without its end, to have it withdrawn', () => {
    const { input, events } = Bench.start(three).play();
    const sent = events.filter(({ event }) => event === 'telecommand_sent')[2] as { seq: number; tc: string };
    const wanted = (seq: number) => Bench.restored(input, events.slice(0, seq)).asked;
    const announced = { tc: sent.tc, path: 'b', statement: change('fire') };
    expect(wanted(sent.seq)).toEqual([{ type: 'effect.recover', announced }]);
    expect(wanted(sent.seq - 1)).toEqual([{ type: 'effect.recover' }]);
    expect(events[sent.seq]).toMatchObject({ event: 'telecommand_finished', tc: sent.tc });
    expect(wanted(sent.seq + 1)).toEqual([{ type: 'effect.recover' }]);
  });

  it('run/fold.D4 knows which of its step it is: by target, component and name, whatever the instance, also of a configure', () => {
    const statements = [
      send('ping', { target: 'sat2' }),
      send('ping', { component: 'eps' }),
      configure([send('pong'), send('ping', { instance: { value: 'AB' } })]),
    ];
    const { input, events } = Bench.start(program([step('a', statements)])).play();
    const announced = events.flatMap((event, n) => {
      if (event.event !== 'telecommand_sent') return [];
      const [recover] = Bench.restored(input, events.slice(0, n + 1)).asked;
      return recover?.type === 'effect.recover' ? [recover.announced?.statement] : [];
    });
    expect(announced).toEqual([
      statements[0],
      statements[1],
      send('pong'),
      send('ping', { instance: { value: 'AB' } }),
    ]);
  });

  it('MC-STM-005 asks none when only a step before changed the state', () => {
    const bench = cut('step_started', 3).tell({ type: 'recovered', by: 'x2' });
    expect(bench.kinds).not.toContain('decision_required');
    expect(bench.play().of('finished')).toMatchObject([{ ok: true }]);
  });

  it('makes sure of its leases before it goes on, and is suspended by its owner when it cannot', () => {
    const bench = cut('step_started', 3).tell({ type: 'recovered', by: 'x2' });
    bench.reply({ type: 'not-prepared', reason: 'sat1 is not ready' });
    expect(bench.state).toBe('suspending');
    bench.reply({ type: 'released' });
    expect(bench.events.slice(-2)).toMatchObject([
      { event: 'logged', path: 'proc', message: 'suspended after the takeover: sat1 is not ready' },
      { event: 'suspended', path: 'c', by: 'x2' },
    ]);
  });

  it('MC-STM-002 ends failed when it had not begun and its targets are not ready', () => {
    const bench = cut('started').tell({ type: 'recovered', by: 'x2' });
    expect(bench.state).toBe('preparing');
    bench.reply({ type: 'not-prepared', reason: 'not ready' }).play();
    expect(bench.kinds).toEqual(['started', 'taken_over', 'finished']);
  });

  it('MC-STM-022 stays suspended, and can be resumed', () => {
    const asleep = Bench.start(three)
      .reply({ type: 'prepared' })
      .command('preempt')
      .reply({ type: 'released' });
    const bench = Bench.restored(asleep.input, asleep.events).tell({ type: 'recovered', by: 'x2' });
    expect([bench.state, bench.kinds.at(-1)]).toEqual(['suspended', 'taken_over']);
    expect(bench.command('resume').play().of('finished')).toMatchObject([{ ok: true }]);
  });

  it('makes sure of its leases behind a decision that was pending', () => {
    const waiting = cut('telecommand_sent', 3).tell({ type: 'recovered', by: 'x2' });
    const bench = Bench.restored(waiting.input, waiting.events).tell({ type: 'recovered', by: 'x3' });
    expect([bench.state, bench.of('decision_required').length]).toEqual(['waitingDecision', 1]);
    bench.decide('skip');
    expect(bench.state).toBe('retaking');
    expect(bench.play().of('finished')).toMatchObject([{ ok: true }]);
  });

  it('says nothing when it was only asleep', () => {
    const waiting = cut('telecommand_sent', 3).tell({ type: 'recovered', by: 'x2' });
    const bench = Bench.restored(waiting.input, waiting.events, true);
    expect([bench.state, bench.asked]).toEqual(['waitingDecision', []]);
    expect(bench.decide('skip').play().of('finished')).toMatchObject([{ ok: true }]);
    expect(bench.of('taken_over')).toHaveLength(1);
  });

  it('run/fold.D2 needs no leases where it was only asleep over a decision, and goes on at once behind it', () => {
    const waiting = cut('telecommand_sent', 3).tell({ type: 'recovered', by: 'x2' });
    const bench = Bench.restored(waiting.input, waiting.events, true).decide('skip');
    expect(bench.asked.map(({ type }) => type)).toEqual(['effect.release', 'effect.archive']);
    expect(bench.of('finished')).toMatchObject([{ ok: true }]);
  });

  it('run/fold.D2 stands suspended where it was only asleep, says nothing, and is resumed', () => {
    const suspended = Bench.start(three)
      .reply({ type: 'prepared' })
      .command('preempt')
      .reply({ type: 'released' });
    // Who asked for that suspension before its chart lived has it already.
    for (const suspendBy of [undefined, 'alarm x']) {
      const input = { ...suspended.input, ...(suspendBy !== undefined && { suspendBy }) };
      const bench = Bench.restored(input, suspended.events, true);
      expect([bench.state, bench.asked]).toEqual(['suspended', []]);
      expect(bench.command('resume').play().of('finished')).toMatchObject([{ ok: true }]);
      expect([bench.of('suspended').length, bench.of('taken_over')]).toEqual([1, []]);
    }
  });

  it('run/fold.D2 makes sure of everything where a suspension was accepted while a decision was waited for', () => {
    const waiting = cut('telecommand_sent', 3).tell({ type: 'recovered', by: 'x2' });
    const input = { ...waiting.input, suspendBy: 'alarm x' };
    const bench = Bench.restored(input, waiting.events, true);
    expect([bench.state, bench.asked]).toMatchObject(['recovering', [{ type: 'effect.recover' }]]);
    bench.tell({ type: 'recovered', by: 'x3' }).reply({ type: 'released' });
    expect(bench.of('suspended')).toMatchObject([{ path: 'b', by: 'alarm x' }]);
  });

  it('run/fold.D2 one that was under way is not taken for asleep, whoever says so', () => {
    const { input, events } = cut('step_started', 2);
    expect(Bench.restored(input, events, true).state).toBe('recovering');
  });

  it('run/fold.D3 one that is over has its leases given back and its report archived once more', () => {
    const { input, events } = Bench.start(three).reply({ type: 'prepared' }).play();
    const bench = Bench.restored(input, events);
    expect(bench.asked).toEqual([{ type: 'effect.release', ticket: 1 }, { type: 'effect.archive' }]);
    bench.play();
    expect([bench.state, bench.events.length]).toEqual(['finished', events.length]);
  });

  it('keeps what was asked and answered before it was there, in order', () => {
    const waiting = cut('telecommand_sent', 3).tell({ type: 'recovered', by: 'x2' });
    const bench = Bench.restored(waiting.input, waiting.events);
    bench.decide('skip').command('suspend');
    expect([bench.state, bench.events.length]).toEqual(['recovering', waiting.events.length]);
    bench.tell({ type: 'recovered', by: 'x3' });
    expect(bench.kinds.slice(-3)).toEqual(['taken_over', 'answered', 'step_finished']);
    expect(bench.replies).toMatchObject([{ outcome: 'accepted' }]);
    expect(bench.driven.context.early).toEqual([]);
    bench.play(well, () => bench.state === 'suspended');
    expect(bench.of('suspended')).toMatchObject([{ path: 'c', by: 'bob' }]);
  });

  it('carries out a suspension that its owner before had accepted', () => {
    const { input, events } = cut('step_started', 3);
    const bench = Bench.restored({ ...input, suspendBy: 'alarm x' }, events);
    bench.tell({ type: 'recovered', by: 'x2' }).play(well, () => bench.state === 'suspended');
    expect(bench.of('suspended')).toMatchObject([{ path: 'c', by: 'alarm x' }]);
  });

  it('applies a decision that was given and not carried out', () => {
    const waiting = cut('telecommand_sent', 3).tell({ type: 'recovered', by: 'x2' });
    const { input, events } = waiting.decide('skip');
    const bench = Bench.restored(input, events.slice(0, -1)).tell({ type: 'recovered', by: 'x3' });
    expect(bench.kinds.slice(-3)).toEqual(['answered', 'taken_over', 'step_finished']);
    expect(bench.play().of('finished')).toMatchObject([{ ok: true }]);
  });

  it('folds a log to where its chart stood', () => {
    const { input, events, driven } = Bench.start(three).play();
    expect(foldRun({ input, events })).toEqual(driven.context.progress);
  });
});
