/**
 * Which answer is taken, and which only logged as refused: the chart of a run alone. Mission Control Service, sections
 * 3.2, 4.2.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AskStatement, ProgramNode } from '../../../contract/program.ts';
import { CHOICES, isChoice } from '../../../contract/run.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import type { AnswerGiven } from '../../../machines/run/protocol.ts';
import { runLogFaults } from '../../support/run-log-checker.ts';
import {
  ask,
  askTyped,
  type Bare,
  Bench,
  change,
  confirm,
  ended,
  given,
  log,
  program,
  step,
  wait,
} from './bench.ts';

const YES = { by: 'ada', roles: ['op'], accepted: true } as const;
const NO = { ...YES, accepted: false } as const;

/** Each telecommand fails, everything else goes well; people and time are waited for. */
const failing = (effect: { type: string; tc?: string }): Bare | undefined => {
  switch (effect.type) {
    case 'effect.prepare':
      return { type: 'prepared' };
    case 'effect.release':
      return { type: 'released' };
    case 'effect.send':
      return ended(effect.tc!, 'VERIFY_FAILED', 'no echo');
    case 'effect.read-answer':
      return { type: 'answer.read', value: 12 };
    default:
      return undefined;
  }
};

function standing(statement: ProgramNode): Bench {
  return Bench.start(program([statement])).play(failing);
}

/** As a new owner finds it, `taken_over` logged and the step in progress begun again. */
function takenOver({ input, events }: Bench): Bench {
  const heir = Bench.restored(input, events);
  return heir.tell({ type: 'recovered', by: 'heir' }).play(failing);
}

const lastQuestion = (events: readonly RunEvent[]): number | undefined =>
  events.findLast(({ event }) => event === 'asked' || event === 'decision_required')?.seq;

describe('the answer to a question', () => {
  const STATES = {
    'a question': () => standing(step('a', [ask()])),
    'a typed question': () => standing(step('a', [askTyped('x')])),
    'a confirmation': () => standing(step('a', [confirm('op')])),
    'a decision': () => standing(step('a', [change('fire')])),
    'a decision behind a question': () => standing(step('a', [ask()])).answer('a', NO),
    'no question': () => standing(step('a', [wait(5)])),
    'a suspension': () =>
      standing(step('a', [ask()]))
        .command('preempt')
        .play(failing),
  } as const;
  const ANSWERS: Readonly<Record<string, Partial<AnswerGiven>>> = {
    yes: YES,
    no: NO,
    ...Object.fromEntries(CHOICES.map((value) => [value, { ...YES, value }])),
    'a typed value': { ...YES, value: '12 dB' },
    'a number': { ...YES, value: 7 },
    'no with a typed value': { ...NO, value: '12 dB' },
  };
  /** What it says of the question: `asked` is the one that waits. */
  const BINDINGS = {
    'names it': (asked: number) => ({ question: asked, seen: 0 }),
    'has seen it': (asked: number) => ({ seen: asked }),
    'was given before it': (asked: number) => ({ seen: asked - 1 }),
    'names another': (asked: number) => ({ question: asked - 1, seen: asked }),
    'names one to come': (asked: number) => ({ question: asked + 1, seen: asked }),
  } as const;
  const rows = Object.keys(STATES).flatMap((state) =>
    [false, true].flatMap((over) => Object.keys(ANSWERS).map((answer) => [answer, state, over] as const)),
  ) as [string, keyof typeof STATES, boolean][];

  it.each(rows)('question.Q4 Q5 MC-ANS-006 MC-ANS-030 %s, for %s (taken over: %s)', (answer, state, over) => {
    for (const [binding, bound] of Object.entries(BINDINGS)) {
      const bench = over ? takenOver(STATES[state]()) : STATES[state]();
      const waits = ['running.asking', 'running.confirming', 'waitingDecision'].includes(bench.state);
      expect(waits).toBe(state !== 'no question' && state !== 'a suspension');
      const asked = lastQuestion(bench.events) ?? 2;
      const given = ANSWERS[answer]!;
      const [logged, stood] = [bench.events.length, bench.state];
      bench.answer('a', { ...given, ...bound(asked) }).play(failing);
      const isMeant = binding === 'names it' || binding === 'has seen it';
      const isDecision = bench.events[asked - 1]?.event === 'decision_required';
      const isValue = !isDecision || isChoice(given.value) || answer === 'no';
      const [first] = bench.events.slice(logged);
      expect(first?.event, binding).toBe(waits && isMeant && isValue ? 'answered' : 'answer_refused');
      if (first?.event === 'answered') continue;
      expect([bench.events.length, bench.state], `${binding}: it changes nothing`).toEqual([
        logged + 1,
        stood,
      ]);
    }
  });

  it('A-70 a no given twice to a question does not decide about the step that it failed', () => {
    const bench = standing(step('a', [ask()]));
    const seen = bench.events.length;
    bench.answer('a', { ...NO, seen }).answer('a', { ...NO, seen });
    expect(bench.of('answer_refused')).toMatchObject([
      { path: 'a', by: 'ada', reason: /before question \d+ was asked/ },
    ]);
    expect(bench.state).toBe('waitingDecision');
    bench.answer('a', NO);
    expect(bench.of('finished'), 'one given behind the decision is a no to it').toMatchObject([
      { ok: false },
    ]);
  });

  it('A-70 an answer that its owner died over does not answer what the heir asks again', () => {
    const bench = standing(step('a', [confirm('op')]));
    const seen = bench.events.length;
    const heir = takenOver(bench).answer('a', { ...YES, seen });
    expect(heir.of('answered')).toEqual([]);
    expect(heir.of('answer_refused')).toHaveLength(1);
    expect(heir.state).toBe('running.confirming');
  });

  it('one that comes before the heir is there is judged by what it finds', () => {
    const bench = Bench.start(program([step('a', [change('fire')]), step('b', [wait(5)])])).play(failing);
    const question = lastQuestion(bench.events)!;
    const heir = Bench.restored(bench.input, bench.events);
    heir.answer('a', { ...YES, value: 'skip', question }).answer('a', { ...YES, value: 'skip', question });
    heir.tell({ type: 'recovered', by: 'heir' }).play(failing);
    expect(heir.of('answered')).toHaveLength(1);
    expect(heir.of('answer_refused')).toHaveLength(1);
    expect(heir.of('step_finished')).toMatchObject([{ ok: true }]);
  });
});

describe('what the log has of a question', () => {
  const asked = (statement: ProgramNode) => standing(statement).of('asked')[0]!;
  const typed = (type: NonNullable<AskStatement['type']>) =>
    asked(step('a', [askTyped('x', { type })])).answer;

  it('MC-LOG-014 the value that is asked for: its type, and of unit, range and choices those that there are', () => {
    expect(typed({ type: 'f64', unit: 'dB', range: [null, 0] })).toStrictEqual({
      type: 'f64',
      unit: 'dB',
      range: [null, 0],
    });
    const values = [
      ['low', 0],
      ['high', 1],
    ] as const;
    expect(typed({ type: 'gain', values })).toStrictEqual({ type: 'gain', choices: ['low', 'high'] });
    expect(typed({ type: 'instance', of: 'eps' })).toStrictEqual({ type: 'instance', of: 'eps' });
    expect(asked(step('a', [ask()]))).not.toHaveProperty('answer');
  });

  it('MC-LOG-014 until when it is answered, where it waits with a bound', () => {
    const bounded = asked(step('a', [ask({ timeoutMs: 30_000 })]));
    expect(Date.parse(bounded.deadline!) - Date.parse(bounded.at)).toBe(30_000);
    expect(asked(step('a', [ask()]))).not.toHaveProperty('deadline');
  });

  it('MC-LOG-015 of an answer what it has, and nothing else', () => {
    const answered = (statement: ProgramNode, given: Partial<AnswerGiven>) => {
      const { run, seq, at, event, ...said } = standing(statement)
        .answer('a', given)
        .play(failing)
        .of('answered')[0]!;
      return said;
    };
    const [by, roles] = ['ada', ['op']];
    const [plain, no] = [
      { path: 'a', accepted: true, by },
      { path: 'a', accepted: false, by },
    ];
    expect(answered(step('a', [ask()]), YES)).toStrictEqual(plain);
    expect(answered(step('a', [ask()]), NO)).toStrictEqual(no);
    expect(answered(step('a', [confirm('op')]), { ...YES, roles })).toStrictEqual({ ...plain, role: 'op' });
    expect(answered(step('a', [confirm('op')]), { ...NO, roles })).toStrictEqual({ ...no, role: 'op' });
    expect(answered(step('a', [askTyped('x')]), { ...YES, value: '12 dB' })).toStrictEqual({
      ...plain,
      value: 12,
    });
    expect(answered(step('a', [change('fire')]), { ...YES, value: 'skip' })).toStrictEqual({
      ...plain,
      value: 'skip',
    });
    expect(answered(step('a', [change('fire')]), NO)).toStrictEqual(no);
  });

  it.each([
    ['taken', [ask()], YES, 'answered'],
    ['a confirmation', [confirm('op')], YES, 'answered'],
    ['a no', [ask()], NO, 'answered'],
    ['a decision', [change('fire')], { ...YES, value: 'skip' }, 'answered'],
    ['without its value', [askTyped('x')], YES, 'answered'],
    ['refused', [change('fire')], YES, 'answer_refused'],
  ] as const)('question.Q1 the position of an answer, %s', (_what, statements, given, event) => {
    const bench = standing(step('a', statements)).answer('a', { ...given, source: 42 });
    const record = bench.driven.records.findLast((each) => each.event.event === event);
    expect(record).toMatchObject({ source: 42 });
  });

  it('question.Q1 the position of an answer that cannot be read, and who gave it', () => {
    const bench = standing(step('a', [askTyped('x')])).answer('a', { ...YES, value: 'much', source: 42 });
    bench.reply({ type: 'answer.unreadable', reason: 'no number' });
    const record = bench.driven.records.findLast(({ event }) => event.event === 'answered');
    expect(record).toMatchObject({
      event: { path: 'a', accepted: true, by: 'ada', value: 'much' },
      source: 42,
    });
    expect(bench.driven.context).toMatchObject({ asked: null, given: null });
  });

  it.each([
    [{ ...YES, value: '12 dB' }, '"12 dB" is no decision'],
    [YES, 'no value is no decision'],
    [{ ...NO, value: '12 dB' }, 'no, with "12 dB" is no decision'],
  ])('question.Q5 which decisions there are, where %j is none', (given, why) => {
    const bench = standing(step('a', [change('fire')])).answer('a', given);
    const reason = `${why}: give one of replay, skip, fail, abort, or a plain no`;
    expect(bench.of('answer_refused')).toMatchObject([{ path: 'a', by: 'ada', reason }]);
  });

  it('question.Q4 which question is asked now, where an answer is to another', () => {
    const bench = standing(step('a', [change('fire')]));
    const question = lastQuestion(bench.events)!;
    bench.answer('a', { ...YES, question: 2 }).answer('a', { ...YES, seen: question - 1 });
    expect(bench.of('answer_refused').map(({ reason }) => reason)).toEqual([
      `it answers question 2, and question ${question} is asked now`,
      `it was given before question ${question} was asked: answer that one anew`,
    ]);
  });

  it('question.Q3 nobody, where who answers has no name', () => {
    const bench = standing(step('a', [ask()]));
    const { by: _, ...nameless } = given('a', { seen: 99 });
    bench.tell(nameless as Bare);
    expect(bench.of('answer_refused')[0]).not.toHaveProperty('by');
  });
});

describe('behind an answer', () => {
  it('MC-ANS-015 the typed answers of a step are known to it together', () => {
    const bench = standing(step('a', [askTyped('x'), askTyped('y'), log('at ', { name: 'x' })]));
    for (const value of ['1 dB', '2 dB']) bench.answer('a', { ...YES, value }).play(failing);
    expect(bench.asked.at(-1)).toMatchObject({ type: 'effect.write', answers: { x: 12, y: 12 } });
  });

  it('question.Q4 no question stands any more', () => {
    for (const statement of [ask(), confirm('op'), askTyped('x')]) {
      const bench = standing(step('a', [statement, wait(5)]));
      expect(bench.driven.context.asked).toMatchObject({ question: lastQuestion(bench.events) });
      bench.answer('a', { ...YES, value: '12 dB' }).play(failing);
      expect(bench.state).toBe('running.waiting');
      expect(bench.driven.context).toMatchObject({ asked: null, given: null });
    }
  });

  it('question.Q2 who confirmed a step does not confirm it again at a later statement, and may in its next attempt', () => {
    const bench = standing(step('a', [confirm('op'), confirm('op')]))
      .answer('a', YES)
      .answer('a', YES);
    expect(bench.of('answer_refused')).toMatchObject([{ reason: 'ada has already confirmed this step' }]);
    bench
      .answer('a', { ...NO, by: 'eve' })
      .decide('replay')
      .answer('a', YES);
    expect(bench.of('answered').map(({ by, accepted }) => `${by} ${accepted}`)).toEqual([
      'ada true',
      'eve false',
      'ada true',
      'ada true',
    ]);
  });
});

describe('answers over random histories', () => {
  const steps = () => [
    step('a', [ask(), change('fire'), confirm('op')], { attempts: 2 }),
    step('b', [askTyped('x'), confirm('op')]),
    step('c', [change('arm')]),
  ];
  interface Move {
    readonly kind: 'answer' | 'again' | 'takeover' | 'suspend' | 'resume' | 'play';
    readonly path: string;
    readonly accepted: boolean;
    readonly value: string | undefined;
    /** How far back it has seen, or the question it names lies. */
    readonly back: number;
    readonly names: boolean;
    readonly which: number;
    readonly by: string;
  }
  const move = fc.record<Move>({
    kind: fc.constantFrom(
      'answer',
      'answer',
      'answer',
      'again',
      'again',
      'takeover',
      'suspend',
      'resume',
      'play',
    ),
    path: fc.constantFrom('a', 'b', 'c'),
    accepted: fc.boolean(),
    value: fc.constantFrom(undefined, undefined, '12 dB', ...CHOICES),
    back: fc.constantFrom(0, 0, 0, 1, 2, 5, 9),
    names: fc.boolean(),
    which: fc.nat(),
    by: fc.constantFrom('ada', 'bob', 'eve'),
  });

  interface Given extends Partial<AnswerGiven> {
    readonly path: string;
    readonly seen: number;
  }

  class History {
    bench = Bench.start(program(steps())).play(failing);
    readonly #given: Given[] = [];

    take(move: Move): void {
      if (this.bench.state === 'finished') return;
      switch (move.kind) {
        case 'answer':
          return this.#answer(this.#made(move));
        case 'again': {
          const given = this.#given[move.which % Math.max(1, this.#given.length)];
          if (given !== undefined) this.#answer(given);
          return;
        }
        case 'takeover':
          this.bench = takenOver(this.bench);
          return;
        case 'suspend':
          this.bench.command('preempt').play(failing);
          return;
        case 'resume':
          this.bench.command('resume').play(failing);
          return;
        case 'play':
          this.bench.play(failing);
      }
    }

    #made({ path, accepted, value, back, names, by }: Move): Given {
      const { events } = this.bench;
      const questions = events.filter(({ event }) => event === 'asked' || event === 'decision_required');
      const question = names ? questions.at(-1 - (back % 3))?.seq : undefined;
      const asked = events[(question ?? lastQuestion(events) ?? 1) - 1]!;
      return {
        path: 'path' in asked && back < 5 ? asked.path : path,
        accepted,
        by,
        roles: ['op'],
        ...(value !== undefined && { value }),
        ...(question !== undefined && { question }),
        seen: Math.max(0, events.length - back),
      };
    }

    #answer(given: Given): void {
      const { bench } = this;
      const { events, state } = bench;
      const [length, asked] = [events.length, lastQuestion(events)];
      bench.answer(given.path, given);
      const isRead = bench.state === 'running.readingAnswer';
      bench.play(failing);
      this.#given.push(given);
      const [first] = bench.events.slice(length);
      if (first?.event === 'answered') {
        expect(given.question ?? asked, 'it answers what is asked, and nothing else').toBe(asked);
        if (given.question === undefined) expect(given.seen).toBeGreaterThanOrEqual(asked!);
        const behind = bench.events
          .slice(0, length)
          .filter(({ event, seq }) => event === 'answered' && seq > asked!);
        expect(behind, 'a question is answered once').toEqual([]);
      } else {
        expect(first?.event).toBe('answer_refused');
        expect(isRead).toBe(false);
        expect([bench.events.length, bench.state], 'a refusal changes nothing').toEqual([length + 1, state]);
      }
    }

    /** Every answer that named its question and was taken, once more. */
    repeatAll(): void {
      const answered = this.bench.events.filter(({ event }) => event === 'answered').length;
      const pending = lastQuestion(this.bench.events);
      for (const given of [...this.#given]) {
        if (this.bench.state === 'finished') return;
        if (given.question !== undefined && given.question !== pending) this.#answer(given);
      }
      expect(this.bench.events.filter(({ event }) => event === 'answered')).toHaveLength(answered);
    }
  }

  it('MC-ANS-006 A-70 each is taken for the question it was given to or changes nothing, also across takeovers', () => {
    fc.assert(
      fc.property(fc.array(move, { minLength: 1, maxLength: 25 }), (moves) => {
        const history = new History();
        for (const each of moves) history.take(each);
        history.repeatAll();
        expect(runLogFaults(history.bench.events)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
