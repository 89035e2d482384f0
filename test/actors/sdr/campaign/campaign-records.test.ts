/** Records of runs on a real bus: written by the cells, read by the next life of the daemon. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { reportText } from '../../../../actors/sdr/scenario/report.ts';
import type { NatsBus } from '../../../../bus/nats-bus.ts';
import type { Report } from '../../../../contract/bench/run.ts';
import { buckets } from '../../../../contract/bus/buckets.ts';
import { BENCH_SAMPLES_KEPT } from '../../../../contract/limits/bench.ts';
import { createSnapshotStore } from '../../../../supervision/cells/snapshot-store.ts';
import { realClock } from '../../../../supervision/clock.ts';
import { startNats, type TestNats } from '../../../support/nats.ts';
import { until } from '../../../support/until.ts';
import { codeOf, granted, type RunsBench, runsBench } from '../runs-bench.ts';
import { campaign, measureStep, scenario, waitStep } from '../runs-documents.ts';
import { measured, ScriptedBoard } from '../scripted-board.ts';

let nats: TestNats;
let bus: NatsBus;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});

afterAll(() => nats.stop());

const slow = scenario({ timeline: [measureStep, waitStep(0, 60_000)], assertions: scenario().assertions });
const quick = scenario({ name: 'quick' });
const steps = [
  { id: 'proof', kind: 'scenario', scenario: 'quick' },
  { id: 'long', kind: 'scenario', scenario: 'short' },
] as const;

/** A life of the daemon over the records of the bus. */
function life(session: string): Promise<RunsBench> {
  const store = (kind: string) => createSnapshotStore({ bus, kind, bucket: buckets.benchRuns });
  return runsBench({
    session,
    running: realClock,
    board: new ScriptedBoard().on('datapath.measure', () => measured(1)),
    onBus: {
      stores: { scenario: store('scenario'), campaign: store('campaign') },
      reports: bus.bucket(buckets.benchReports),
    },
    scenarios: [slow, quick],
    campaigns: [campaign([...steps])],
  });
}

it('RB-CAMP-013 RB-CAMP-002 RB-GEN-005 RB-SCEN-001 RB-REP-001 what a life recorded is there for the next, and what it left open is ended', async () => {
  const first = await life('one');
  const { id } = granted(await first.campaigns.start('night'));
  await until(async () => granted(await first.campaigns.run(id)).cursor === 1);
  await until(() => first.scenarios.active()?.status === 'running');
  await first.die();

  const second = await life('two');
  const state = async () => granted(await second.campaigns.run(id));
  await until(async () => (await state()).status === 'interrupted');
  expect((await state()).attempts.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
    'proof passed',
    'long aborted',
  ]);
  // Uptimes of two starts: each says which one it counts from, so that they can be put in order.
  const { attempts, uptime_since } = await state();
  expect(attempts[0]!.uptime_since).toBe(uptime_since);
  const moments = attempts.map(({ at_uptime_ms, uptime_since: since }) => Date.parse(since!) + at_uptime_ms);
  expect(attempts[1]!.uptime_since).not.toBe(uptime_since);
  expect(moments[1]).toBeGreaterThan(moments[0]!);
  expect(attempts[1]!.at_uptime_ms).toBeLessThan(moments[1]! - Date.parse(uptime_since!));
  await until(async () => granted(await second.scenarios.reports({ limit: 100 })).length === 2);
  const reports = granted(await second.scenarios.reports({ limit: 100 }));
  expect(reports.map(({ scenario_name, status }) => `${scenario_name} ${status}`)).toEqual([
    'short failed',
    'quick passed',
  ]);
  expect(granted(await second.scenarios.report(reports[1]!.run_id))).toMatchObject({
    has_report: true,
    verified: true,
  });
  expect(granted(await second.scenarios.report(reports[0]!.run_id))).toMatchObject({
    has_report: false,
    aborted: true,
  });
  second.stop();
  await second.die();
});

it('a report with as many samples as are kept fits into a message', async () => {
  const bench = await life('three');
  const { run_id } = granted(await bench.scenarios.start('quick'));
  await until(async () => codeOf(await bench.scenarios.report(run_id)) === undefined);
  const reported = granted(await bench.scenarios.report(run_id));
  const sample = { name: 'ad9361.sample_rate_sps', value: Math.PI, source: 'stub' } as const;
  const metric_samples = Array.from({ length: 3 * BENCH_SAMPLES_KEPT }, (_, at) => ({
    ...sample,
    elapsed_ms: at * 50,
  }));
  const text = Buffer.from(reportText({ ...reported, metric_samples } as Report));
  await bus.bucket(buckets.benchReports).overwrite('large', text);
  expect((await bus.bucket(buckets.benchReports).get('large'))?.value.length).toBe(text.length);
  await bench.die();
});
