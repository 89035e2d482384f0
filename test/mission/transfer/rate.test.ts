import { describe, expect, it } from 'vitest';
import { paceOf } from '../../../mission/transfer/pace.ts';
import { type RatesKnown, rateOf } from '../../../mission/transfer/rate.ts';

const NOW = 1_000_000;
const measured = (rate: number, ageMs = 0): RatesKnown['measured'] => ({ rate, at: NOW - ageMs });

describe('the rate of a transfer', () => {
  it.each<readonly [string, RatesKnown, number, string]>([
    ['MC-XFER-050 measured', { measured: measured(9_000), pass: 10_000, gateway: 50_000 }, 9_000, 'measured'],
    [
      'MC-XFER-050 measured above everything',
      { measured: measured(90_000), pass: 10_000 },
      90_000,
      'measured',
    ],
    ['MC-XFER-050 14.999 s old', { measured: measured(9_000, 14_999), pass: 10_000 }, 9_000, 'measured'],
    ['MC-XFER-050 15 s old', { measured: measured(9_000, 15_000), pass: 10_000 }, 10_000, 'pass'],
    ['MC-XFER-050 a quarter of the next', { measured: measured(2_500), pass: 10_000 }, 2_500, 'measured'],
    ['MC-XFER-050 under a quarter of the next', { measured: measured(2_499), pass: 10_000 }, 10_000, 'pass'],
    ['MC-XFER-050 the next may be the last', { measured: measured(16_000) }, 16_000, 'measured'],
    ['MC-XFER-050 nothing passed', { measured: measured(0), gateway: 1 }, 1, 'gateway'],
    ['MC-XFER-051 the pass', { pass: 10_000, gateway: 50_000 }, 10_000, 'pass'],
    ['MC-XFER-052 the gateway', { gateway: 50_000 }, 50_000, 'gateway'],
    ['MC-XFER-052 a pass of no rate', { pass: 0, gateway: 50_000 }, 50_000, 'gateway'],
    ['MC-XFER-053 nobody says', {}, 64_000, 'default'],
  ])('%s', (_, known, rate, source) => {
    expect(rateOf(known, NOW)).toEqual({ rate, source });
  });
});

describe('how long a transfer lasts at least', () => {
  const rate = { rate: 8_000, source: 'pass' } as const;

  it('is what is missing at its rate, and whether that is over before the pass is', () => {
    expect(paceOf(rate, 2_500, undefined, NOW)).toEqual({ ...rate, lasts_s: 3 });
    const los = new Date(NOW + 2_500).toISOString();
    expect(paceOf(rate, 2_500, NOW + 2_500, NOW)).toEqual({
      ...rate,
      lasts_s: 3,
      los,
      ends_before_los: true,
    });
    expect(paceOf(rate, 2_501, NOW + 2_500, NOW)).toMatchObject({ ends_before_los: false });
  });
});
