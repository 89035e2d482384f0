/** Measurements of payloads through a channel that rotates, errs and slips. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_BYTES } from '../../../contract/bench/datapath.ts';
import { MEASURE_PAYLOAD_BYTES } from '../../../contract/limits/bench.ts';
import { CORRELATED_RATIO, measure } from '../../../radio/measure/measure.ts';
import { prbs } from '../../../radio/prbs.ts';
import { createRandom, randomBytes, sentBlocks, withBitErrors } from './channel.ts';

const payload = prbs(15, BLOCK_BYTES);
const none = { warmup: 0 } as const;

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

describe('a measurement', () => {
  it('RB-DP-016 RB-DP-018 is BytePerfect where every byte came back, at whatever rotation', () => {
    const { measurement, unfound } = measure(payload, sentBlocks(payload, 1234, 3), { warmup: 2 });
    expect(measurement).toEqual({
      verdict: 'BytePerfect',
      rotation_slip: false,
      blocks: [0, 1, 2].map((index) => ({ index, matched: 4096, total: 4096, rotation: 1234, ratio: 1 })),
      overall_ratio: 1,
      worst_block_ratio: 1,
      capture_bytes: 3 * BLOCK_BYTES,
      warmup: 2,
    });
    expect(unfound).toEqual([]);
  });

  it('RB-DP-023 is Degraded as soon as one bit is wrong', () => {
    const captured = sentBlocks(payload, 8, 3);
    captured[5000]! ^= 1;
    const { measurement } = measure(payload, captured, none);
    expect(measurement).toMatchObject({ verdict: 'Degraded', rotation_slip: false });
    expect(measurement.blocks.map(({ matched }) => matched)).toEqual([4096, 4095, 4096]);
    expect(measurement.worst_block_ratio).toBe(4095 / 4096);
    expect(measurement.overall_ratio).toBe((3 * 4096 - 1) / (3 * 4096));
  });

  it('RB-DP-023 is NoCorrelation where nothing but noise came back, and Degraded where some of it did', () => {
    const random = createRandom(5);
    const noise = randomBytes(4 * BLOCK_BYTES, random);
    expect(measure(payload, noise, none).measurement.verdict).toBe('NoCorrelation');
    expect(measure(payload, noise, none).unfound).toEqual([0, 1, 2, 3]);
    const some = measure(payload, joined(noise, sentBlocks(payload, 64, 1)), none);
    expect(some.measurement.verdict).toBe('Degraded');
    expect(some.unfound).toEqual([0, 1, 2, 3]);
  });

  it('RB-DP-019 reports the bytes it compared and the blocks discarded before them, also of nothing', () => {
    const { measurement } = measure(payload, new Uint8Array(), { warmup: 7 });
    expect(measurement).toMatchObject({ verdict: 'NoCorrelation', capture_bytes: 0, warmup: 7, blocks: [] });
    expect(measurement).toMatchObject({ overall_ratio: 0, worst_block_ratio: 0 });
  });

  it('follows a payload of several blocks through them', () => {
    const long = prbs(23, 5 * BLOCK_BYTES);
    const { measurement } = measure(long, sentBlocks(long, 9000, 7), none);
    expect(measurement.verdict).toBe('BytePerfect');
    expect(measurement.blocks.map(({ rotation }) => rotation)).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((index) => (9000 + index * BLOCK_BYTES) % long.length),
    );
  });

  it('takes a payload as it is fed: padded to whole blocks', () => {
    const short = prbs(9, 100);
    const fed = new Uint8Array(BLOCK_BYTES).fill(0xaa);
    fed.set(short);
    const { measurement } = measure(short, sentBlocks(fed, 40, 2), none);
    expect(measurement).toMatchObject({
      verdict: 'BytePerfect',
      blocks: [{ rotation: 40 }, { rotation: 40 }],
    });
    expect(measure(short, new Uint8Array(BLOCK_BYTES), { warmup: 0, pad: 0 }).measurement.verdict).toBe(
      'Degraded',
    );
  });
});

describe('a slip', () => {
  const slipped = (size: number) => joined(sentBlocks(payload, 100, 2), sentBlocks(payload, 100 + size, 2));

  it.each([
    ['lost', 1],
    ['inserted', BLOCK_BYTES - 1],
  ])(
    'RB-DP-017 of a byte %s between blocks is reported, and costs no ratio (measure/measure.M2)',
    (_, size) => {
      const { measurement } = measure(payload, slipped(size), none);
      expect(measurement).toMatchObject({ verdict: 'Degraded', rotation_slip: true, overall_ratio: 1 });
      expect(measurement.blocks.map(({ rotation }) => rotation)).toEqual(
        [0, 0, size, size].map((more) => (100 + more) % BLOCK_BYTES),
      );
    },
  );

  it('RB-DP-017 is reported beside bit errors, and bit errors alone are none', () => {
    const random = createRandom(9);
    const clean = measure(payload, withBitErrors(sentBlocks(payload, 100, 20), 0.05, random), none);
    expect(clean.measurement.rotation_slip).toBe(false);
    const both = measure(payload, withBitErrors(slipped(1), 0.05, random), none);
    expect(both.measurement.rotation_slip).toBe(true);
  });

  it('RB-DP-017 is reported over a block that does not fit, which alone is none (measure/measure.M3)', () => {
    const noise = randomBytes(BLOCK_BYTES, createRandom(7));
    const kept = joined(sentBlocks(payload, 100, 2), noise, sentBlocks(payload, 100, 2));
    expect(measure(payload, kept, none).measurement.rotation_slip).toBe(false);
    const moved = joined(sentBlocks(payload, 100, 2), noise, sentBlocks(payload, 101, 2));
    expect(measure(payload, moved, none).measurement.rotation_slip).toBe(true);
    const long = prbs(23, 5 * BLOCK_BYTES);
    const whole = sentBlocks(long, 9000, 7);
    whole.set(noise, 3 * BLOCK_BYTES);
    expect(measure(long, whole, none).measurement.rotation_slip).toBe(false);
  });

  it('follows poor blocks behind one that does not fit where they are to be expected (measure/measure.M1)', () => {
    const long = prbs(23, 5 * BLOCK_BYTES);
    const poor = withBitErrors(sentBlocks(long, 9000, 7), 0.27, createRandom(11));
    const captured = joined(
      sentBlocks(long, 9000, 2),
      randomBytes(BLOCK_BYTES, createRandom(7)),
      poor.subarray(3 * BLOCK_BYTES),
    );
    const { blocks } = measure(long, captured, none).measurement;
    expect(blocks.slice(3).map(({ rotation }) => rotation)).toEqual(
      [3, 4, 5, 6].map((index) => (9000 + index * BLOCK_BYTES) % long.length),
    );
  });

  it('is found again where the rotation comes back to one it had', () => {
    const captured = joined(...[100, 101, 100, 102, 101].map((at) => sentBlocks(payload, at, 1)));
    const { measurement } = measure(payload, captured, none);
    expect(measurement.blocks.map(({ rotation }) => rotation)).toEqual([100, 101, 100, 102, 101]);
  });

  it('is reported a payload that is mostly padding, where a wrong rotation fits nearly as well', () => {
    const short = prbs(15, 200);
    const fed = new Uint8Array(BLOCK_BYTES).fill(0xaa);
    fed.set(short);
    const captured = joined(sentBlocks(fed, 0, 2), sentBlocks(fed, 1, 2));
    expect(measure(short, captured, none).measurement).toMatchObject({
      rotation_slip: true,
      overall_ratio: 1,
    });
  });

  it('is not reported where blocks fit below a half: nothing says which rotation is true (measure/measure.M3)', () => {
    const random = createRandom(3);
    const { measurement } = measure(payload, withBitErrors(slipped(1), 0.12, random), none);
    expect(measurement.blocks.every(({ ratio }) => ratio > 0.2 && ratio < 0.5)).toBe(true);
    expect(measurement.rotation_slip).toBe(false);
  });

  it('is refused of a payload that repeats within itself, which is reported (measure/measure.M3)', () => {
    const half = prbs(15, BLOCK_BYTES / 2);
    const twice = joined(half, half);
    const captured = joined(sentBlocks(twice, 0, 1), sentBlocks(twice, 1, 1));
    const measured = measure(twice, captured, none);
    expect(measured).toMatchObject({
      ambiguous: true,
      measurement: { rotation_slip: false, overall_ratio: 1 },
    });
    expect(measure(half, captured, none).ambiguous).toBe(false);
  });

  it.each([0x55, 0x00, 0xaa])('cannot be determined of a payload of one byte repeated: %i', (byte) => {
    const same = new Uint8Array(BLOCK_BYTES).fill(byte);
    const measured = measure(same, sentBlocks(same, 3, 2), none);
    expect(measured).toMatchObject({ ambiguous: true, measurement: { verdict: 'BytePerfect' } });
    expect(measured.measurement.blocks.map(({ rotation }) => rotation)).toEqual([0, 0]);
  });
});

describe('the rotation', () => {
  const rate = fc.constantFrom(0, 0.01, 0.05, 0.1, 0.15);
  const cases = fc.tuple(fc.integer(), fc.nat(BLOCK_BYTES - 1), rate);

  it('is found of a single block of a random payload up to a bit error rate of 0.15', () => {
    fc.assert(
      fc.property(cases, ([seed, rotation, errors]) => {
        const random = createRandom(seed);
        const sent = randomBytes(BLOCK_BYTES, random);
        const received = withBitErrors(sentBlocks(sent, rotation, 1), errors, random);
        expect(measure(sent, received, none).measurement.blocks[0]).toMatchObject({ rotation });
      }),
      { numRuns: 300, seed: 20_261_121 },
    );
  });

  it.each([9, 15, 23] as const)('is found of PRBS %i likewise', (order) => {
    fc.assert(
      fc.property(cases, ([seed, rotation, errors]) => {
        const sent = prbs(order, BLOCK_BYTES, seed);
        const received = withBitErrors(sentBlocks(sent, rotation, 1), errors, createRandom(seed));
        expect(measure(sent, received, none).measurement.blocks[0]).toMatchObject({ rotation });
      }),
      { numRuns: 100, seed: 20_261_121 },
    );
  });

  it('is followed through blocks that hold no four bytes whole, once one was found (measure/measure.M1)', () => {
    const random = createRandom(77);
    const begin = sentBlocks(payload, 700, 1);
    const captured = joined(begin, withBitErrors(sentBlocks(payload, 700, 10), 0.25, random));
    const { measurement, unfound } = measure(payload, captured, none);
    expect(new Set(measurement.blocks.map(({ rotation }) => rotation))).toEqual(new Set([700]));
    expect(unfound).toEqual([]);
  });

  it('is found at a bit error rate of 0.29 by the exhaustive search, and only where it is asked for (measure/measure.M4)', () => {
    const received = withBitErrors(sentBlocks(payload, 3210, 2), 0.29, createRandom(43));
    expect(measure(payload, received, none).measurement.verdict).toBe('NoCorrelation');
    const measured = measure(payload, received, { warmup: 0, exhaustive: true });
    expect(measured.measurement.verdict).toBe('Degraded');
    expect(measured.unfound).toEqual([]);
    expect(measured.measurement.blocks[0]).toMatchObject({ rotation: 3210 });
  });
});

describe('noise', () => {
  it('RB-DP-023 never correlates: ten thousand random blocks', () => {
    const random = createRandom(1);
    const noise = Buffer.alloc(100 * BLOCK_BYTES);
    let worst = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      for (let at = 0; at < noise.length; at += 4) noise.writeUInt32LE(Math.floor(random() * 2 ** 32), at);
      const { measurement } = measure(payload, noise, none);
      worst = Math.max(worst, ...measurement.blocks.map(({ ratio }) => ratio));
    }
    expect(worst).toBeLessThan(CORRELATED_RATIO / 2);
  });

  it('RB-DP-023 never correlates at any rotation', () => {
    const noise = randomBytes(640 * BLOCK_BYTES, createRandom(2));
    const { measurement } = measure(payload, noise, { warmup: 0, exhaustive: true });
    expect(Math.max(...measurement.blocks.map(({ ratio }) => ratio))).toBeLessThan(CORRELATED_RATIO / 2);
  });
});

describe('measure/measure.M4 the exhaustive search', () => {
  it('ends after so many rotations as the longest payload has, however many blocks are not found', () => {
    const random = createRandom(11);
    const payload = randomBytes(MEASURE_PAYLOAD_BYTES / 4, random);
    // Each sixteenth block that is not found is searched: there it is of the payload, with too many errors for votes.
    const searched = [0, 16, 32, 48, 64, 80];
    const captured = joined(
      ...Array.from({ length: 81 }, (_, index) =>
        searched.includes(index)
          ? withBitErrors(sentBlocks(payload, 7_001 * (index + 1), 1), 0.29, random)
          : randomBytes(BLOCK_BYTES, random),
      ),
    );
    const { unfound } = measure(payload, captured, { warmup: 0, exhaustive: true });
    expect(searched.filter((index) => !unfound.includes(index))).toEqual(searched.slice(0, 4));
  });
});

describe('any payload and any capture', () => {
  it('gives a measurement whose numbers hold together', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 9_000 });
    fc.assert(
      fc.property(bytes, fc.nat(4), fc.integer(), fc.boolean(), (sent, blocks, seed, exhaustive) => {
        const captured = joined(
          sentBlocks(sent, 0, 1),
          randomBytes(blocks * BLOCK_BYTES, createRandom(seed)),
        );
        const { measurement } = measure(sent, captured, { warmup: 0, exhaustive });
        expect(measurement.blocks.length).toBe(blocks + 1);
        for (const { matched, total, ratio } of measurement.blocks) {
          expect(ratio).toBe(matched / total);
          expect(matched <= total).toBe(true);
        }
        expect(measurement.worst_block_ratio <= measurement.overall_ratio).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
