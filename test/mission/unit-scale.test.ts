/** Exact ratios: one rounding, to the nearest double (unit-scale.S1). */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { over, plus, ratioOf, ratioOfText, times, toNumber } from '../../mission/unit-scale.ts';

describe('ratios', () => {
  it('mean the number they were made of, whatever its size', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(toNumber(ratioOf(value)) + 0).toBe(value + 0);
      }),
    );
  });

  it('unit-scale.S1 are rounded once, also when only a digit far behind breaks a tie', () => {
    const tie = 2n ** 53n + 1n;
    const far = 10n ** 60n;
    expect(toNumber({ numerator: tie * far, denominator: far })).toBe(2 ** 53);
    expect(toNumber({ numerator: tie * far + 1n, denominator: far })).toBe(2 ** 53 + 2);
    expect(toNumber({ numerator: -tie * far - 1n, denominator: far })).toBe(-(2 ** 53) - 2);
  });

  it('unit-scale.S1 keep decimals that doubles lose', () => {
    expect(toNumber(plus(ratioOf(0.1), ratioOf(0.2)))).toBe(0.3);
    expect(toNumber(times(ratioOf(1.1), ratioOf(1.1)))).toBe(1.21);
    expect(toNumber(over(ratioOf(1e300), ratioOf(1e-300)))).toBe(Number.POSITIVE_INFINITY);
    expect(toNumber(over(ratioOf(1e-300), ratioOf(1e300)))).toBe(0);
  });

  it('are not made of what is no finite decimal', () => {
    expect(['', '1e', '1,2', '0x1', 'Infinity', '1e1000'].map(ratioOfText)).toEqual(Array(6).fill(undefined));
    expect(() => ratioOf(Number.POSITIVE_INFINITY)).toThrow('finite');
  });
});
