/** The sequences against their definition and a published beginning. */

import { describe, expect, it } from 'vitest';
import { PRBS_ORDERS, prbs } from '../../radio/prbs.ts';

const TAPS = { 9: 5, 15: 14, 23: 18 } as const;

function bitsOf(bytes: Uint8Array): number[] {
  return [...bytes].flatMap((byte) => Array.from({ length: 8 }, (_, bit) => (byte >> (7 - bit)) & 1));
}

describe('a pseudo-random sequence', () => {
  it('of order 9 begins as in the direct test mode of Bluetooth, highest bit first', () => {
    expect(Buffer.from(prbs(9, 16)).toString('hex')).toBe('ff83df1732094ed1e7cd8a91c6d5c4c4');
  });

  it.each(PRBS_ORDERS)('of order %i follows its polynomial bit by bit', (order) => {
    const bits = bitsOf(prbs(order, 20_000));
    const wrong = bits.findIndex(
      (bit, at) => at >= order && bit !== (bits[at - order]! ^ bits[at - TAPS[order]]!),
    );
    expect(wrong).toBe(-1);
  });

  it.each([9, 15] as const)(
    'of order %i repeats after 2^n - 1 bits and has one more one than zeros',
    (order) => {
      const period = 2 ** order - 1;
      const bytes = prbs(order, period * 2);
      const ones = bitsOf(bytes.subarray(0, period)).filter((bit) => bit === 1).length;
      expect(ones).toBe(8 * 2 ** (order - 1));
      expect(Buffer.compare(bytes.subarray(0, period), bytes.subarray(period))).toBe(0);
      const words = new Set(Array.from({ length: period }, (_, at) => bytes.subarray(at, at + 4).join()));
      expect(words.size).toBe(period);
    },
  );

  it('of order 23 repeats after its period and not before', () => {
    const period = 2 ** 23 - 1;
    const bytes = Buffer.from(prbs(23, period + 64));
    expect(bytes.subarray(period).equals(bytes.subarray(0, 64))).toBe(true);
    expect(bytes.indexOf(bytes.subarray(0, 64), 1)).toBe(period);
  });

  it('begins with its seed, and zero is taken for all ones', () => {
    expect(prbs(15, 2, 0b100_0000_0000_0001)[0]).toBe(0b1000_0000);
    expect(prbs(15, 40, 0)).toEqual(prbs(15, 40));
    expect(prbs(15, 40, 2 ** 15 + 7)).toEqual(prbs(15, 40, 7));
    expect(prbs(9, 40, 1)).not.toEqual(prbs(9, 40, 2));
  });

  it('may be shorter than its order', () => {
    expect(prbs(23, 0)).toEqual(new Uint8Array());
    expect(prbs(23, 5)).toEqual(prbs(23, 30).subarray(0, 5));
  });
});
