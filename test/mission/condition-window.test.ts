/**
 * Temporal functions against a plain reading of their definition (window.W1 to W4, call.L1, L2), and sums that leave no
 * trace.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactSum } from '../../mission/condition/exact-sum.ts';
import { WINDOW_SAMPLES, Window } from '../../mission/condition/window.ts';
import { toNumber } from '../../mission/unit-scale.ts';
import { derived, followed } from './condition-platform.ts';

interface Sample {
  readonly at: number;
  readonly value: number;
}

const LENGTH = 20;

/** Samples on a coarse grid of times, slightly out of order, and the moments they are asked at. */
const history = fc.record({
  samples: fc.array(
    fc.record({
      step: fc.integer({ min: -3, max: 6 }),
      value: fc.integer({ min: -50, max: 50 }).map((n) => n / 10),
    }),
    { maxLength: 60 },
  ),
  asks: fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 60, maxLength: 60 }),
});

/** What is inside at `now`, by time and then by order of arrival (window.W1, W2). */
function inside(samples: readonly Sample[], now: number): Sample[] {
  return samples.filter(({ at }) => at + LENGTH > now).sort((a, b) => a.at - b.at);
}

const OF: Readonly<Record<string, (inside: readonly Sample[]) => number | null>> = {
  avg: (all) => (all.length === 0 ? null : all.reduce((sum, { value }) => sum + value, 0) / all.length),
  min: (all) => (all.length === 0 ? null : Math.min(...all.map(({ value }) => value))),
  max: (all) => (all.length === 0 ? null : Math.max(...all.map(({ value }) => value))),
  delta: (all) => (all.length < 2 ? null : all.at(-1)!.value - all[0]!.value),
  rate: (all) => {
    const seconds = all.length < 2 ? 0 : (all.at(-1)!.at - all[0]!.at) / 1000;
    return seconds > 0 ? (all.at(-1)!.value - all[0]!.value) / seconds : null;
  },
};

describe('temporal functions', () => {
  it.each(Object.entries(OF))(
    '%s is what its definition says, with samples slightly out of order',
    (name, of) => {
      fc.assert(
        fc.property(history, ({ samples, asks }) => {
          const measure = derived(`${name}(voltage, ${LENGTH} ms)`, { unit: name === 'rate' ? 'V/s' : 'V' });
          const all: Sample[] = [];
          let at = 100;
          let now = 100;
          samples.forEach(({ step, value }, index) => {
            at += step;
            all.push({ at, value });
            measure.feed('voltage', value, at);
            now = Math.max(now, at + (asks[index] ?? 0) - 10);
            const expected = of(inside(all, now));
            const actual = measure.value(now);
            if (expected === null || actual === null) expect(actual).toBe(expected);
            else expect(actual).toBeCloseTo(expected, 9);
          });
        }),
        { numRuns: 200 },
      );
    },
  );

  it('call.L1 count is unknown before the first sample, then how many are inside, 0 among it', () => {
    const count = derived('count(obc.label, 10 ms)');
    expect(count.value(0)).toBe(null);
    count.feed('obc.label', 'a', 0);
    count.feed('obc.label', 'a', 5);
    count.feed('obc.label', null, 6);
    expect([9, 10, 14, 15].map((now) => count.value(now))).toEqual([2, 1, 1, 0]);
  });

  it('window.W1 a sample leaves at the end of the window, and the deadline says when', () => {
    const mean = derived('avg(voltage, 10 s)', { unit: 'V' });
    expect(mean.deadline(0)).toBe(undefined);
    mean.feed('voltage', 4, 1000);
    mean.feed('voltage', 8, 3000);
    expect([mean.deadline(3000), mean.value(10_999)]).toEqual([11_000, 6]);
    expect([mean.value(11_000), mean.deadline(11_000)]).toEqual([8, 13_000]);
    expect([mean.value(13_000), mean.deadline(13_000)]).toEqual([null, undefined]);
  });

  it('each measure and each length has a window of its own', () => {
    const spread = derived('avg(voltage, 10 s) - avg(battery[2].voltage, 10 s) + avg(voltage, 1 s)', {
      unit: 'V',
    });
    spread.feed('voltage', 4, 0);
    spread.feed('battery[2].voltage', 3, 0);
    spread.feed('voltage', 8, 5000);
    expect(spread.value(5000)).toBe(11);
  });

  it('unknown samples are not part of a window', () => {
    const mean = derived('avg(voltage, 10 s)', { unit: 'V' });
    mean.feed('voltage', 4, 0);
    mean.feed('voltage', null, 1);
    expect(mean.value(2)).toBe(4);
  });

  it('delta and rate start from what came before, while that is inside', () => {
    const delta = derived('delta(voltage, 10 s)', { unit: 'V' });
    const rate = derived('rate(voltage, 10 s)', { unit: 'V/s' });
    for (const measure of [delta, rate]) {
      measure.prime('voltage', 4, 0);
      expect(measure.value(0)).toBe(null);
      measure.feed('voltage', 8, 2000);
    }
    expect([delta.value(2000), rate.value(2000)]).toEqual([4, 2]);
    expect([delta.deadline(2000), delta.value(10_000)]).toEqual([10_000, null]);
  });

  it('what came before is no part of avg, min, max and count', () => {
    for (const name of ['avg', 'min', 'max', 'count']) {
      const measure = derived(`${name}(voltage, 10 s)`, name === 'count' ? {} : { unit: 'V' });
      measure.prime('voltage', 4, 0);
      measure.feed('voltage', 8, 1000);
      expect(measure.value(1000)).toBe(name === 'count' ? 1 : 8);
    }
  });

  it('call.L2 delta and rate of a temperature have no offset', () => {
    const within = followed(
      'delta(obc.temperature, 10 s) within 0.1 K of 9 degF and rate(obc.temperature, 10 s) >= 5 K/s',
    );
    within.feed('obc.temperature', 20, 0);
    within.feed('obc.temperature', 25, 1000);
    expect(within.truth(1000)).toBe(true);
  });
});

describe('a window', () => {
  it('window.W3 forgets the oldest samples beyond its bound', () => {
    const window = new Window(1e9);
    for (let at = 0; at < WINDOW_SAMPLES + 10; at += 1) window.insert(at, at);
    expect([window.count, window.min, window.max]).toEqual([WINDOW_SAMPLES, 10, WINDOW_SAMPLES + 9]);
    expect(window.mean).toBe((10 + WINDOW_SAMPLES + 9) / 2);
    expect(window.delta).toBe(WINDOW_SAMPLES - 1);
  });

  it('window.W4 the mean of equal values is that value', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e9, max: 1e9, noNaN: true }),
        fc.integer({ min: 1, max: 50 }),
        (value, count) => {
          const window = new Window(1e9);
          for (let at = 0; at < count; at += 1) window.insert(value, at);
          expect(window.mean + 0).toBe(value + 0);
        },
      ),
    );
  });

  it('window.W4 the mean of what no two doubles hold is that of the exact sum, whatever came before', () => {
    const values = [860, -1e300, 1e17, 1e300, -130];
    const [fresh, used] = [new Window(5), new Window(5)];
    for (const [at, value] of [-81, 250, -727, -941, 255, ...values].entries()) used.insert(value, at);
    for (const [at, value] of values.entries()) fresh.insert(value, 5 + at);
    for (const window of [fresh, used]) window.expire(9);
    // 100000000000000730 / 5 lies in the middle of two doubles.
    expect([fresh.mean, used.mean]).toEqual([20_000_000_000_000_144, 20_000_000_000_000_144]);
  });

  it('window.W4 the mean has no memory of what left, and does not depend on when it was asked', () => {
    const extremes = fc.oneof(
      fc.integer({ min: -1000, max: 1000 }),
      fc.constantFrom(1e300, -1e300, 1e-300, 1e17),
    );
    fc.assert(
      fc.property(
        fc.array(extremes, { minLength: 5, maxLength: 40 }),
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        (values, asked) => {
          const [often, rarely, fresh] = [new Window(5), new Window(5), new Window(5)];
          values.forEach((value, at) => {
            often.insert(value, at);
            rarely.insert(value, at);
            if (!asked[at]) return;
            often.expire(at);
            expect(Number.isNaN(often.mean)).toBe(false);
          });
          const now = values.length - 1;
          values.slice(-5).forEach((value, index) => {
            fresh.insert(value, values.length - 5 + index);
          });
          for (const window of [often, rarely, fresh]) window.expire(now);
          expect(often.mean).toBe(fresh.mean);
          expect(rarely.mean).toBe(fresh.mean);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('an exact sum', () => {
  it('exact-sum.Z2 taken again is the same in any order, and says when two doubles do not hold it', () => {
    const some = fc.oneof(
      fc.integer(),
      fc.constantFrom(1e300, -1e300, 1e-300, 1e17, 0.1),
      fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
    );
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 20 }), (values) => {
        const [one, other] = [new ExactSum(), new ExactSum()];
        one.take(Float64Array.from(values));
        other.take(Float64Array.from(values.toReversed()));
        expect([one.dividedBy(7), one.exact]).toEqual([other.dividedBy(7), other.exact]);
        const added = new ExactSum();
        for (const value of values) added.add(value);
        if (added.exact) expect([one.dividedBy(3), one.exact]).toEqual([added.dividedBy(3), true]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('exact-sum.Z2 beyond the largest double is infinite, and not exact', () => {
    const sum = new ExactSum();
    sum.take(Float64Array.of(1.7e308, 1.7e308));
    expect([sum.dividedBy(2), sum.exact]).toEqual([Number.POSITIVE_INFINITY, false]);
  });

  it.each([
    ['above the middle of two doubles by the last part', [1, 2 ** -53, 2 ** -106], 1 + 2 ** -52],
    ['below the middle by the last part', [1 + 2 ** -52, 2 ** -53, -(2 ** -106)], 1 + 2 ** -52],
    ['in the middle', [1, 2 ** -53], 1],
    ['in the middle, to the even one above', [1 + 2 ** -52, 2 ** -53], 1 + 2 ** -51],
  ])('exact-sum.Z2 is rounded once: %s', (_, values, sum) => {
    for (const order of [values, values.toReversed()]) {
      const taken = new ExactSum();
      taken.take(Float64Array.from(order));
      expect(taken.dividedBy(1)).toBe(sum);
    }
  });

  it('exact-sum.Z1 is the sum of whole numbers far beyond what one double holds', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 }), { maxLength: 100 }), (values) => {
        const sum = new ExactSum();
        let exact = 0n;
        for (const [index, value] of values.entries()) {
          const scaled = index % 2 === 0 ? value * 2 ** 40 : value;
          sum.add(scaled);
          exact += BigInt(scaled);
        }
        expect(sum.exact).toBe(true);
        expect(sum.dividedBy(1)).toBe(Number(exact));
        expect(sum.dividedBy(7)).toBe(toNumber({ numerator: exact, denominator: 7n }));
      }),
    );
  });

  it('exact-sum.Z1 knows when it is no longer exact', () => {
    const sum = new ExactSum();
    for (const value of [1e300, 1, 1e-300]) sum.add(value);
    expect(sum.exact).toBe(false);
  });
});
