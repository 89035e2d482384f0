/**
 * Which answer is taken, and which only logged as refused: the chart of a run alone. Mission Control Service, sections
 * 3.2, 4.2.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProgramNode } from '../../../contract/program.ts';
import { CHOICES, isChoice, type RunEvent } from '../../../contract/run.ts';
import type { AnswerGiven } from '../../../machines/run/protocol.ts';
import { runLogFaults } from '../../support/run-log-checker.ts';
import { ask, askTyped, type Bare, Bench, change, confirm, ended, program, step, wait } from './bench.ts';

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
