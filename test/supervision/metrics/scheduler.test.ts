import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { scheduledRuns } from '../../../supervision/metrics/scheduler.ts';

it('MC-MET-002 mcs_scheduler_runs_total has both outcomes from the start, and goes on counting when the role is started again', async () => {
  const registry = new Registry();
  const count = scheduledRuns(registry);
  const lines = async (): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('mcs_scheduler_runs_total'));
  expect(await lines()).toEqual([
    'mcs_scheduler_runs_total{outcome="fired"} 0',
    'mcs_scheduler_runs_total{outcome="missed"} 0',
  ]);
  count('fired');
  scheduledRuns(registry)('fired');
  count('missed');
  expect(await lines()).toEqual([
    'mcs_scheduler_runs_total{outcome="fired"} 2',
    'mcs_scheduler_runs_total{outcome="missed"} 1',
  ]);
});
