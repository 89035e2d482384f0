/** Passes, schedules and rules under seeded faults, in the form of CI: fixed seeds, and one drawn afresh. */

import { expect, it } from 'vitest';
import { drawnSeed } from '../../support/drawn-seed.ts';
import { scenarioOf } from '../scenario.ts';
import { attemptSeed, report, shrunk } from '../trial.ts';
import { run } from '../world.ts';

const FIXED_SEEDS = 4;
/**
 * A start that was found of a record from before a validation, a schedule missed without a reason, streams without a
 * leader at the second of a start.
 */
const SEEDS = [59, 62, 278] as const;
const LONG_MS = 120_000;

async function expectNothingBroken(seed: number): Promise<void> {
  const { violations } = await attemptSeed(seed, {}, 'schedules');
  const [first] = violations;
  if (first !== undefined) expect.fail(await report(await shrunk(seed, first.checker, {}, 'schedules')));
}

it(
  'MC-SCH-047 MC-SCH-050 MC-RULE-009 MC-PASS-037 planning keeps its promises, whoever races with whom and whoever dies',
  async () => {
    const drawn = drawnSeed();
    console.log(`drawn seed ${drawn}: npm run simulate -- --kind schedules --seed ${drawn} --runs 1`);
    for (let seed = 1; seed <= FIXED_SEEDS; seed += 1) await expectNothingBroken(seed);
    for (const seed of SEEDS) await expectNothingBroken(seed);
    await expectNothingBroken(drawn);
  },
  LONG_MS,
);

it('the same seed plans the same, twice', async () => {
  const fingerprint = async (seed: number): Promise<string> =>
    (await run(scenarioOf(seed, 'schedules'))).trace.fingerprint();
  const first = await fingerprint(2);
  expect(await fingerprint(2)).toBe(first);
  expect(await fingerprint(3)).not.toBe(first);
});
