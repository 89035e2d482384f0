/**
 * Files that come and go under seeded faults, in the form of CI: fixed seeds, one drawn afresh, and the proof that a
 * seed decides everything.
 */

import { expect, it } from 'vitest';
import { drawnSeed } from '../../support/drawn-seed.ts';
import { scenarioOf } from '../scenario.ts';
import { attemptSeed, report, shrunk } from '../trial.ts';
import { run } from '../world.ts';

/**
 * Chosen for what they reach: three leaders, a run that is suspended and uploads that others go on with, during and
 * behind the run before, every spacecraft, a file that is CORRUPTED, a driver that dies while it decodes one.
 */
const SEEDS = [6, 15, 17, 24, 43, 44] as const;
const LONG_MS = 120_000;

async function expectNothingBroken(seed: number): Promise<void> {
  const { violations } = await attemptSeed(seed, {}, 'transfers');
  const [first] = violations;
  if (first !== undefined) expect.fail(await report(await shrunk(seed, first.checker, {}, 'transfers')));
}

it(
  'MC-GEN-022 MC-XFER-031 MC-XFER-037 MC-XFER-040 MC-XFER-041 MC-XFER-049 MC-UPL-009 F-18 F-19 transfers keep their promises, whoever dies, sleeps or is late, and each comes to an end',
  async () => {
    const drawn = drawnSeed();
    console.log(`drawn seed ${drawn}: npm run simulate -- --kind transfers --seed ${drawn} --runs 1`);
    for (const seed of SEEDS) await expectNothingBroken(seed);
    await expectNothingBroken(drawn);
  },
  LONG_MS,
);

it('the same seed moves the same files, twice', async () => {
  const fingerprint = async (seed: number): Promise<string> =>
    (await run(scenarioOf(seed, 'transfers'))).trace.fingerprint();
  const first = await fingerprint(7);
  expect(await fingerprint(7)).toBe(first);
  expect(await fingerprint(8)).not.toBe(first);
});
