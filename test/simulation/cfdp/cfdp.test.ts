/**
 * CFDP over a bad link, against itself, in the form of CI: fixed seeds, one drawn afresh, and how much of the link it
 * uses. `npm run simulate -- --kind cfdp` runs as many seeds as asked for; `GOODPUT_MIB=64` is the long form of the
 * table.
 */

import { describe, expect, it } from 'vitest';
import { drawnSeed } from '../../support/drawn-seed.ts';
import { goodputOf } from './goodput.ts';
import { cfdpScenarioOf } from './scenario.ts';
import { attemptCfdp, reportCfdp, shrunkCfdp } from './trial.ts';

/** Some hundredths of a second each. */
const FIXED_SEEDS = 60;
const MIB = Number(process.env['GOODPUT_MIB'] ?? 8);
const LONG_MS = 600_000;

async function expectNothingBroken(seed: number): Promise<void> {
  const [first] = attemptCfdp(cfdpScenarioOf(seed)).violations;
  if (first !== undefined) expect.fail(reportCfdp(await shrunkCfdp(seed, first.checker)));
}

describe('MC-CFDP-001 files over a link with loss, delay, duplication, reordering, outages and restarts', () => {
  it('arrive byte for byte or fail where they were asked for, under the weather of fixed seeds', async () => {
    for (let seed = 1; seed <= FIXED_SEEDS; seed += 1) await expectNothingBroken(seed);
  }, 120_000);

  it('and of one that is drawn', async () => {
    await expectNothingBroken(drawnSeed());
  }, 60_000);

  it('a seed decides everything', () => {
    const ends = [1, 2].map(() => {
      const { run } = attemptCfdp(cfdpScenarioOf(7));
      return [run.steps, run.endedAt, run.lines.space.sentBytes];
    });
    expect(ends[0]).toEqual(ends[1]);
  });
});

describe(`MC-CFDP-001 goodput of ${MIB} MiB at 1 Mbit/s with a round trip of 600 ms`, () => {
  const rows = [
    [0, 0.97],
    [0.01, 0.95],
    [0.05, 0.85],
    [0.1, 0.75],
  ] as const;
  /** The aims without loss leave no room for a pass that ends before the file, unless the file is long. */
  const aimWithPasses = (aim: number) => (MIB < 64 ? Math.min(aim, 0.96) : aim);

  it.each(rows)(
    'a loss of %d each way leaves at least %d of the link, down and up',
    (loss, aim) => {
      for (const direction of ['down', 'up'] as const) {
        const { ratio, attempts, faults } = goodputOf({
          bytes: MIB * 2 ** 20,
          bitsPerSecond: 1e6,
          loss,
          direction,
        });
        expect([attempts, faults]).toEqual([1, []]);
        expect(ratio).toBeGreaterThanOrEqual(aim);
      }
    },
    LONG_MS,
  );

  it.each(rows)(
    'with passes of a minute that end in the middle, at a loss of %d',
    (loss, aim) => {
      const bytes = MIB * 2 ** 20;
      const { ratio, attempts, faults } = goodputOf({ bytes, bitsPerSecond: 1e6, loss, passMs: 60_000 });
      expect([attempts, faults]).toEqual([1, []]);
      expect(ratio).toBeGreaterThanOrEqual(aimWithPasses(aim));
    },
    LONG_MS,
  );
});
