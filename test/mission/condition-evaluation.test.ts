/**
 * Following a condition: three-valued truth, changes, ages, holds and their deadlines (truth.K1, comparison.C1,
 * condition/history.F1, F2, hold.H1, H2, following.V1, condition/condition.N2).
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compiled, type Followed, followed, KEYS } from './condition-platform.ts';

type Truth = true | false | null;
const TRUTHS: readonly Truth[] = [true, false, null];
const fed = (truth: Truth) => (truth === null ? null : Number(truth));

function both(text: string, a: Truth, b: Truth): Truth {
  const evaluation = followed(text);
  evaluation.feed('obc.on', fed(a), 0);
  evaluation.feed('obc.ready', fed(b), 0);
  return evaluation.truth(0);
}

describe('three-valued truth', () => {
  const table = TRUTHS.flatMap((a) => TRUTHS.map((b) => [a, b] as const));

  it.each(table)('truth.K1 %s and %s', (a, b) => {
    const expected = a === false || b === false ? false : a === null || b === null ? null : true;
    expect(both('obc.on and obc.ready', a, b)).toBe(expected);
  });

  it.each(table)('truth.K1 %s or %s', (a, b) => {
    const expected = a === true || b === true ? true : a === null || b === null ? null : false;
    expect(both('obc.on or obc.ready', a, b)).toBe(expected);
  });

  it.each(TRUTHS)('truth.K1 not %s', (a) => {
    expect(both('not obc.on', a, true)).toBe(a === null ? null : !a);
  });

  it.each(table)('comparison.C1 %s == %s and %s != %s', (a, b) => {
    const unknown = a === null || b === null;
    expect(both('obc.on == obc.ready', a, b)).toBe(unknown ? null : a === b);
    expect(both('obc.on != obc.ready', a, b)).toBe(unknown ? null : a !== b);
  });

  it('in a list is true when one member is, unknown when one could be', () => {
    const evaluation = followed('obc.counter in [1, obc.expected]');
    evaluation.feed('obc.counter', 1, 0);
    expect(evaluation.truth(0)).toBe(true);
    evaluation.feed('obc.counter', 2, 1);
    expect(evaluation.truth(1)).toBe(null);
    evaluation.feed('obc.expected', 3, 2);
    expect(evaluation.truth(2)).toBe(false);
  });

  it.each([
    'voltage > 1 V',
    'voltage != 1 V',
    'voltage within 1 V of 2 V',
    'avg(voltage, 60 s) > 1 V',
    'voltage changes',
    'age(voltage) > 0 s',
    'abs(voltage) > 1 V',
    '-voltage > 1 V',
    'voltage in [1 V]',
    '(voltage > 1 V) stable for 1 s',
  ])('%s is unknown before the first sample', (text) => {
    expect(followed(text).truth(0)).toBe(null);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, null])('takes %s for unknown', (value) => {
    const evaluation = followed('voltage > 1 V');
    evaluation.feed('voltage', 2, 0);
    evaluation.feed('voltage', value, 1);
    expect(evaluation.truth(1)).toBe(null);
  });

  it('valid is known even of what is not', () => {
    const evaluation = followed('valid(voltage) and valid(voltage + battery[2].voltage)');
    expect(evaluation.truth(0)).toBe(false);
    evaluation.feed('voltage', 1, 0);
    evaluation.feed('battery[2].voltage', 1, 0);
    expect(evaluation.truth(0)).toBe(true);
    evaluation.feed('voltage', null, 1);
    expect(evaluation.truth(1)).toBe(false);
  });

  it('ignores samples of measures it does not read', () => {
    const evaluation = followed('voltage > 1 V');
    evaluation.feed('battery[2].voltage', 5, 0);
    expect(evaluation.truth(0)).toBe(null);
  });

  it('condition/history.F1 an older sample does not replace a newer one, one of the same time does', () => {
    const evaluation = followed('voltage > 1 V');
    evaluation.feed('voltage', 2, 1000);
    evaluation.feed('voltage', 0, 999);
    expect(evaluation.truth(1000)).toBe(true);
    evaluation.feed('voltage', 0, 1000);
    expect(evaluation.truth(1000)).toBe(false);
  });

  it('one compiled condition serves many evaluations that know nothing of each other', () => {
    const condition = compiled('voltage < 6 V and stable for 1 s');
    const [one, two] = [condition.open({ instance: '1' }), condition.open({ instance: '2' })];
    one.feed(one.reads[0]!, 5, 0);
    expect(one.truth(1000)).toBe(true);
    expect(two.truth(1000)).toBe(null);
    expect(one.reads).not.toEqual(two.reads);
  });

  it('has no deadline when only samples can change it', () => {
    const evaluation = followed('voltage < 6 V or voltage changes');
    evaluation.feed('voltage', 5, 0);
    expect(evaluation.deadline(0)).toBe(undefined);
  });
});

describe('changes', () => {
  function changing(key: string, values: readonly (number | string | null)[]): Truth[] {
    const evaluation = followed(`${key} changes`);
    return values.map((value, at) => {
      evaluation.feed(key, value, at);
      return evaluation.truth(at);
    });
  }

  it('is true at a sample that differs from the one before; the first one is the baseline', () => {
    expect(changing('obc.counter', [5, 5, 6, 6, 5])).toEqual([false, false, true, false, true]);
    expect(changing('obc.label', ['a', 'a', 'b', 'b'])).toEqual([false, false, true, false]);
    expect(changing('obc.mode', [1, 2])).toEqual([false, true]);
  });

  it('condition/history.F2 compares with the last known value across an unknown one', () => {
    expect(changing('obc.counter', [5, null, 5, null, 6])).toEqual([false, null, false, null, true]);
    expect(changing('obc.label', ['a', null, 'b'])).toEqual([false, null, true]);
  });

  it('condition/history.F1 is not moved by an older sample', () => {
    const evaluation = followed('obc.counter changes');
    evaluation.feed('obc.counter', 5, 10);
    evaluation.feed('obc.counter', 4, 9);
    expect(evaluation.truth(10)).toBe(false);
    evaluation.feed('obc.counter', 5, 11);
    expect(evaluation.truth(11)).toBe(false);
  });

  it('after priming compares the first sample with what came before, and stays unknown until then', () => {
    const evaluation = followed('obc.counter changes or obc.counter == 7');
    evaluation.prime('obc.counter', 7, 0);
    expect(evaluation.truth(0)).toBe(null);
    evaluation.feed('obc.counter', 8, 1);
    expect(evaluation.truth(1)).toBe(true);
    const same = followed('obc.label changes');
    same.prime('obc.label', 'a', 0);
    same.feed('obc.label', 'a', 1);
    expect(same.truth(1)).toBe(false);
  });

  it('priming gives way to samples, to later priming, and never to unknown', () => {
    const late = followed('obc.counter changes');
    late.feed('obc.counter', 8, 1);
    late.prime('obc.counter', 7, 2);
    late.feed('obc.counter', 8, 3);
    expect(late.truth(3)).toBe(false);
    const twice = followed('obc.counter changes');
    twice.prime('obc.counter', 7, 2);
    twice.prime('obc.counter', 6, 1);
    twice.prime('obc.counter', null, 3);
    twice.feed('obc.counter', 7, 4);
    expect(twice.truth(4)).toBe(false);
  });

  it('condition/history.F1 a sample older than the priming one is skipped', () => {
    const evaluation = followed('obc.counter == 7');
    evaluation.prime('obc.counter', 7, 10);
    evaluation.feed('obc.counter', 7, 9);
    expect(evaluation.truth(10)).toBe(null);
  });
});

describe('age', () => {
  it.each([
    ['age(voltage) > 10 s', 11_000, 11_001],
    ['age(voltage) >= 10 s', 10_999, 11_000],
    ['10 s < age(voltage)', 11_000, 11_001],
  ])('%s turns true by itself, and says when', (text, last, turned) => {
    const evaluation = followed(text);
    expect(evaluation.deadline(0)).toBe(undefined);
    evaluation.feed('voltage', 5, 1000);
    expect(evaluation.deadline(1000)).toBe(turned);
    expect([evaluation.truth(last), evaluation.truth(turned)]).toEqual([false, true]);
    expect(evaluation.deadline(turned)).toBe(undefined);
  });

  it.each([
    ['age(voltage) < 10 s', 10_999, 11_000],
    ['age(voltage) <= 10 s', 11_000, 11_001],
  ])('%s turns false by itself, and says when', (text, last, turned) => {
    const evaluation = followed(text);
    evaluation.feed('voltage', 5, 1000);
    expect(evaluation.deadline(1000)).toBe(turned);
    expect([evaluation.truth(last), evaluation.truth(turned)]).toEqual([true, false]);
  });

  it('counts from the last sample with a value, and against a measured limit', () => {
    const evaluation = followed('age(voltage) > obc.limit');
    evaluation.feed('voltage', 5, 1000);
    expect(evaluation.truth(1_000_000)).toBe(null);
    evaluation.feed('obc.limit', 1, 1000);
    evaluation.feed('voltage', null, 30_000);
    expect(evaluation.deadline(30_000)).toBe(61_001);
    expect(evaluation.truth(61_001)).toBe(true);
    evaluation.feed('voltage', 5, 62_000);
    expect(evaluation.truth(62_000)).toBe(false);
  });
});

describe('stable for', () => {
  it('becomes true at the deadline without a new sample', () => {
    const evaluation = followed('voltage < 6.8 V and stable for 10 s');
    evaluation.feed('voltage', 6.5, 1000);
    expect(evaluation.truth(1000)).toBe(false);
    expect(evaluation.deadline(1000)).toBe(11_000);
    expect(evaluation.truth(10_999)).toBe(false);
    expect(evaluation.deadline(10_999)).toBe(11_000);
    expect(evaluation.truth(11_000)).toBe(true);
    expect(evaluation.deadline(11_000)).toBe(undefined);
  });

  it('counts from the first sample of the hold, and begins again after a false one', () => {
    const evaluation = followed('voltage < 6.8 V stable for 10 s');
    evaluation.feed('voltage', 6.5, 0);
    evaluation.feed('voltage', 6.4, 5000);
    expect(evaluation.deadline(5000)).toBe(10_000);
    evaluation.feed('voltage', 7, 9000);
    expect(evaluation.truth(9000)).toBe(false);
    expect(evaluation.deadline(9000)).toBe(undefined);
    evaluation.feed('voltage', 6.5, 9500);
    expect(evaluation.truth(10_000)).toBe(false);
    expect(evaluation.truth(19_500)).toBe(true);
    evaluation.feed('voltage', 7, 20_000);
    expect(evaluation.truth(20_000)).toBe(false);
  });

  it('holds the whole chain of "and"', () => {
    const evaluation = followed('obc.on and voltage < 6.8 V and stable for 10 s');
    evaluation.feed('voltage', 6.5, 0);
    evaluation.feed('obc.on', 1, 4000);
    expect(evaluation.truth(10_000)).toBe(false);
    expect(evaluation.truth(14_000)).toBe(true);
    evaluation.feed('obc.on', 0, 15_000);
    expect(evaluation.truth(15_000)).toBe(false);
  });

  it('hold.H1 unknown neither ends the hold nor counts', () => {
    const evaluation = followed('voltage < 6.8 V stable for 10 s');
    evaluation.feed('voltage', 6.5, 0);
    evaluation.feed('voltage', null, 4000);
    expect(evaluation.truth(5000)).toBe(null);
    expect(evaluation.deadline(5000)).toBe(undefined);
    evaluation.feed('voltage', 6.5, 20_000);
    expect(evaluation.deadline(20_000)).toBe(26_000);
    expect([evaluation.truth(25_999), evaluation.truth(26_000)]).toEqual([false, true]);
    evaluation.feed('voltage', null, 30_000);
    evaluation.feed('voltage', 6.5, 31_000);
    expect(evaluation.truth(31_000)).toBe(true);
  });

  it('hold.H2 samples of one moment are one change, whatever is asked in between', () => {
    const evaluation = followed('obc.counter == obc.expected stable for 10 s');
    evaluation.feed('obc.counter', 1, 0);
    evaluation.feed('obc.expected', 1, 0);
    evaluation.feed('obc.counter', 2, 5000);
    expect(evaluation.truth(5000)).toBe(false);
    evaluation.feed('obc.expected', 2, 5000);
    expect(evaluation.truth(10_000)).toBe(true);
  });

  it('within another hold and beside "or" each has its own deadline', () => {
    const evaluation = followed('((obc.on stable for 2 s) or obc.ready) stable for 3 s');
    evaluation.feed('obc.on', 1, 0);
    evaluation.feed('obc.ready', 0, 0);
    expect(evaluation.deadline(0)).toBe(2000);
    expect(evaluation.truth(4999)).toBe(false);
    expect(evaluation.deadline(4999)).toBe(5000);
    expect(evaluation.truth(5000)).toBe(true);
  });

  it('following.V1 sees what turned by itself while nobody asked', () => {
    const evaluation = followed('age(voltage) > 10 s stable for 5 s');
    evaluation.feed('voltage', 5, 0);
    expect(evaluation.truth(15_000)).toBe(false);
    expect(evaluation.truth(15_001)).toBe(true);
    const gap = followed('avg(voltage, 4 s) < 3 V stable for 5 s');
    gap.feed('voltage', 9, 0);
    gap.feed('voltage', 1, 1000);
    // The 9 V leave at 4 s, everything at 5 s: it held for one second, then became unknown.
    expect(gap.truth(20_000)).toBe(null);
    gap.feed('voltage', 1, 20_000);
    expect(gap.truth(23_999)).toBe(false);
    expect(gap.deadline(23_999)).toBe(24_000);
  });
});

// Oracles ------------------------------------------------------------------------------------------------------------

interface Sample {
  readonly at: number;
  readonly key: string;
  readonly value: number | null;
}

/** For each of some twenty conditions. */
const RUNS = { numRuns: 60 };

/** Long enough after the last sample for everything to come to rest. */
const UNTIL = 55;

/** Samples of two measures on a coarse grid, so that values, times and thresholds meet often. */
const samples = fc
  .array(
    fc.record({
      at: fc.integer({ min: 0, max: 30 }),
      key: fc.constantFrom('voltage', 'obc.on'),
      value: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 5 }),
    }),
    { maxLength: 20 },
  )
  .map((all) => all.sort((a, b) => a.at - b.at));

/** Truths at each ms from 0 on, all samples of a ms being fed before. */
function truths(evaluation: Followed, fedSamples: readonly Sample[], until: number): Truth[] {
  return Array.from({ length: until }, (_, at) => {
    for (const sample of fedSamples) if (sample.at === at) evaluation.feed(sample.key, sample.value, at);
    return evaluation.truth(at);
  });
}

/** `stable for` by counting: a ms counts when it began true. */
function heldFor(inner: readonly Truth[], duration: number): Truth[] {
  let held: number | undefined;
  return inner.map((truth, at) => {
    if (held !== undefined && inner[at - 1] === true) held += 1;
    if (truth === false) held = undefined;
    if (truth === true) held ??= 0;
    return truth === true ? (held ?? 0) >= duration : truth;
  });
}

const INNER = [
  'voltage > 1 V',
  'voltage > 1 V and obc.on',
  'voltage > 1 V or obc.on',
  'voltage changes',
  'age(voltage) > 7 ms',
  'age(voltage) < 7 ms and obc.on',
  'avg(voltage, 9 ms) > 1 V',
  'count(voltage, 9 ms) < 2 or obc.on',
];

/** Everything at once: holds within holds, ages and windows. */
const ANY = [
  ...INNER,
  ...INNER.map((inner) => `(${inner}) stable for 6 ms`),
  '((voltage > 1 V stable for 3 ms) or age(voltage) > 8 ms) stable for 6 ms',
  'not (avg(voltage, 9 ms) > 1 V stable for 4 ms) and obc.on stable for 5 ms',
  'rate(voltage, 9 ms) > 0 V/s or delta(voltage, 5 ms) < 0 V',
];

describe('against an oracle', () => {
  it.each(INNER)('(%s) stable for 6 ms is what counting ms gives', (inner) => {
    fc.assert(
      fc.property(samples, (all) => {
        const expected = heldFor(truths(followed(inner), all, UNTIL), 6);
        expect(truths(followed(`(${inner}) stable for 6 ms`), all, UNTIL)).toEqual(expected);
      }),
      RUNS,
    );
  });

  it.each(ANY)(
    'condition/condition.N2 %s has the same truths whenever and however often it is asked',
    (text) => {
      const asked = fc.array(fc.boolean(), { minLength: UNTIL, maxLength: UNTIL });
      fc.assert(
        fc.property(samples, asked, (all, when) => {
          const expected = truths(followed(text), all, UNTIL);
          const rarely = followed(text);
          const differing: number[] = [];
          for (let at = 0; at < UNTIL; at += 1) {
            for (const sample of all) {
              if (sample.at !== at) continue;
              rarely.feed(sample.key, sample.value, at);
              if (when[at]) rarely.truth(at);
            }
            if (when[at] && rarely.truth(at) !== expected[at]) differing.push(at);
          }
          expect(differing).toEqual([]);
        }),
        RUNS,
      );
    },
  );

  it.each(ANY)('%s does not change before its deadline unless a sample comes', (text) => {
    fc.assert(
      fc.property(samples, (all) => {
        const expected = truths(followed(text), all, UNTIL);
        const evaluation = followed(text);
        const surprises: number[] = [];
        for (let at = 0; at < UNTIL - 1; at += 1) {
          for (const sample of all) if (sample.at === at) evaluation.feed(sample.key, sample.value, at);
          const deadline = evaluation.deadline(at) ?? Number.POSITIVE_INFINITY;
          const quiet = at + 1 < deadline && all.every((sample) => sample.at !== at + 1);
          if (deadline <= at || (quiet && expected[at + 1] !== expected[at])) surprises.push(at);
        }
        expect(surprises).toEqual([]);
      }),
      RUNS,
    );
  });

  it('reads the ordinals of its measures only, in their order', () => {
    const { reads } = compiled(
      ANY.map((text) => `(${text})`)
        .slice(0, 8)
        .join(' or '),
    ).open({ instance: '1' });
    expect(reads.map((ordinal) => KEYS[ordinal])).toEqual(['obc.on', 'battery[1].voltage']);
  });
});
