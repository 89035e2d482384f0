import { describe, expect, it } from 'vitest';
import { MODEM_RATES, planAt, planRate, symbolRates, USUAL_BAUDS } from '../../radio/rates.ts';

const TOO_SLOW =
  'x128 is the largest PL interpolation: 1200 Bd reaches 0.6144 Msps, below the AD9361 minimum 2.083333 Msps (ADC clock 25 MHz / 12)';
const TOO_FAST =
  'needs 80.000 Msps (20000000 Bd x 4 samples/symbol x interp 1); the AD9361 data port stops at 61.44 Msps';

function reasons(baud: number, limits = MODEM_RATES): readonly string[] {
  const plan = planRate(baud, limits);
  return plan.ok ? [] : plan.faults;
}

describe('symbol rates', () => {
  it.each([
    [4800, 2_092_800, 109],
    [9600, 2_112_000, 55],
    [19_200, 2_150_400, 28],
    [115_200, 2_304_000, 5],
    [1_000_000, 4_000_000, 1],
    [15_360_000, 61_440_000, 1],
  ])('%d Bd runs at %d sps, interpolated by %d', (baud, sampleRate, interpolation) => {
    expect(planRate(baud)).toEqual({
      ok: true,
      value: { baud, samplesPerSymbol: 4, sampleRateSps: sampleRate, interpolation, filter: false },
    });
  });

  it('RB-CAP-004 names the lower bound, and the filter that would reach', () => {
    expect(reasons(1200)).toEqual([`${TOO_SLOW}; available with FIR x4`]);
    expect(reasons(100)).toEqual([expect.not.stringContaining('FIR x')]);
    expect(reasons(1200, { ...MODEM_RATES, fir: 4 })).toEqual([]);
    expect(reasons(900, { ...MODEM_RATES, fir: 4 })[0]).toContain(
      '0.520833 Msps (ADC clock 25 MHz / 12 / FIR 4)',
    );
  });

  it('RB-CAP-004 names the upper bound', () => {
    expect(reasons(20_000_000)).toEqual([TOO_FAST]);
    expect(reasons(10_000_000, { ...MODEM_RATES, portMostSps: 30_720_000 })[0]).toContain(
      'the AD9361 data port stops at 30.72 Msps (CMOS, two channels each way)',
    );
  });

  it.each([15_360_001, 15_360_000.01, 4_069.009, 4_069.0091, 29_629_630, 30_720_001, 1200])(
    'RB-CAP-004 at %d Bd the number named is beyond the bound named, however near it is',
    (baud) => {
      for (const reason of reasons(baud)) {
        const above = /needs ([\d.]+) M\w+ .* at ([\d.]+) M/.exec(reason);
        const below = /reaches ([\d.]+) Msps, below the AD9361 minimum ([\d.]+)/.exec(reason);
        if (above !== null) expect(Number(above[1])).toBeGreaterThan(Number(above[2]));
        else expect(Number(below?.[1])).toBeLessThan(Number(below?.[2]));
      }
      expect(reasons(baud).length).toBeGreaterThan(0);
    },
  );

  it('names every bound at once: port, logic and analog filter', () => {
    const faults = reasons(40_000_000);
    expect(faults).toHaveLength(3);
    expect(faults.join()).toContain('the AD9361 filters stop at 40 MHz');
    expect(faults.join()).toContain('the programmable logic runs at 122.88 MHz');
  });

  it('passes over interpolations that make no whole sample rate', () => {
    expect(planRate(1000.5, { ...MODEM_RATES, fir: 4 })).toMatchObject({ ok: false });
    expect(planRate(100_000.125)).toMatchObject({
      ok: true,
      value: { interpolation: 6, sampleRateSps: 2_400_003 },
    });
    expect(reasons(100_000.001)).toEqual([
      'no PL interpolation of x1 to x128 makes 100000.001 Bd x 4 samples/symbol a whole number of sps',
    ]);
  });

  it('says when the interpolations leave a gap', () => {
    const coarse = { ...MODEM_RATES, interpolation: { least: 1, most: 128 }, portMostSps: 2_100_000 };
    expect(reasons(260_000, coarse)[0]).toContain('brings 260000 Bd between 2.083333 Msps and 2.1 Msps');
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('%d is no symbol rate', (baud) => {
    expect(reasons(baud)).toEqual([`${baud} Bd is not a symbol rate`]);
  });

  it('RB-CAP-003 gives a reason exactly when a rate is not available', () => {
    const rates = symbolRates(USUAL_BAUDS);
    for (const rate of rates) {
      expect('unavailable_reason' in rate).toBe(!rate.available);
      expect('ad9361_rate_sps' in rate && 'interp' in rate).toBe(rate.available);
    }
    expect(rates.find(({ baud }) => baud === 1200)?.unavailable_reason).toContain(TOO_SLOW);
  });

  it('RB-CAP-002 labels rates', () => {
    expect(symbolRates([1200, 9600, 15_360_000]).map(({ label }) => label)).toEqual([
      '1.2 kBd',
      '9.6 kBd',
      '15.36 MBd',
    ]);
  });
});

describe('a symbol rate at a sample rate that is given', () => {
  it.each([
    [1_000_000, 8_000_000, 2],
    [15_360_000, 61_440_000, 1],
    [7_680_000, 61_440_000, 2],
    [9600, 4_915_200, 128],
  ])('%d Bd at %d sps is interpolated by %d', (baud, sampleRateSps, interpolation) => {
    expect(planAt(baud, sampleRateSps)).toMatchObject({ ok: true, value: { sampleRateSps, interpolation } });
  });

  it.each([
    [1_000_000, 64_000_000, '64000000 sps is outside 2083333 to 61440000 sps'],
    [100_000, 2_000_000, '2000000 sps is outside 2083333 to 61440000 sps'],
    [1_000_000, 5_000_000, '5000000 sps is 1.25 times 1000000 Bd x 4 samples/symbol; the PL interpolates by'],
    [9600, 4_953_600, '4953600 sps is 129 times 9600 Bd x 4 samples/symbol; the PL interpolates by'],
  ])('%d Bd at %d sps is refused: %s', (baud, sampleRateSps, why) => {
    expect(planAt(baud, sampleRateSps)).toEqual({ ok: false, faults: [expect.stringContaining(why)] });
  });

  it('is refused below the least interpolation, and is the least one there', () => {
    const limits = { ...MODEM_RATES, interpolation: { least: 2, most: 4 } };
    expect(planAt(1_000_000, 4_000_000, limits).ok).toBe(false);
    expect(planAt(1_000_000, 8_000_000, limits)).toMatchObject({ ok: true, value: { interpolation: 2 } });
  });

  it('is refused where the symbol rate itself is', () => {
    expect(planAt(20_000_000, 61_440_000)).toEqual({ ok: false, faults: [TOO_FAST] });
  });
});
