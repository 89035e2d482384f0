import { describe, expect, it } from 'vitest';
import { type Scenario, scenarioOf } from './scenario.ts';
import { attemptSeed } from './trial.ts';

/** Whether every process dies within the time that is drawn for it, and how long nobody is back at least, ms. */
function deadMs({ slots, faults }: Scenario): number | undefined {
  const crashes = faults.slice(-slots.length).filter((fault) => fault.kind === 'crash');
  if (new Set(crashes.map(({ slot }) => slot)).size < slots.length) return undefined;
  const times = crashes.map(({ at }) => at);
  if (Math.max(...times) - Math.min(...times) > 2_000) return undefined;
  return Math.min(...crashes.map(({ at, backMs }) => at + backMs)) - Math.max(...times);
}

describe.each(['runs', 'schedules'] as const)('all processes die at about the same time: %s', (kind) => {
  const seeds = Array.from({ length: 200 }, (_, seed) => seed);
  const dead = seeds.flatMap((seed) => {
    const ms = deadMs(scenarioOf(seed, kind));
    return ms === undefined ? [] : [{ seed, ms }];
  });

  it('in some of the seeds, and nobody lives for longer than a deadline in a few', () => {
    expect(dead.length).toBeGreaterThan(15);
    expect(dead.length).toBeLessThan(60);
    expect(dead.some(({ ms }) => ms > 8_000)).toBe(true);
  });

  it('and everything goes on behind it', async () => {
    const longest = [...dead].sort((a, b) => b.ms - a.ms).slice(0, 3);
    for (const { seed } of longest) expect((await attemptSeed(seed, {}, kind)).violations).toEqual([]);
  });
});
