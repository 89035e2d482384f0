import { describe, expect, it } from 'vitest';
import { BENCH_ABORT_MS, BENCH_RUNS_KEPT } from '../../../../contract/limits/bench.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { codeOf, granted, nothingKept, type RunsBench, runsBench, START } from '../runs-bench.ts';
import { measureStep, proof, scenario, waitStep } from '../runs-documents.ts';
import { measured, refusal, ScriptedBoard } from '../scripted-board.ts';

const good = () => new ScriptedBoard().on('datapath.measure', () => measured(1));

/** Starts the scenario `short` and lets so much time pass. */
async function played(bench: RunsBench, ms = 1_000): Promise<string> {
  const { run_id } = granted(await bench.scenarios.start('short'));
  await bench.run(ms);
  return run_id;
}

const report = async (bench: RunsBench, id: string) => granted(await bench.scenarios.report(id));
const kinds = async (bench: RunsBench, id: string) =>
  granted(await bench.scenarios.runEvents(id)).map(({ kind }) => kind);

describe('documents', () => {
  it('RB-SCEN-006 lists the scenarios there are', async () => {
    const bench = await runsBench({
      scenarios: [scenario(), scenario({ name: 'b', profile_ref: 'qpsk-1m', tags: ['x'], description: 'd' })],
    });
    expect(bench.scenarios.list()).toEqual([
      { name: 'short', tags: [] },
      { name: 'b', description: 'd', profile_ref: 'qpsk-1m', tags: ['x'] },
    ]);
  });

  it('RB-SCEN-009 an invalid scenario is reported with every fault', async () => {
    const bench = await runsBench();
    expect(bench.scenarios.validate(scenario())).toEqual({ ok: true, errors: [] });
    const { ok, errors } = bench.scenarios.validate({ ...scenario(), assertions: [], surplus: 1 });
    expect([ok, errors.length > 0]).toEqual([false, true]);
  });

  it('RB-SCEN-010 RB-SCEN-011 an unknown one is not found, with the names that are near', async () => {
    const bench = await runsBench({ scenarios: [scenario()] });
    const refusedStart = await bench.scenarios.start('shorz');
    expect(codeOf(refusedStart)).toBe('not_found');
    expect(JSON.stringify(refusedStart)).toContain('short');
    expect(bench.scenarios.get('shorz')).toBeUndefined();
    expect(bench.scenarios.get('short')).toEqual(scenario());
  });

  it('one that does not fit the profiles any more is refused', async () => {
    const bench = await runsBench({ scenarios: [scenario({ profile_ref: 'gone' })] });
    expect(codeOf(await bench.scenarios.start('short'))).toBe('conflict');
  });
});

describe('a run', () => {
  it('RB-SCEN-011 RB-SCEN-013 is pending when it is accepted, then running, then passed', async () => {
    const bench = await runsBench({
      board: good(),
      scenarios: [scenario({ timeline: [measureStep, waitStep(10, 500)] })],
    });
    const run = granted(await bench.scenarios.start('short'));
    expect(run).toEqual({
      run_id: run.run_id,
      scenario_name: 'short',
      status: 'pending',
      started_at: new Date(START).toISOString(),
    });
    await bench.run(100);
    expect(granted(await bench.scenarios.run(run.run_id)).status).toBe('running');
    await bench.run(1_000);
    expect(granted(await bench.scenarios.run(run.run_id))).toMatchObject({
      status: 'passed',
      steps_executed: 2,
      assertions_passed: 1,
      assertions_failed: 0,
      duration_ms: expect.any(Number),
      ended_at: expect.any(String),
    });
    expect(bench.board.holder).toBeUndefined();
  });

  it('RB-SCEN-001 runs are listed newest first', async () => {
    const bench = await runsBench({ board: good(), scenarios: [scenario()] });
    const ids = [await played(bench), await played(bench)];
    const listed = granted(await bench.scenarios.runs());
    expect(listed.map(({ run_id }) => run_id)).toEqual(ids.reverse());
  });

  it('RB-SCEN-003 RB-SCEN-004 an unknown run is not found, nor are its events and report', async () => {
    const { scenarios } = await runsBench();
    for (const asked of [scenarios.run('x'), scenarios.runEvents('x'), scenarios.report('x')])
      expect(codeOf(await asked)).toBe('not_found');
  });

  it('RB-SCEN-004 RB-SCEN-005 has no events in flight, and its timeline when it is over', async () => {
    const bench = await runsBench({
      board: good(),
      scenarios: [
        scenario({
          timeline: [measureStep, waitStep(10, 500)],
          on_end: [{ do: 'radio.gain', with: { tx_gain_db: -89 } }],
        }),
      ],
    });
    const id = await played(bench, 100);
    expect(granted(await bench.scenarios.runEvents(id))).toEqual([]);
    await bench.run(1_000);
    expect(await kinds(bench, id)).toEqual([
      'run.begun',
      'step.begun',
      'step.done',
      'step.begun',
      'step.done',
      'end.done',
      'run.passed',
    ]);
    const [, begun] = granted(await bench.scenarios.runEvents(id));
    expect(begun).toMatchObject({
      elapsed_ms: 0,
      event_id: 'measure',
      description: 'measure: datapath.measure',
    });
  });

  it('RB-SCEN-007 RB-SCEN-014 the one in flight is the active one, with the time it has taken', async () => {
    const bench = await runsBench({
      scenarios: [scenario({ timeline: [measureStep, waitStep(0, 900)] })],
      board: good(),
    });
    expect(bench.scenarios.active()).toBeUndefined();
    const id = await played(bench, 400);
    expect(bench.scenarios.active()).toMatchObject({
      run_id: id,
      status: 'running',
      elapsed_ms: 400,
      cancel_requested: false,
    });
    await bench.run(1_000);
    expect(bench.scenarios.active()).toBeUndefined();
  });

  it('RB-SCEN-012 another start is refused while it runs, and the board is its own', async () => {
    const bench = await runsBench({
      scenarios: [
        scenario({
          timeline: [waitStep(0, 900)],
          assertions: [{ name: 'f', source: 'frames', count: { op: '==', value: 0 } }],
        }),
      ],
    });
    const [one, other] = await Promise.all([bench.scenarios.start('short'), bench.scenarios.start('short')]);
    expect([codeOf(one), codeOf(other)]).toEqual([undefined, 'conflict']);
    expect(bench.board.holder).toMatchObject({ kind: 'scenario' });
    await bench.run(2_000);
    expect(codeOf(await bench.scenarios.start('short'))).toBeUndefined();
  });

  it('a start is refused without a board, and while somebody else holds it', async () => {
    const bench = await runsBench({ scenarios: [scenario()] });
    bench.board.holder = { kind: 'scenario', id: 'other' };
    expect(codeOf(await bench.scenarios.start('short'))).toBe('conflict');
    bench.board.source = undefined;
    expect(codeOf(await bench.scenarios.start('short'))).toBe('unavailable');
    expect(granted(await bench.scenarios.runs())).toEqual([]);
  });
});

describe('the timeline', () => {
  it('a step begins at its time; one that is late begins at once and says how late', async () => {
    const board = new ScriptedBoard();
    const bench = await runsBench({
      board,
      scenarios: [
        scenario({
          timeline: [
            measureStep,
            { at_ms: 100, id: 'set', do: 'radio.gain', with: { rx_gain_db: 3 } },
            { at_ms: 900, id: 'on', do: 'datapath.enable' },
          ],
        }),
      ],
    });
    board.on('datapath.measure', async () => {
      await new Promise<void>((resolve) => void bench.clock.setTimeout(resolve, 400));
      return measured(1);
    });
    const id = await played(bench, 2_000);
    const events = granted(await bench.scenarios.runEvents(id));
    expect(events.find(({ kind }) => kind === 'step.late')).toMatchObject({
      elapsed_ms: 400,
      event_id: 'set',
      description: 'set begins 300 ms late',
    });
    expect(events.find(({ description }) => description === 'on: datapath.enable')?.elapsed_ms).toBe(900);
    expect(board.done).toEqual(['datapath.measure', 'radio.gain', 'datapath.enable']);
  });

  it('profile.apply applies the profile of the scenario unless it names one', async () => {
    const bodies: object[] = [];
    const board = good().on('profile.apply', ({ with: body }) => {
      bodies.push(body);
      return measured(1);
    });
    const apply = { at_ms: 0, do: 'profile.apply' as const };
    const bench = await runsBench({
      board,
      scenarios: [
        scenario({
          profile_ref: 'qpsk-1m',
          timeline: [
            { ...apply, id: 'a' },
            { ...apply, id: 'b', with: { profile: 'dbpsk-9k6-uhf' } },
            measureStep,
          ],
        }),
      ],
    });
    await played(bench);
    expect(bodies).toEqual([{ profile: 'qpsk-1m' }, { profile: 'dbpsk-9k6-uhf' }]);
  });

  it('a wait ends when what it waits for has held as long as asked', async () => {
    const until = { metric: 'rx.carrier_lock', op: '==', value: true, for_ms: 300 } as const;
    const bench = await runsBench({
      board: good(),
      scenarios: [scenario({ timeline: [waitStep(0, 5_000, { until }), { ...measureStep, at_ms: 0 }] })],
    });
    const id = granted(await bench.scenarios.start('short')).run_id;
    await bench.run(500);
    expect(bench.board.done).toEqual([]);
    bench.board.readings['rx.carrier_lock'] = true;
    await bench.run(200);
    bench.board.readings['rx.carrier_lock'] = false;
    await bench.run(500);
    expect(bench.board.done).toEqual([]);
    bench.board.readings['rx.carrier_lock'] = true;
    await bench.run(600);
    expect(granted(await bench.scenarios.run(id)).status).toBe('passed');
  });

  it('a wait for what does not come fails, the timeline goes on, and the run did not pass', async () => {
    const until = { metric: 'rx.carrier_lock', op: '==', value: true } as const;
    const timeline = [waitStep(0, 300, { until }), { ...measureStep, at_ms: 300 }];
    const bench = await runsBench({ board: good(), scenarios: [scenario({ timeline })] });
    const id = await played(bench);
    expect(await kinds(bench, id)).toContain('wait.unmet');
    expect(await report(bench, id)).toMatchObject({
      status: 'failed',
      aborted: false,
      verified: true,
      assertions: [
        { name: 'byte exact', passed: true },
        { name: 'wait wait-0', passed: false },
      ],
    });
  });

  it('unless an assertion asks for just that', async () => {
    const until = { metric: 'rx.carrier_lock', op: '==', value: true } as const;
    const timeline = [waitStep(0, 300, { until }), { ...measureStep, at_ms: 300 }];
    const asked = { name: 'dark', source: 'script', step: 'wait-0', op: '==', value: 'failed' } as const;
    const bench = await runsBench({
      board: good(),
      scenarios: [scenario({ timeline, assertions: [proof, asked] })],
    });
    expect((await report(bench, await played(bench))).status).toBe('passed');
  });
});

describe('ends that are not its own', () => {
  const hanging = () => new ScriptedBoard().hang('datapath.measure');
  const onEnd = { on_end: [{ do: 'radio.gain' as const, with: { tx_gain_db: -89 } }] };

  it('RB-SCEN-008 RB-REP-009 a cancel ends the step under way, and the actions of the end are done', async () => {
    const bench = await runsBench({ board: hanging(), scenarios: [scenario(onEnd)] });
    const id = await played(bench, 100);
    expect(granted(await bench.scenarios.cancel()).run_id).toBe(id);
    expect(bench.scenarios.active()).toMatchObject({ cancel_requested: true });
    await bench.run(100);
    expect(await report(bench, id)).toMatchObject({
      status: 'cancelled',
      aborted: true,
      verified: false,
      assertions: [],
      has_report: true,
    });
    expect(bench.board.done).toEqual(['datapath.measure', 'radio.gain']);
    expect(bench.board.holder).toBeUndefined();
    expect(codeOf(await bench.scenarios.cancel())).toBe('conflict');
  });

  it('RB-SCEN-008 a cancel ends a wait at once', async () => {
    const bench = await runsBench({
      board: good(),
      scenarios: [scenario({ timeline: [measureStep, waitStep(10, 60_000)] })],
    });
    const id = await played(bench, 200);
    granted(await bench.scenarios.cancel());
    await bench.run(50);
    expect(granted(await bench.scenarios.run(id))).toMatchObject({ status: 'cancelled', steps_executed: 1 });
  });

  it('RB-SCEN-008 nothing to cancel is a conflict', async () => {
    expect(codeOf(await (await runsBench()).scenarios.cancel())).toBe('conflict');
  });

  it('RB-REP-009 a step that is refused ends the run, with the reason', async () => {
    const board = new ScriptedBoard().on('datapath.measure', () => refusal('conflict', 'no egress'));
    const bench = await runsBench({ board, scenarios: [scenario(onEnd)] });
    const id = await played(bench);
    expect(await report(bench, id)).toMatchObject({ status: 'failed', aborted: true, assertions: [] });
    expect(granted(await bench.scenarios.runEvents(id)).at(-1)).toMatchObject({
      kind: 'run.failed',
      description: expect.stringContaining('no egress'),
    });
    expect(board.done).toContain('radio.gain');
  });

  it('a board that is lost ends the run; what the end asks for is refused and hinders nothing', async () => {
    const bench = await runsBench({ board: hanging(), scenarios: [scenario(onEnd)] });
    const id = await played(bench, 100);
    bench.board.lose('pulled');
    await bench.run(200);
    expect(granted(await bench.scenarios.run(id)).status).toBe('failed');
    expect(await kinds(bench, id)).toEqual(expect.arrayContaining(['end.failed', 'run.failed']));
    expect(codeOf(await bench.scenarios.start('short'))).toBe('unavailable');
  });

  it('its time ends it, also when the board never answers again', async () => {
    const board = new ScriptedBoard().on('datapath.measure', () => new Promise(() => undefined));
    const bench = await runsBench({ board, scenarios: [scenario({ ...onEnd, timeout_s: 5 })] });
    const id = await played(bench, 5_100);
    expect(granted(await bench.scenarios.run(id)).status).toBe('running');
    await bench.run(BENCH_ABORT_MS);
    expect(granted(await bench.scenarios.run(id)).status).toBe('failed');
    expect(board.holder).toBeUndefined();
  });

  it('the time of a step ends the step', async () => {
    const timeline = [{ ...measureStep, timeout_ms: 700 }];
    const bench = await runsBench({ board: hanging(), scenarios: [scenario({ timeline })] });
    const id = await played(bench, 1_000);
    const failed = granted(await bench.scenarios.runEvents(id)).find(({ kind }) => kind === 'step.failed');
    expect(failed).toMatchObject({ elapsed_ms: 700, description: 'measure: not over after 700 ms' });
  });
});

describe('the end of the daemon', () => {
  it('RB-REP-009 a run it left open failed and has no report; nothing of it is done again', async () => {
    const kept = nothingKept();
    const clock = new ManualClock(START);
    const first = await runsBench({
      kept,
      clock,
      board: new ScriptedBoard().hang('datapath.measure'),
      scenarios: [scenario()],
    });
    const id = await played(first, 100);
    await first.die();
    const second = await runsBench({ kept, clock, board: good(), scenarios: [scenario()], session: 'two' });
    await second.run(100);
    expect(granted(await second.scenarios.run(id)).status).toBe('failed');
    expect(await report(second, id)).toMatchObject({
      has_report: false,
      aborted: true,
      verified: false,
      source: 'none',
    });
    expect(granted(await second.scenarios.runEvents(id))).toEqual([]);
    expect(second.board.done).toEqual([]);
    expect(second.events.kinds).toContain('scenario.interrupted');
    expect((await report(second, await played(second))).status).toBe('passed');
  });

  it('runs that were over are listed as before, with their reports', async () => {
    const kept = nothingKept();
    const first = await runsBench({ kept, board: good(), scenarios: [scenario()] });
    const id = await played(first);
    const reported = await report(first, id);
    await first.die();
    const second = await runsBench({ kept, session: 'two' });
    expect(await report(second, id)).toEqual(reported);
    expect(granted(await second.scenarios.runs())).toHaveLength(1);
  });

  it('at most so many runs are kept, the oldest goes with its report', async () => {
    const kept = nothingKept();
    const first = await runsBench({ kept, board: good(), scenarios: [scenario()] });
    const id = await played(first);
    const stored = kept.scenario.stored.get(id)!;
    for (let n = 0; n < BENCH_RUNS_KEPT; n += 1) {
      const { envelope } = structuredClone(stored);
      const { context } = envelope.snapshot as { context: { runId: string; startedAt: number } };
      Object.assign(context, { runId: `copy-${n}`, startedAt: START + 10_000 + n });
      kept.scenario.stored.set(`copy-${n}`, { ...stored, envelope: { ...envelope, id: `copy-${n}` } });
    }
    const second = await runsBench({ kept, session: 'two' });
    await second.run(50);
    expect(granted(await second.scenarios.runs())).toHaveLength(BENCH_RUNS_KEPT);
    expect([kept.scenario.stored.has(id), kept.reports.has(id)]).toEqual([false, false]);
  });

  it('a run that cannot be recorded does not run', async () => {
    const bench = await runsBench({ board: good(), scenarios: [scenario()] });
    bench.kept.scenario.before = () => new Promise(() => undefined);
    const asked = bench.scenarios.start('short');
    await bench.run(6_000, 500);
    expect(codeOf(await asked)).toBe('unavailable');
    expect([bench.board.done, bench.board.holder, bench.scenarios.active()]).toEqual([
      [],
      undefined,
      undefined,
    ]);
  });

  it('life.L2 a cell that crashes does no step twice', async () => {
    const bench = await runsBench({
      board: good(),
      scenarios: [scenario({ timeline: [measureStep, waitStep(0, 500)] })],
    });
    let failures = 0;
    bench.kept.scenario.before = () => {
      if (bench.board.done.length === 0 || ++failures > 1) return;
      throw new Error('the store is broken');
    };
    const id = await played(bench, 5_000);
    expect(failures).toBeGreaterThan(1);
    expect(granted(await bench.scenarios.run(id)).status).toBe('passed');
    expect(bench.board.done).toEqual(['datapath.measure']);
  });

  it('a run whose cell has no more chance gives the board back, and says so', async () => {
    const bench = await runsBench({ board: good(), scenarios: [scenario()] });
    bench.kept.scenario.before = () => {
      if (bench.board.done.length > 0) throw new Error('the store is broken');
    };
    await played(bench, 120_000);
    expect(bench.events.kinds).toContain('scenario.lost');
    expect([bench.board.holder, bench.scenarios.active()]).toEqual([undefined, undefined]);
  });
});
