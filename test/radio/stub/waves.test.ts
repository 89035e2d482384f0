import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { bitErrorRate, fromDecibels, toDecibels } from '../../../radio/modulation.ts';
import { constellation, errorVector, eye, spectrum } from '../../../radio/stub/waves.ts';
import { phy, setRegister, tuned } from './rig.ts';

const SYMBOLS = 20_000;
const random = () => seededRandom(3);
const power = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value * value, 0) / values.length;

/** Mean power of the bins around a frequency, in dB. */
function levelAround(bins: Float32Array, sampleRate: number, hertz: number, widthHz: number): number {
  const inside = [...bins].filter((_, bin) => {
    const frequency = (bin / bins.length - 0.5) * sampleRate;
    return Math.abs(frequency - hertz) <= widthHz / 2;
  });
  return toDecibels(inside.reduce((sum, decibels) => sum + fromDecibels(decibels), 0) / inside.length);
}

describe('constellation', () => {
  it.each([
    ['bpsk', 38],
    ['qpsk', 38],
    ['oqpsk', 36],
    ['8psk', 28],
  ] as const)(
    'the errors of %s at %d dB of attenuation are those of its Es/N0',
    async (modulation, attenuationDb) => {
      const { board } = await tuned({ modulation, attenuationDb });
      const truth = board.truth();
      expect(truth.carrier).toBe(true);
      const evm = errorVector(constellation(truth, SYMBOLS, random()), modulation);
      expect(-toDecibels(evm ** 2)).toBeCloseTo(truth.esN0Db, 0);
    },
  );

  it('picture and bit errors agree: the error rate that the points report is the one that bytes are given', async () => {
    const { board } = await tuned({ attenuationDb: 40 });
    const truth = board.truth();
    const evm = errorVector(constellation(truth, 100_000, random()), 'qpsk');
    const reported = bitErrorRate('qpsk', -toDecibels(evm ** 2) - toDecibels(2));
    expect(Math.abs(reported / truth.bitErrorRate - 1)).toBeLessThan(0.15);
  });

  it('without carrier the points turn around the circle', async () => {
    const { board, clock } = await tuned();
    await setRegister(board, 'receiveOffset', 51_234);
    clock.advance(3);
    const points = constellation(board.truth(), SYMBOLS, random());
    const sectors = new Set<number>();
    for (let at = 0; at < points.length; at += 2) {
      sectors.add(Math.round((Math.atan2(points[at + 1]!, points[at]!) / Math.PI) * 18));
    }
    expect(sectors.size).toBeGreaterThanOrEqual(36);
    expect(power([...points])).toBeCloseTo(0.5, 1);
  });

  it('without timing they lie between the symbols too', async () => {
    const { board, clock } = await tuned();
    const locked = errorVector(constellation(board.truth(), SYMBOLS, random()), 'qpsk');
    await setRegister(board, 'control', 0);
    await setRegister(board, 'control', 4);
    expect(board.truth().timing).toBe(false);
    expect(errorVector(constellation(board.truth(), SYMBOLS, random()), 'qpsk')).toBeGreaterThan(5 * locked);
    clock.advance(3);
    expect(errorVector(constellation(board.truth(), SYMBOLS, random()), 'qpsk')).toBe(locked);
  });

  it('without a signal there is noise, without a demodulator nothing', async () => {
    const { board } = await tuned();
    await phy(board, 'altvoltage1', true, 'powerdown', '1');
    expect(power([...constellation(board.truth(), SYMBOLS, random())])).toBeCloseTo(0.5, 1);
    await setRegister(board, 'control', 4 | 2);
    expect(constellation(board.truth(), 100, random())).toHaveLength(0);
    expect(eye(board.truth(), { traces: 1, samplesPerSymbol: 8 }, random())).toHaveLength(0);
  });
});

describe('waves.P4 the scale of the symbols', () => {
  it.each([0, 10, 30, 40, 50, 60, 75, 89.75])(
    'at %d dB of attenuation signal and noise have a mean power of 1, and the points stay in the picture',
    async (attenuationDb) => {
      const { board } = await tuned({ attenuationDb });
      const points = [...constellation(board.truth(), SYMBOLS, random())];
      // Between the instants of symbols, where no timing is found, there is a little less.
      if (board.truth().timing) expect(2 * power(points)).toBeCloseTo(1, 1);
      expect(Math.abs(2 * power(points) - 1)).toBeLessThan(0.15);
      expect(Math.max(...points.map(Math.abs))).toBeLessThan(5);
    },
  );
});

describe('eye', () => {
  it('is open at the instants of symbols and crosses between them', async () => {
    const { board } = await tuned({ modulation: 'bpsk' });
    const traces = eye(board.truth(), { traces: 500, samplesPerSymbol: 16 }, random());
    const smallest = (sample: number) =>
      Math.min(...Array.from({ length: 500 }, (_, trace) => Math.abs(traces[trace * 33 + sample]!)));
    expect(traces).toHaveLength(500 * 33);
    for (const instant of [0, 16, 32]) expect(smallest(instant)).toBeGreaterThan(0.9);
    expect(smallest(8)).toBeLessThan(0.05);
  });

  it('closes as the signal weakens', async () => {
    const opening = async (attenuationDb: number) => {
      const { board } = await tuned({ modulation: 'bpsk', attenuationDb });
      const traces = eye(board.truth(), { traces: 500, samplesPerSymbol: 16 }, random());
      return Math.min(...Array.from({ length: 500 }, (_, trace) => Math.abs(traces[trace * 33 + 16]!)));
    };
    const openings = [await opening(10), await opening(36), await opening(44)];
    expect(openings).toEqual(openings.toSorted((a, b) => b - a));
    expect(openings[2]).toBeLessThan(0.2);
  });
});

describe('spectrum', () => {
  const shape = { bins: 1024, averages: 16 };

  it('rises over the noise by Es/N0 and what the demodulator loses', async () => {
    const { board } = await tuned({ attenuationDb: 30 });
    await phy(board, 'voltage0', false, 'rf_bandwidth', '20000000');
    const truth = board.truth();
    const bins = spectrum(truth, shape, random());
    const peak = levelAround(bins, 4e6, 0, 500_000);
    const floor = levelAround(bins, 4e6, 1.4e6, 300_000);
    expect(Math.abs(peak - floor - (truth.esN0Db + 1.5))).toBeLessThan(1);
  });

  it('holds the power of the signal, where the oscillators put it', async () => {
    const { board } = await tuned();
    await phy(board, 'altvoltage1', true, 'frequency', '2401000000');
    const truth = board.truth();
    const bins = spectrum(truth, shape, random());
    const density = levelAround(bins, 4e6, 1e6, 1.35e6) + toDecibels((1.35e6 / 4e6) * 1024);
    expect(Math.abs(density - truth.budget.levelDbfs)).toBeLessThan(0.7);
    expect(levelAround(bins, 4e6, -1e6, 1e6)).toBeLessThan(levelAround(bins, 4e6, 1e6, 1e6) - 30);
  });

  it('waves.P3 is never above full scale, however strong the signal: what is clipped lies beside it', async () => {
    const total = (bins: Float32Array) =>
      toDecibels([...bins].reduce((sum, level) => sum + fromDecibels(level), 0));
    const pictureAt = async (rxGainDb: number) => {
      const { board } = await tuned({ attenuationDb: 0, rxGainDb, sampleRate: 16_000_000, interpolation: 4 });
      await phy(board, 'voltage0', false, 'rf_bandwidth', '20000000');
      await phy(board, 'voltage0', true, 'rf_bandwidth', '20000000');
      return { level: board.truth().budget.levelDbfs, bins: spectrum(board.truth(), shape, random()) };
    };
    const sound = await pictureAt(40);
    const beside = ({ bins }: typeof sound) =>
      levelAround(bins, 16e6, 1.3e6, 200_000) - levelAround(bins, 16e6, 0, 500_000);
    expect(Math.abs(total(sound.bins) - sound.level)).toBeLessThan(0.7);
    for (const rxGainDb of [55, 60, 65, 71]) {
      const picture = await pictureAt(rxGainDb);
      expect(total(picture.bins)).toBeLessThan(0.3);
      if (picture.level > 0) expect(beside(picture)).toBeGreaterThan(beside(sound) + 10);
    }
    expect((await pictureAt(71)).level).toBeGreaterThan(5);
  });

  it('is noise alone while nothing is transmitted, and falls beyond the analog filter', async () => {
    const { board } = await tuned();
    await setRegister(board, 'control', 0);
    await phy(board, 'voltage0', false, 'hardwaregain', '71');
    await phy(board, 'voltage0', false, 'rf_bandwidth', '1000000');
    const bins = spectrum(board.truth(), shape, random());
    const inside = levelAround(bins, 4e6, 0, 500_000);
    const { budget } = board.truth();
    const expected = budget.noiseDbmPerHz + budget.gainDb - 5.9 + toDecibels(4e6 / 1024);
    expect(Math.abs(inside - expected)).toBeLessThan(0.6);
    expect(levelAround(bins, 4e6, 1.8e6, 200_000)).toBeLessThan(inside - 15);
  });

  it('of a loopback knows neither gains nor oscillators', async () => {
    const { board } = await tuned({ attenuationDb: 89 });
    await setRegister(board, 'loopback', 1);
    const before = spectrum(board.truth(), shape, random());
    await phy(board, 'altvoltage0', true, 'frequency', '437000000');
    await phy(board, 'voltage0', false, 'hardwaregain', '0');
    const after = spectrum(board.truth(), shape, random());
    expect(Math.max(...after.map((value, bin) => Math.abs(value - before[bin]!)))).toBeLessThan(0.01);
    expect(levelAround(after, 4e6, 0, 500_000)).toBeGreaterThan(-50);
  });
});
