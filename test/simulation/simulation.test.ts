/**
 * The runtime under seeded faults, in the form of CI: fixed seeds, one drawn afresh, and the proof that a seed decides
 * everything.
 */

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { drawnSeed } from '../support/drawn-seed.ts';
import { lying } from './planted/defects.ts';
import { type ScenarioKind, scenarioOf } from './scenario.ts';
import { attempt, attemptSeed, report, shrunk } from './trial.ts';
import { run } from './world.ts';

/** About half a second of a core each; `npm run simulate` takes as many as are asked for. */
const FIXED_SEEDS = 10;
const FIXED_SEEDS_OF_RUNS = 6;
const FIXED_SEEDS_OF_HOLDS = 5;
/** Each of them half a minute of two targets under watch. */
const FIXED_SEEDS_OF_ALARMS = 2;
const FIRST_OF_ALARMS = 2;
/**
 * In the first a derived sample had the time of the one before, in the second a new owner repeated what the clock had
 * caused.
 */
const SEEDS_OF_ALARMS = [119, 160] as const;
/** Frames that left twice, a target held for ever, runs and reactions that no one carried on. */
const SEEDS_OF_REWINDS = [6, 12, 19, 31, 138, 1186] as const;
const LONG_MS = 120_000;

async function expectNothingBroken(seed: number, kind?: ScenarioKind): Promise<void> {
  const { violations } = await attemptSeed(seed, {}, kind);
  const [first] = violations;
  if (first !== undefined) expect.fail(await report(await shrunk(seed, first.checker, {}, kind)));
}

describe('the whole runtime on the twin of the bus', () => {
  it(
    'MC-TC-022 keeps its promises, no identifier sent twice among them, under the faults of fixed seeds',
    async () => {
      for (let seed = 1; seed <= FIXED_SEEDS; seed += 1) await expectNothingBroken(seed, 'telecommands');
    },
    LONG_MS,
  );

  it(
    'MC-LOG-002 keeps its promises to runs, whoever dies: their logs have no gap and one writer, and each comes to an end',
    async () => {
      for (let seed = 1; seed <= FIXED_SEEDS_OF_RUNS; seed += 1)
        await expectNothingBroken(seed, seed % 2 === 0 ? 'runs' : 'both');
    },
    LONG_MS,
  );

  it(
    'A-71 lets no frame of a run leave outside its hold, whoever sleeps while it is aborted, suspended or has its target taken',
    async () => {
      for (let seed = 1; seed <= FIXED_SEEDS_OF_HOLDS; seed += 1) await expectNothingBroken(seed, 'holds');
    },
    LONG_MS,
  );

  it(
    'MC-ALM-055 keeps its promises to alarms, whoever leads and whoever dies: no event is missing, none is there twice',
    async () => {
      const drawn = drawnSeed();
      console.log(`drawn seed ${drawn}: npm run simulate -- --kind alarms --seed ${drawn} --runs 1`);
      for (let n = 0; n < FIXED_SEEDS_OF_ALARMS; n += 1)
        await expectNothingBroken(FIRST_OF_ALARMS + n, 'alarms');
      for (const seed of SEEDS_OF_ALARMS) await expectNothingBroken(seed, 'alarms');
      await expectNothingBroken(drawn, 'alarms');
    },
    2 * LONG_MS,
  );

  it(
    'MC-TC-022 sends nothing twice and leaves nothing open where the store went back, and everything goes on',
    async () => {
      for (const seed of SEEDS_OF_REWINDS) await expectNothingBroken(seed, 'rewinds');
    },
    LONG_MS,
  );

  it(
    'keeps them under the faults of a seed drawn for this run',
    async () => {
      const seed = drawnSeed();
      console.log(`drawn seed ${seed}: npm run simulate -- --seed ${seed} --runs 1`);
      await expectNothingBroken(seed);
    },
    LONG_MS,
  );

  it(
    'the same seed is the same run, twice and in another process',
    async () => {
      const fingerprint = async (): Promise<string> =>
        (await run(scenarioOf(11, 'both'))).trace.fingerprint();
      const here = await fingerprint();
      expect(await fingerprint()).toBe(here);
      const fixture = new URL('fingerprint.fixture.ts', import.meta.url).pathname;
      const there = execFileSync(process.execPath, ['--import', 'tsx', fixture, '11'], { encoding: 'utf8' });
      expect(there.trim()).toBe(here);
      expect((await run(scenarioOf(12))).trace.fingerprint()).not.toBe(here);
    },
    LONG_MS,
  );

  it(
    'a failing seed is made small, and what is left still fails',
    async () => {
      const options = { wrapBus: lying };
      const seed = 3;
      const whole = await attemptSeed(seed, options, 'telecommands');
      const checker = whole.violations[0]?.checker;
      if (checker === undefined) expect.fail('the planted defect is not found');
      const small = await shrunk(seed, checker, options, 'telecommands');
      const { violations } = await attempt(small, options);
      expect(violations.map((violation) => violation.checker)).toContain(checker);
      const sizes = [small.faults.length, scenarioOf(seed, 'telecommands').faults.length] as const;
      expect(sizes[0]).toBeLessThanOrEqual(sizes[1]);
      expect(small.submissions.length).toBeLessThan(scenarioOf(seed, 'telecommands').submissions.length);
      expect(await report(small, options)).toContain(`broken: ${checker}`);
    },
    LONG_MS,
  );
});
