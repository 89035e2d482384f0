/**
 * The campaigns that are shipped, over the radio of the daemon and the model of the board, on a clock that is moved by
 * hand.
 */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { Measurer } from '../../../../actors/sdr/datapath/measure.ts';
import type { Campaign } from '../../../../contract/bench/campaign.ts';
import type { CampaignState } from '../../../../contract/bench/run.ts';
import type { StubFaults } from '../../../../radio/stub/faults.ts';
import { demoCampaigns, demoProfiles, demoScenarios } from '../../../radio/document/demo-bench.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { until } from '../../../support/until.ts';
import { startBenchWorld } from '../bench-world.ts';
import { granted, runsBench, START } from '../runs-bench.ts';

/** Time that each look lets pass; far below what anything here waits for. */
const STEP_MS = 5;

/**
 * Captures that are being compared: long ones on a thread, which knows no time but the machine's, so that the clock
 * stands still meanwhile.
 */
let comparing = 0;
afterEach(() => vi.restoreAllMocks());

function countComparing(): void {
  const compare = Measurer.prototype.measure;
  vi.spyOn(Measurer.prototype, 'measure').mockImplementation(async function (this: Measurer, ...given) {
    comparing += 1;
    try {
      return await compare.apply(this, given);
    } finally {
      comparing -= 1;
    }
  });
}

interface Played {
  readonly state: CampaignState;
  readonly reports: { readonly assertions: unknown; readonly verified: boolean; readonly source?: string }[];
}

interface Given {
  readonly faults?: StubFaults;
  readonly campaigns?: ReadonlyMap<string, Campaign>;
}

/** Runs a campaign of the demo to its end. */
async function played(
  name: string,
  { faults = {}, campaigns = demoCampaigns() }: Given = {},
): Promise<Played> {
  countComparing();
  const clock = new ManualClock(START);
  const world = await startBenchWorld({ profiles: [...demoProfiles().values()], clock });
  world.board().inject(faults);
  const bench = await runsBench({
    board: world.user,
    sink: world.events,
    clock,
    scenarios: [...demoScenarios().values()],
    campaigns: [...campaigns.values()],
  });
  const asked = bench.campaigns.start(name);
  await bench.run(100, STEP_MS);
  const { id } = granted(await asked);
  const state = async () => granted(await bench.campaigns.run(id));
  for (let at = 0; at < 600_000 && (await state()).status === 'running'; at += 250) {
    await bench.run(250, STEP_MS);
    await until(() => comparing === 0, { what: 'captures to be compared', timeoutMs: 100_000 });
  }
  const runs = (await state()).attempts.flatMap(({ run_id }) => run_id ?? []);
  const reports = await Promise.all(runs.map(async (run) => granted(await bench.scenarios.report(run))));
  bench.stop();
  await world.stop();
  return { state: await state(), reports };
}

describe('the campaigns of the demo', () => {
  it('RB-CAMP-025 RB-REP-007 the self-test earns its verdict on a sound board', async () => {
    const { state, reports } = await played('self-test');
    expect(state).toMatchObject({ status: 'finished', verdict: true });
    expect(state.attempts.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
      'logic passed',
      'device passed',
      'cable passed',
      'rates passed',
      'everyday passed',
      'quiet passed',
    ]);
    for (const report of reports) expect(report).toMatchObject({ verified: true, source: 'stub' });
  }, 60_000);

  it('RB-CAMP-004 a modulator that does not follow its settings fails it, and what needs it is not done', async () => {
    const { state } = await played('self-test', { faults: { frozenModulator: true } });
    expect(state).toMatchObject({ status: 'finished', verdict: false });
    expect(state.attempts.every(({ step }) => step === 'logic')).toBe(true);
  }, 60_000);

  it('RB-CAMP-025 the waterfall of the night follows the theory', async () => {
    // The proofs before it are those of the self-test.
    const nightly = demoCampaigns().get('nightly')!;
    const steps = nightly.steps
      .filter(({ kind }) => kind !== 'scenario')
      .map((step) => ({ ...step, needs: [] }));
    const { state } = await played('nightly', { campaigns: new Map([['nightly', { ...nightly, steps }]]) });
    expect(state).toMatchObject({ status: 'finished', verdict: true });
    const points = state.attempts.find(({ step }) => step === 'waterfall')?.points ?? [];
    const seen = points.filter(({ ber, x }) => ber > 0 && x >= -44);
    expect(seen.length).toBeGreaterThanOrEqual(3);
    for (const { ber, theory = 0 } of seen) expect(Math.abs(Math.log10(ber / theory))).toBeLessThan(0.3);
  }, 120_000);
});
