/** Campaigns that are asked for while the bus is away, over the real radio. RF Bench Service, section 3. */

import { afterEach, expect, it } from 'vitest';
import { BENCH_RECORD_MS } from '../../../../contract/limits/bench.ts';
import { Outage } from '../../../../contract/outage.ts';
import { ManualClock, settled } from '../../../support/manual-clock.ts';
import { type BenchWorld, FAST, OTHER, startBenchWorld } from '../bench-world.ts';
import { codeOf, granted, runsBench, START } from '../runs-bench.ts';
import { campaign } from '../runs-documents.ts';

let world: BenchWorld;
afterEach(async () => world.stop());

const apply = { id: 'on', kind: 'profile', profile: 'fast' } as const;
const MINUTE = 60_000;

async function started() {
  const clock = new ManualClock(START);
  world = await startBenchWorld({ clock });
  const bench = await runsBench({
    clock,
    board: world.user,
    profiles: new Map([FAST, OTHER].map((profile) => [profile.name, profile])),
    campaigns: [campaign([apply], { cron: '31 * * * *' })],
  });
  const stores = [world.store, bench.kept.scenario, bench.kept.campaign];
  const setAway = (isAway: boolean): void => {
    for (const store of stores)
      store.before = () => {
        if (isAway) throw new Outage('bus.unavailable', 'away');
      };
  };
  return { bench, setAway, applies: () => world.context().record.epoch };
}

it('user.B2 a start is refused in its time, as a command is, and nothing of it is done when the bus is back', async () => {
  const { bench, setAway, applies } = await started();
  setAway(true);
  const asked = bench.campaigns.start('night');
  await bench.run(BENCH_RECORD_MS);
  expect(codeOf(await asked)).toBe('unavailable');
  // The turn is free: the next one is not refused for the first.
  const again = bench.campaigns.start('night');
  await bench.run(BENCH_RECORD_MS);
  expect(await again).toMatchObject({ faults: [{ message: expect.stringContaining('cannot be recorded') }] });
  setAway(false);
  await bench.run(10_000);
  expect([granted(await bench.campaigns.runs()), applies(), world.context().holder]).toEqual([
    [],
    0,
    undefined,
  ]);
  granted(await bench.campaigns.start('night'));
  await bench.run(1_000);
  expect(applies()).toBe(1);
});

it('campaign/cron.C2 one that falls due is skipped with an event, and not made up for', async () => {
  const { bench, setAway, applies } = await started();
  setAway(true);
  await bench.run(MINUTE + BENCH_RECORD_MS, 500);
  setAway(false);
  await bench.run(MINUTE, 500);
  expect(bench.events.kept.filter(({ kind }) => kind === 'cron_skipped')).toMatchObject([
    { message: expect.stringContaining('cannot be recorded') },
  ]);
  expect([granted(await bench.campaigns.runs()), applies()]).toEqual([[], 0]);
});

it('user.B2 a rerun is refused in its time as well', async () => {
  const { bench, setAway } = await started();
  const { id } = granted(await bench.campaigns.start('night'));
  await bench.run(1_000);
  const before = granted(await bench.campaigns.run(id));
  expect(before.status).toBe('finished');
  setAway(true);
  const asked = bench.campaigns.rerun(id, 'on');
  await bench.run(BENCH_RECORD_MS);
  expect(codeOf(await asked)).toBe('unavailable');
  setAway(false);
  await bench.run(10_000);
  await settled();
  expect(granted(await bench.campaigns.run(id))).toEqual(before);
});
