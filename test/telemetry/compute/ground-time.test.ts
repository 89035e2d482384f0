/** Which ground times are believed, and what the others become. */

import { expect, it } from 'vitest';
import type { DecodedBatch } from '../../../contract/batch.ts';
import { CLOCK_STEP_MS } from '../../../contract/limits/membership.ts';
import { groundDated } from '../../../telemetry/compute/ground-time.ts';

const STORED = Date.parse('2026-03-01T12:00:00Z');
const AHEAD = STORED + CLOCK_STEP_MS + 1;

function batchOf(grounds: readonly (readonly number[])[], reports: readonly number[] = []): DecodedBatch {
  return {
    platform: 'p',
    link: 'uhf',
    blocks: grounds.map((ground) => ({
      ordinals: Uint32Array.of(0),
      ground: Float64Array.from(ground),
      onboard: new Float64Array(ground.length),
      raw: new Float64Array(ground.length),
    })),
    reports: reports.map((at) => ({ reference: 'r', stage: 'completion', ok: true, at })),
  };
}

const groundsOf = ({ blocks }: DecodedBatch): number[][] => blocks.map(({ ground }) => [...ground]);

it('ground-time.G1 G4 leaves what is up to ten minutes ahead, behind however far, or no moment', () => {
  const batch = batchOf([[STORED + CLOCK_STEP_MS, STORED, 0, -1e15, Number.NaN]], [STORED]);
  expect(groundDated(batch, STORED)).toBe(batch);
});

it('ground-time.G2 dates what is further ahead by its storing, in its order, moments together', () => {
  const dated = groundDated(
    batchOf([[AHEAD + 2, AHEAD, STORED - 5], [AHEAD + 2, AHEAD + 1], [STORED]], [AHEAD, STORED - 5]),
    STORED,
  );
  const [one, other, untouched] = groundsOf(dated);
  expect(untouched).toEqual([STORED]);
  expect(one).toEqual([STORED + 2 / 256, STORED, STORED - 5]);
  expect(other).toEqual([STORED + 2 / 256, STORED + 1 / 256]);
  expect(dated.reports.map(({ at }) => at)).toEqual([STORED, STORED - 5]);
});

it('ground-time.G2 dates what is ahead for ever as well', () => {
  expect(groundsOf(groundDated(batchOf([[Number.POSITIVE_INFINITY, 1e300]]), STORED))).toEqual([
    [STORED + 1 / 256, STORED],
  ]);
});

it('ground-time.G2 dates samples of files with the others, and leaves those that can be', () => {
  const file = (ground: number) => ({ file: '7', ground, onboard: Number.NaN, size: 5 });
  const batch = { ...batchOf([[AHEAD + 1]]), files: [file(AHEAD), file(STORED - 5)] };
  const dated = groundDated(batch, STORED);
  expect(groundsOf(dated)).toEqual([[STORED + 1 / 256]]);
  expect(dated.files).toEqual([file(STORED), file(STORED - 5)]);
  expect(groundDated(batchOf([[AHEAD]]), STORED)).not.toHaveProperty('files');
  const alone = { ...batchOf([]), files: [file(AHEAD)] };
  expect(groundDated(alone, STORED).files).toEqual([file(STORED)]);
});
