/** Clocks that are set and drift: nobody who lives loses anything by it, and a judgement by the time of day is found. */

import { describe, expect, it } from 'vitest';
import { drawnSeed } from '../support/drawn-seed.ts';
import type { ProcessClock } from './process-clock.ts';
import { scenarioOf } from './scenario.ts';
import { attempt, attemptSeed, report } from './trial.ts';

const FIXED_SEEDS = 2;

/** Takes the time of day for a monotonic clock. */
function naive(clock: ProcessClock): ProcessClock {
  return new Proxy(clock, {
    get(real, name) {
      const value = Reflect.get(real, name === 'monotonic' ? 'now' : name, real) as unknown;
      return typeof value === 'function' ? value.bind(real) : value;
    },
  });
}

describe('clocks of processes', () => {
  it('set by five seconds or an hour, or wrong by 500 ppm, move no ownership (membership.E3)', async () => {
    const drawn = drawnSeed();
    console.log(`drawn seed ${drawn}: npm run simulate -- --kind clocks --seed ${drawn} --runs 1`);
    for (const seed of [...Array.from({ length: FIXED_SEEDS }, (_, n) => n + 1), drawn]) {
      const { violations } = await attemptSeed(seed, {}, 'clocks');
      expect(violations, violations.length > 0 ? await report(scenarioOf(seed, 'clocks')) : '').toEqual([]);
    }
  }, 60_000);

  it('taken for monotonic are found by the checker of steady owners', async () => {
    const { violations } = await attempt(scenarioOf(1, 'clocks'), { wrapClock: naive });
    expect(violations.map(({ checker }) => checker)).toContain('steady-owners');
  }, 60_000);
});
