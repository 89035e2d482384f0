import { describe, expect, it } from 'vitest';
import { judgeAssertion, type Observations } from '../../../../actors/sdr/scenario/assertion.ts';
import { reportText } from '../../../../actors/sdr/scenario/report.ts';
import type { Report } from '../../../../contract/bench/run.ts';
import { Report as ReportShape } from '../../../../contract/bench/run.ts';
import type { MetricSample, ScenarioAssertion } from '../../../../contract/bench/scenario.ts';
import { BENCH_REPORT_BYTES, BENCH_SAMPLES_KEPT } from '../../../../contract/limits/bench.ts';
import { shapeFaults } from '../../../../radio/document/fault.ts';
import { codeOf, granted, type RunsBench, runsBench } from '../runs-bench.ts';
import { measureStep, proof, scenario, waitStep } from '../runs-documents.ts';
import { measured, ScriptedBoard } from '../scripted-board.ts';

const good = () => new ScriptedBoard().on('datapath.measure', () => measured(1));

async function played(bench: RunsBench<ScriptedBoard>, ms = 1_000): Promise<Report> {
  const { run_id } = granted(await bench.scenarios.start('short'));
  await bench.run(ms);
  return granted(await bench.scenarios.report(run_id));
}

describe('reports', () => {
  it('RB-REP-001 RB-REP-005 summaries, and a detail of the published shape', async () => {
    const bench = await runsBench({ board: good(), scenarios: [scenario({ profile_ref: 'qpsk-1m' })] });
    const reported = await played(bench);
    expect(shapeFaults(ReportShape, JSON.parse(JSON.stringify(reported)))).toEqual([]);
    expect(reported).toMatchObject({ has_report: true, verified: true, aborted: false, source: 'stub' });
    expect(granted(await bench.scenarios.reports({ limit: 100 }))).toEqual([
      {
        run_id: reported.run_id,
        scenario_name: 'short',
        profile_ref: 'qpsk-1m',
        status: 'passed',
        started_at: reported.started_at,
        ended_at: reported.ended_at,
        duration_ms: reported.duration_ms,
        steps_executed: 1,
        assertions_passed: 1,
        assertions_failed: 0,
      },
    ]);
  });

  it('RB-REP-002 RB-REP-003 newest first, as many as asked, of the status asked for', async () => {
    const board = good();
    const bench = await runsBench({ board, scenarios: [scenario()] });
    const passed = await played(bench);
    board.on('datapath.measure', () => measured(0.5));
    const failed = [await played(bench), await played(bench)];
    const ids = async (filter: { limit: number; status?: 'passed' | 'failed' | 'cancelled' }) =>
      granted(await bench.scenarios.reports(filter)).map(({ run_id }) => run_id);
    const newestFirst = [...failed].reverse().map(({ run_id }) => run_id);
    expect(await ids({ limit: 100 })).toEqual([...newestFirst, passed.run_id]);
    expect(await ids({ limit: 1 })).toEqual(newestFirst.slice(0, 1));
    expect(await ids({ limit: 100, status: 'failed' })).toEqual(newestFirst);
    expect(await ids({ limit: 100, status: 'cancelled' })).toEqual([]);
  });

  it('RB-REP-004 a run in flight is in no list, and has no report', async () => {
    const bench = await runsBench({
      board: good(),
      scenarios: [scenario({ timeline: [measureStep, waitStep(0, 900)] })],
    });
    const { run_id } = granted(await bench.scenarios.start('short'));
    await bench.run(100);
    expect(granted(await bench.scenarios.reports({ limit: 100 }))).toEqual([]);
    expect(codeOf(await bench.scenarios.report(run_id))).toBe('not_found');
  });

  it('RB-REP-006 an assertion reports what it found and what was required', async () => {
    const bench = await runsBench({ board: good(), scenarios: [scenario()] });
    expect((await played(bench)).assertions).toEqual([
      {
        name: 'byte exact',
        passed: true,
        verified: true,
        message: 'proof.verdict is BytePerfect; required: == BytePerfect',
      },
    ]);
  });

  it('RB-REP-007 RB-REP-008 what read the script alone, or no frame, is not verified', async () => {
    const none: ScenarioAssertion = { name: 'silent', source: 'frames', count: { op: '==', value: 0 } };
    const script: ScenarioAssertion = {
      name: 'done',
      source: 'script',
      step: 'measure',
      op: '==',
      value: 'done',
    };
    const bench = await runsBench({
      board: new ScriptedBoard(),
      scenarios: [
        scenario({
          timeline: [{ at_ms: 0, id: 'measure', do: 'datapath.flush' }],
          assertions: [none, script],
        }),
      ],
    });
    // The status follows the timeline; only a verified one counts as a pass (a campaign calls this one inconclusive).
    expect(await played(bench)).toMatchObject({
      status: 'passed',
      verified: false,
      source: 'none',
      assertions: [
        { passed: true, verified: false },
        { passed: true, verified: false },
      ],
    });
  });

  it('RB-REP-010 RB-REP-012 samples at the interval of the sampler, none without one', async () => {
    const board = good();
    board.readings['rx.ebn0_db'] = 12.5;
    const sampler = { interval_ms: 100, metrics: ['rx.ebn0_db', 'ad9361.temp_c'] };
    const timeline = [measureStep, waitStep(0, 1_000)];
    const bench = await runsBench({
      board,
      scenarios: [scenario({ timeline, sampler }), scenario({ name: 'bare' })],
    });
    const announced = await played(bench, 2_000);
    expect(announced.sample_interval_ms).toBe(100);
    expect(announced.metric_samples.slice(0, 3)).toEqual([
      { elapsed_ms: 0, name: 'rx.ebn0_db', value: 12.5, source: 'stub' },
      { elapsed_ms: 0, name: 'ad9361.temp_c', value: null, source: 'stub' },
      { elapsed_ms: 100, name: 'rx.ebn0_db', value: 12.5, source: 'stub' },
    ]);
    expect(announced.metric_samples.at(-1)?.elapsed_ms).toBe(1_000);
    const { run_id } = granted(await bench.scenarios.start('bare'));
    await bench.run(100);
    const bare = granted(await bench.scenarios.report(run_id));
    expect([bare.metric_samples, bare.sample_interval_ms]).toEqual([[], undefined]);
  });

  it('the last look is before the actions of the end', async () => {
    const board = good().on('radio.gain', () => {
      board.readings['tx.gain_db'] = -89;
      return measured(1);
    });
    board.readings['tx.gain_db'] = -10;
    const bench = await runsBench({
      board,
      scenarios: [
        scenario({
          sampler: { interval_ms: 60_000, metrics: ['tx.gain_db'] },
          assertions: [
            proof,
            { name: 'level', source: 'metric', metric: 'tx.gain_db', agg: 'last', op: '==', value: -10 },
          ],
          on_end: [{ do: 'radio.gain', with: { tx_gain_db: -89 } }],
        }),
      ],
    });
    expect((await played(bench)).status).toBe('passed');
  });

  it('samples beyond the limit are thinned evenly, the first and the last stay, and an event says so', async () => {
    const board = good();
    const metrics = [
      'rx.ebn0_db',
      'rx.ber',
      'rx.ratio',
      'rx.lo_hz',
      'tx.lo_hz',
      'rx.gain_db',
      'tx.gain_db',
      'rx.overflow',
    ];
    const looks = BENCH_SAMPLES_KEPT / metrics.length;
    const lasts = looks * 50 * 1.5;
    const bench = await runsBench({
      board,
      scenarios: [
        scenario({
          sampler: { interval_ms: 50, metrics },
          timeline: [measureStep, waitStep(0, lasts)],
        }),
      ],
    });
    const emitted = await played(bench, lasts + 100);
    const times = emitted.metric_samples
      .filter(({ name }) => name === 'rx.lo_hz')
      .map(({ elapsed_ms }) => elapsed_ms);
    expect(emitted.metric_samples.length).toBeLessThanOrEqual(BENCH_SAMPLES_KEPT);
    expect([times[0], times.at(-1)]).toEqual([0, lasts]);
    expect(new Set(times.slice(1, -2).map((time, at) => time - times[at]!))).toEqual(new Set([100]));
    expect(emitted.events.map(({ kind }) => kind)).toContain('samples.thinned');
  });

  it('a report fits into a message of the bus, and says what was left out', async () => {
    const bench = await runsBench({ board: good(), scenarios: [scenario()] });
    const output = await played(bench);
    const sample: MetricSample = {
      elapsed_ms: 0,
      name: 'ad9361.sample_rate_sps',
      value: Math.PI,
      source: 'stub',
    };
    const big = Array.from({ length: 20_000 }, (_, at) => ({ ...sample, elapsed_ms: at * 50 }));
    const text = reportText({ ...output, metric_samples: big });
    expect(text.length).toBeLessThanOrEqual(BENCH_REPORT_BYTES);
    const kept = JSON.parse(text) as Report;
    expect(kept.metric_samples.at(-1)?.elapsed_ms).toBe(big.at(-1)?.elapsed_ms);
    expect(kept.events.at(-1)?.kind).toBe('samples.thinned');
  });

  it('RB-REP-011 the numbers come from the board, and from two when it was another in between', async () => {
    const board = good();
    board.readings['rx.ebn0_db'] = 9;
    const bench = await runsBench({
      board,
      scenarios: [
        scenario({
          sampler: { interval_ms: 50, metrics: ['rx.ebn0_db'] },
          timeline: [measureStep, waitStep(0, 500)],
        }),
      ],
    });
    board.source = 'pl';
    expect((await played(bench)).source).toBe('pl');
    const { run_id } = granted(await bench.scenarios.start('short'));
    await bench.run(200);
    board.source = 'stub';
    await bench.run(1_000);
    expect(granted(await bench.scenarios.report(run_id)).source).toBe('mixed');
  });
});

describe('assertions', () => {
  const sample = (elapsed_ms: number, value: number | boolean | null, name = 'rx.ebn0_db'): MetricSample => ({
    elapsed_ms,
    name,
    value,
    source: 'stub',
  });
  const seen: Observations = {
    measurements: new Map(),
    samples: [
      sample(0, 1),
      sample(100, 5),
      sample(200, null),
      sample(300, 3),
      sample(0, true, 'rx.carrier_lock'),
    ],
    times: new Map([
      ['a', { begun: 100, ended: 200 }],
      ['b', { begun: 250, ended: 400 }],
    ]),
    outcomes: new Map([['a', 'done']]),
    events: (kind) => (kind === 'dma.overflow' ? 2 : 0),
    frames: () => 3,
  };
  type Metric = Extract<ScenarioAssertion, { source: 'metric' }>;
  const metric = (more: Partial<Metric>): ScenarioAssertion => ({
    name: 'm',
    source: 'metric',
    metric: 'rx.ebn0_db',
    agg: 'last',
    op: '==',
    value: 3,
    ...more,
  });
  const CASES: [name: string, assertion: ScenarioAssertion, passed: boolean, verified: boolean][] = [
    ['the last reading', metric({}), true, true],
    ['the least', metric({ agg: 'min', value: 1 }), true, true],
    ['the most', metric({ agg: 'max', value: 5 }), true, true],
    ['the mean, of what could be read', metric({ agg: 'mean', value: 3 }), true, true],
    ['all', metric({ agg: 'all', op: '>=', value: 1 }), true, true],
    ['not all', metric({ agg: 'all', op: '>', value: 1 }), false, true],
    ['any', metric({ agg: 'any', op: '>', value: 4 }), true, true],
    ['none', metric({ agg: 'any', op: '>', value: 5 }), false, true],
    ['in a window of steps', metric({ agg: 'max', window: ['b', 'b'], value: 3 }), true, true],
    ['in a window of a step and a time', metric({ agg: 'max', window: ['a', 250], value: 5 }), true, true],
    ['in a window without readings', metric({ window: [310, 400] }), false, false],
    ['in a window of a step that was not begun', metric({ window: ['c', 'c'] }), false, false],
    ['of a setting of the board', metric({ metric: 'rx.lo_hz' }), false, false],
    ['true or false', metric({ metric: 'rx.carrier_lock', value: true }), true, true],
    ['of what was not measured', proof, false, false],
    [
      'of events',
      { name: 'e', source: 'event', kind: 'dma.overflow', count: { op: '<=', value: 2 } },
      true,
      false,
    ],
    ['of frames', { name: 'f', source: 'frames', count: { op: '>=', value: 3 } }, true, true],
    ['of a step', { name: 's', source: 'script', step: 'a', op: '==', value: 'done' }, true, false],
    [
      'of a step not begun',
      { name: 's', source: 'script', step: 'c', op: '==', value: 'skipped' },
      true,
      false,
    ],
  ];

  it.each(CASES)('RB-REP-007 RB-REP-008 %s', (_, assertion, passed, verified) => {
    expect(judgeAssertion(assertion, seen)).toMatchObject({ passed, verified });
  });

  it('RB-REP-008 one that observed nothing says so', () => {
    expect(judgeAssertion(proof, seen).message).toBe('observed nothing: "proof" was not measured');
    expect(judgeAssertion(metric({ window: [310, 400] }), seen).message).toBe(
      'observed nothing: no reading of rx.ebn0_db from 310 to 400',
    );
  });
});
