/**
 * Archives under seeded faults, in the form of CI: fixed seeds, one drawn afresh, and the proof that a seed decides
 * everything.
 */

import { expect, it } from 'vitest';
import { drawnSeed } from '../../support/drawn-seed.ts';
import { scenarioOf } from '../scenario.ts';
import { attemptSeed, report, shrunk } from '../trial.ts';
import { run } from '../world.ts';

/**
 * A message that was discarded before anything was durable, a thread that died while nothing was in memory, one that
 * died right before its archive was closed, a stream that went back and discarded.
 */
const SEEDS = [4, 156, 1017, 1039] as const;
const LONG_MS = 300_000;

async function expectNothingBroken(seed: number): Promise<void> {
  const { violations } = await attemptSeed(seed, {}, 'archive');
  const [first] = violations;
  if (first !== undefined) expect.fail(await report(await shrunk(seed, first.checker, {}, 'archive')));
}

it(
  'archives have every sample once or say that it is missing, whoever dies, sleeps or owns, and whatever happens to disk and stream',
  async () => {
    const drawn = drawnSeed();
    console.log(`drawn seed ${drawn}: npm run simulate -- --kind archive --seed ${drawn} --runs 1`);
    for (const seed of SEEDS) await expectNothingBroken(seed);
    await expectNothingBroken(drawn);
  },
  LONG_MS,
);

it(
  'the same seed keeps the same past, twice',
  async () => {
    const fingerprint = async (seed: number): Promise<string> =>
      (await run(scenarioOf(seed, 'archive'))).trace.fingerprint();
    const first = await fingerprint(7);
    expect(await fingerprint(7)).toBe(first);
    expect(await fingerprint(8)).not.toBe(first);
  },
  LONG_MS,
);
