import { describe, expect, it } from 'vitest';
import { bitErrorRate, byteRatio } from '../../../radio/modulation.ts';
import { linkBudget } from '../../../radio/stub/link-budget.ts';

/** 1 MBd QPSK at 2.4 GHz over a pad of 60 dB. */
function budget(attenuationDb: number, gain: number | 'automatic' = 40, changes: object = {}) {
  const gainDb = gain === 'automatic' ? undefined : gain;
  return linkBudget({
    txHz: 2.4e9,
    rxHz: 2.4e9,
    attenuationDb,
    lossDb: 60,
    gainDb,
    gainRange: { least: -3, most: 71 },
    sampleRate: 4e6,
    baud: 1e6,
    bitsPerSymbol: 2,
    codeRate: 1,
    rolloff: 0.35,
    bandwidthHz: 2e6,
    ...changes,
  });
}

describe('link budget', () => {
  it.each([
    [40, 40, 7.9, 0.998],
    [44, 40, 3.9, 0.897],
    [48, 40, -0.1, 0.507],
    [56, 40, -8.1, 0.065],
  ])(
    '%d dB of attenuation at a gain of %d dB leave an Eb/N0 of %d dB and a byte ratio of %d',
    (attenuation, gain, ebN0, ratio) => {
      const { ebN0Db } = budget(attenuation, gain);
      expect(ebN0Db).toBeCloseTo(ebN0, 1);
      expect(Math.abs(byteRatio(bitErrorRate('qpsk', ebN0Db)) - ratio)).toBeLessThan(0.006);
    },
  );

  it('the error rate at 7.9 dB is 2.3e-4, and none is left at 10 dB of attenuation', () => {
    expect(bitErrorRate('qpsk', budget(40).ebN0Db) / 2.3e-4).toBeCloseTo(1, 1);
    expect(bitErrorRate('qpsk', budget(10).ebN0Db)).toBeLessThan(1e-12);
  });

  it('too little gain drowns the signal in the noise of the converter, more gain lifts it out', () => {
    expect(budget(40, 20).ebN0Db).toBeCloseTo(-10.9, 1);
    expect(budget(40, 60).ebN0Db).toBeCloseTo(13.9, 1);
  });

  it('Es/N0 is bounded by the vectors of the transmitter, and falls steeply where the converter clips', () => {
    expect(budget(0).esN0Db).toBe(36);
    const loud = budget(0, 71, { lossDb: 20 });
    expect(loud.levelDbfs).toBeGreaterThan(0);
    expect(loud.esN0Db).toBeLessThan(-30);
  });

  it('an analog filter that is too narrow spoils the symbols', () => {
    expect(budget(10, 40, { bandwidthHz: 1e6 }).esN0Db).toBeCloseTo(36 - 60 * (1 - 1 / 1.35), 6);
    expect(budget(10, 40, { bandwidthHz: 1.36e6 }).esN0Db).toBe(36);
  });

  it('an automatic gain settles below full scale, within the range of the band', () => {
    expect(budget(0, 'automatic', { lossDb: 20 }).levelDbfs).toBeCloseTo(-12, 0);
    expect(budget(60, 'automatic').gainDb).toBe(71);
  });
});
