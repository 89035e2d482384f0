import { describe, expect, it } from 'vitest';
import {
  bitErrorRate,
  bitsPerSymbol,
  byteRatio,
  codeRate,
  decodedErrorRate,
  erfc,
  estimatedErrorRate,
  innerErrorRate,
  outerErrorRate,
} from '../../radio/modulation.ts';

const none = {};
const near = (value: number, reference: number, share = 0.01) =>
  expect(Math.abs(value / reference - 1), `${value} beside ${reference}`).toBeLessThan(share);

describe('bit error rates', () => {
  it.each([
    ['bpsk', 0, 7.86e-2],
    ['bpsk', 4, 1.25e-2],
    ['bpsk', 9.6, 9.7e-6],
    ['qpsk', 4, 1.25e-2],
    ['oqpsk', 4, 1.25e-2],
    ['8psk', 10, 1.01e-3],
    ['dbpsk', 8, 9.1e-4],
  ] as const)('%s at %d dB is %d', (modulation, ebN0Db, reference) => {
    near(bitErrorRate(modulation, ebN0Db), reference);
  });

  it.each([
    [0, 1],
    [0.5, 0.479500122186953],
    [1, 0.157299207050285],
    [2, 4.67773498104727e-3],
    [2.5, 4.06952017444959e-4],
    [3, 2.20904969985854e-5],
    [5, 1.5374597944280349e-12],
    [10, 2.088487583762545e-45],
    [-1, 1.842700792949715],
  ])('erfc(%d) holds ten digits', (x, reference) => near(erfc(x), reference, 1e-10));

  it('a lone symbol carries as many bits as its modulation has', () => {
    expect((['bpsk', 'dbpsk', 'qpsk', 'oqpsk', '8psk'] as const).map(bitsPerSymbol)).toEqual([1, 1, 2, 2, 3]);
  });

  it('a byte ratio reports the error rate it was made of', () => {
    near(estimatedErrorRate(byteRatio(3e-4)), 3e-4, 1e-9);
  });
});

describe('codings', () => {
  it('multiply their rates', () => {
    expect(codeRate(none)).toBe(1);
    expect(codeRate({ inner: 'conv-1/2' })).toBe(0.5);
    expect(codeRate({ inner: 'conv-1/2', outer: 'rs-255-223' })).toBeCloseTo(223 / 510, 12);
  });

  it('without one, nothing changes', () => {
    expect(decodedErrorRate('qpsk', none, 6)).toBe(bitErrorRate('qpsk', 6));
  });

  it('the convolutional code errs once in a hundred thousand bits near 4.2 dB and never more than half of them', () => {
    near(innerErrorRate('qpsk', { inner: 'conv-1/2' }, 4.2), 1e-5, 0.3);
    expect(innerErrorRate('qpsk', { inner: 'conv-1/2' }, -10)).toBe(0.5);
  });

  it('Reed-Solomon falls off a cliff', () => {
    expect(outerErrorRate(1e-3)).toBeLessThan(1e-9);
    near(outerErrorRate(2e-2), 2e-2, 0.02);
    expect(outerErrorRate(0)).toBe(0);
    near(outerErrorRate(0.5), 0.5, 1e-6);
  });

  it.each(['bpsk', 'dbpsk', 'qpsk', '8psk'] as const)(
    '%s errs less with more energy, under every coding',
    (modulation) => {
      const codings = [
        none,
        { inner: 'conv-1/2' },
        { outer: 'rs-255-223' },
        { inner: 'conv-1/2', outer: 'rs-255-223' },
      ] as const;
      for (const coding of codings) {
        const rates = Array.from({ length: 60 }, (_, step) =>
          decodedErrorRate(modulation, coding, step / 4 - 3),
        );
        expect(rates).toEqual(rates.toSorted((a, b) => b - a));
        expect(rates.every((rate) => rate >= 0 && rate <= 0.5)).toBe(true);
      }
    },
  );
});
