import { describe, expect, it } from 'vitest';
import { CampaignState as CampaignStateShape } from '../../../../contract/bench/run.ts';
import { shapeFaults } from '../../../../radio/document/fault.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { codeOf, granted, nothingKept, type RunsBench, runsBench, START } from '../runs-bench.ts';
import { campaign, measureStep, scenario, waitStep } from '../runs-documents.ts';
import { measured, refusal, ScriptedBoard } from '../scripted-board.ts';

const good = () => new ScriptedBoard().on('datapath.measure', () => measured(1));
const proofStep = { id: 'proof', kind: 'scenario', scenario: 'short' } as const;
const quiet = { id: 'quiet', kind: 'action', do: 'radio.gain', with: { tx_gain_db: -89 } } as const;
const two = campaign([proofStep, quiet]);
/** A scenario that takes two seconds. */
const slow = scenario({ timeline: [measureStep, waitStep(0, 2_000)] });

async function started(bench: RunsBench, ms = 0): Promise<string> {
  const { id } = granted(await bench.campaigns.start('night'));
  await bench.run(ms);
  return id;
}

const stateOf = async (bench: RunsBench, id: string) => granted(await bench.campaigns.run(id));
const outcomes = async (bench: RunsBench, id: string) =>
  (await stateOf(bench, id)).attempts.map(({ step, outcome }) => `${step} ${outcome}`);

describe('documents', () => {
  it('RB-CAMP-006 lists the campaigns there are', async () => {
    const bench = await runsBench({
      campaigns: [two, campaign([quiet], { name: 'b', cron: '0 2 * * *', tags: ['x'], display_name: 'B' })],
    });
    expect(bench.campaigns.list()).toEqual([
      { name: 'night', description: 'of two steps', steps: 2, tags: [] },
      { name: 'b', display_name: 'B', description: 'of two steps', steps: 1, cron: '0 2 * * *', tags: ['x'] },
    ]);
  });

  it('RB-CAMP-009 RB-CAMP-025 the document is reported as it was read', async () => {
    const bench = await runsBench({ campaigns: [two] });
    expect(bench.campaigns.get('night')).toEqual(two);
    expect(bench.campaigns.get('day')).toBeUndefined();
  });

  it('RB-CAMP-010 an unknown one is not found, with the names that are near', async () => {
    const refusedStart = await (await runsBench({ campaigns: [two] })).campaigns.start('nigt');
    expect(codeOf(refusedStart)).toBe('not_found');
    expect(JSON.stringify(refusedStart)).toContain('night');
  });

  it('one that fits neither the board nor what there is now is refused, with the reason', async () => {
    const fits = async (more: object, source: 'pl' | 'stub') => {
      const board = good();
      board.source = source;
      const bench = await runsBench({ board, campaigns: [campaign([quiet], more)] });
      return codeOf(await bench.campaigns.start('night'));
    };
    expect(await fits({ board: { provider: 'pl' } }, 'stub')).toBe('conflict');
    expect(await fits({ board: { provider: 'pl' } }, 'pl')).toBeUndefined();
    expect(await fits({ board: { require: { mock: true } } }, 'pl')).toBe('conflict');
    expect(await fits({ board: { provider: 'any', require: { mock: false } } }, 'stub')).toBe('conflict');
    expect(await fits({ steps: [{ id: 'p', kind: 'profile', profile: 'gone' }] }, 'pl')).toBe('conflict');
  });

  it('without a board nothing starts', async () => {
    const bench = await runsBench({ campaigns: [two], scenarios: [scenario()] });
    bench.board.source = undefined;
    expect(codeOf(await bench.campaigns.start('night'))).toBe('unavailable');
  });
});

describe('a run', () => {
  it('RB-GEN-005 RB-CAMP-001 RB-CAMP-002 RB-CAMP-010 RB-CAMP-014 runs its steps in order to a verdict', async () => {
    const bench = await runsBench({ board: good(), scenarios: [scenario()], campaigns: [two] });
    await bench.run(1_500);
    const begun = granted(await bench.campaigns.start('night'));
    expect(begun).toEqual({
      id: begun.id,
      campaign: 'night',
      status: 'running',
      cursor: 0,
      total_steps: 2,
      verdict: null,
      pause_requested: false,
      attempts: [],
      started_at_uptime_ms: 1_500,
      uptime_since: expect.stringMatching(/Z$/),
    });
    await bench.run(500);
    const done = await stateOf(bench, begun.id);
    expect(shapeFaults(CampaignStateShape, JSON.parse(JSON.stringify(done)))).toEqual([]);
    expect(done).toMatchObject({
      status: 'finished',
      cursor: 2,
      verdict: true,
      attempts: [
        { step: 'proof', outcome: 'passed', run_id: expect.any(String), at_uptime_ms: 1_500 },
        { step: 'quiet', outcome: 'passed', detail: 'radio.gain done' },
      ],
    });
    const { run_id = '' } = done.attempts[0]!;
    expect(granted(await bench.scenarios.report(run_id)).verified).toBe(true);
    expect(bench.board.holder).toBeUndefined();
    expect(bench.events.kinds).toEqual(expect.arrayContaining(['campaign.started', 'campaign.finished']));
  });

  it('RB-CAMP-013 runs are listed newest first', async () => {
    const bench = await runsBench({ board: good(), scenarios: [scenario()], campaigns: [two] });
    const ids = [await started(bench, 500), await started(bench, 500)];
    expect(granted(await bench.campaigns.runs()).map(({ id }) => id)).toEqual(ids.reverse());
  });

  it('RB-CAMP-007 RB-CAMP-008 the one that runs is the active one, and who would take a board action', async () => {
    const bench = await runsBench({ board: good(), scenarios: [slow], campaigns: [two] });
    const board_provider = 'this daemon (stub board, mock)';
    expect(bench.campaigns.active()).toEqual({ active: null, board_provider });
    const id = await started(bench, 500);
    const active = { id, campaign: 'night', cursor: 0, total: 2, pausing: false };
    expect(bench.campaigns.active()).toEqual({ active, board_provider });
    granted(await bench.campaigns.pause(id));
    expect(bench.campaigns.active()).toEqual({ active: { ...active, pausing: true }, board_provider });
    await bench.run(3_000);
    expect(bench.campaigns.active()).toEqual({ active: null, board_provider });
  });

  it('RB-CAMP-011 RB-CAMP-012 RB-SCEN-012 nothing else starts meanwhile; its own scenario does', async () => {
    const bench = await runsBench({ board: good(), scenarios: [slow], campaigns: [two] });
    const id = await started(bench, 500);
    expect(codeOf(await bench.campaigns.start('night'))).toBe('conflict');
    expect(codeOf(await bench.scenarios.start('short'))).toBe('conflict');
    expect(bench.scenarios.active()?.status).toBe('running');
    expect(bench.board.holder).toEqual({ kind: 'campaign', id });
    await bench.run(3_000);
    expect((await stateOf(bench, id)).verdict).toBe(true);
    granted(await bench.scenarios.start('short'));
    expect(codeOf(await bench.campaigns.start('night'))).toBe('conflict');
  });

  it('RB-CAMP-014 RB-CAMP-015 RB-CAMP-024 an unknown run or step is not found', async () => {
    const bench = await runsBench({ board: good(), scenarios: [scenario()], campaigns: [two] });
    const { run, pause, resume, rerun } = bench.campaigns;
    for (const asked of [run, pause, resume, rerun])
      expect(codeOf(await asked.call(bench.campaigns, 'x', 'proof'))).toBe('not_found');
    const id = await started(bench, 500);
    expect(codeOf(await bench.campaigns.rerun(id, 'prof'))).toBe('not_found');
  });
});

describe('pause, resume, rerun', () => {
  it('RB-CAMP-005 RB-CAMP-015 RB-CAMP-016 a pause waits for the end of the step, then the board is free', async () => {
    const bench = await runsBench({ board: good(), scenarios: [slow], campaigns: [two] });
    const id = await started(bench, 500);
    expect(granted(await bench.campaigns.pause(id))).toMatchObject({
      status: 'running',
      pause_requested: true,
    });
    expect(granted(await bench.campaigns.pause(id)).pause_requested).toBe(true);
    await bench.run(3_000);
    expect(await stateOf(bench, id)).toMatchObject({
      status: 'paused',
      pause_requested: false,
      cursor: 1,
      verdict: null,
    });
    expect(bench.board.holder).toBeUndefined();
    expect(granted(await bench.campaigns.pause(id)).status).toBe('paused');
  });

  it('RB-CAMP-017 a resume goes on behind the last step, also after a restart', async () => {
    const kept = nothingKept();
    const clock = new ManualClock(START);
    const documents = { kept, clock, scenarios: [slow], campaigns: [two] };
    const first = await runsBench({ ...documents, board: good() });
    const id = await started(first, 500);
    granted(await first.campaigns.pause(id));
    await first.run(3_000);
    await first.die();
    const second = await runsBench({ ...documents, board: good(), session: 'two' });
    expect((await stateOf(second, id)).status).toBe('paused');
    const asked = second.campaigns.resume(id);
    await second.run(100);
    expect(codeOf(await asked)).toBeUndefined();
    expect(await stateOf(second, id)).toMatchObject({ status: 'finished', verdict: true });
    expect(second.board.done).toEqual(['radio.gain']);
  });

  it('RB-CAMP-017 RB-CAMP-023 a finished run is neither resumed nor paused', async () => {
    const bench = await runsBench({ board: good(), scenarios: [scenario()], campaigns: [two] });
    const id = await started(bench, 500);
    expect(codeOf(await bench.campaigns.resume(id))).toBe('conflict');
    expect(codeOf(await bench.campaigns.pause(id))).toBe('conflict');
  });

  it('RB-CAMP-018 a resume is refused while another campaign, or a scenario, runs', async () => {
    const bench = await runsBench({ board: good(), scenarios: [slow], campaigns: [two] });
    const id = await started(bench, 500);
    expect(codeOf(await bench.campaigns.resume(id))).toBe('conflict');
    granted(await bench.campaigns.pause(id));
    await bench.run(3_000);
    await started(bench, 100);
    expect(codeOf(await bench.campaigns.resume(id))).toBe('conflict');
    await bench.run(3_000);
    granted(await bench.scenarios.start('short'));
    expect(codeOf(await bench.campaigns.resume(id))).toBe('conflict');
    expect((await stateOf(bench, id)).status).toBe('paused');
  });

  it('RB-CAMP-019 a rerun appends an attempt and earns the verdict again', async () => {
    const board = good().on('datapath.measure', () => measured(0.5));
    const bench = await runsBench({
      board,
      scenarios: [scenario()],
      campaigns: [campaign([quiet, proofStep])],
    });
    const id = await started(bench, 500);
    expect(await stateOf(bench, id)).toMatchObject({ status: 'finished', verdict: false });
    board.on('datapath.measure', () => measured(1));
    expect(granted(await bench.campaigns.rerun(id, 'proof'))).toMatchObject({
      status: 'running',
      cursor: 1,
      verdict: null,
    });
    await bench.run(500);
    expect(await stateOf(bench, id)).toMatchObject({ status: 'finished', verdict: true, cursor: 2 });
    expect(await outcomes(bench, id)).toEqual(['quiet passed', 'proof failed', 'proof passed']);
    expect(board.holder).toBeUndefined();
  });

  it('RB-CAMP-020 a rerun is refused while anything runs', async () => {
    const bench = await runsBench({ board: good(), scenarios: [slow], campaigns: [two] });
    const id = await started(bench, 3_000);
    const other = await started(bench, 100);
    expect(codeOf(await bench.campaigns.rerun(other, 'proof'))).toBe('conflict');
    expect(codeOf(await bench.campaigns.rerun(id, 'proof'))).toBe('conflict');
    await bench.run(3_000);
    granted(await bench.scenarios.start('short'));
    expect(codeOf(await bench.campaigns.rerun(id, 'proof'))).toBe('conflict');
  });
});

describe('what steps come to', () => {
  const flush = { at_ms: 0, id: 'flush', do: 'datapath.flush' } as const;
  const silent = scenario({
    timeline: [flush],
    assertions: [{ name: 'silent', source: 'frames', count: { op: '==', value: 0 } }],
  });

  it('RB-CAMP-004 RB-REP-008 a scenario that observed nothing is inconclusive, and no pass', async () => {
    const bench = await runsBench({ scenarios: [silent], campaigns: [campaign([proofStep])] });
    const id = await started(bench, 500);
    expect(await outcomes(bench, id)).toEqual(['proof inconclusive']);
    expect((await stateOf(bench, id)).verdict).toBe(false);
  });

  it('RB-CAMP-003 a cancelled scenario gives its campaign up: no verdict', async () => {
    const bench = await runsBench({ board: good(), scenarios: [slow], campaigns: [two] });
    const id = await started(bench, 500);
    granted(await bench.scenarios.cancel());
    await bench.run(500);
    expect(await stateOf(bench, id)).toMatchObject({ status: 'aborted', verdict: null });
    expect(await outcomes(bench, id)).toEqual(['proof aborted']);
  });

  it('RB-CAMP-003 a lost board fails the campaign: no verdict, in a scenario as in an action', async () => {
    const inScenario = await runsBench({ board: good(), scenarios: [slow], campaigns: [two] });
    const id = await started(inScenario, 500);
    inScenario.board.lose('pulled');
    await inScenario.run(500);
    expect(await stateOf(inScenario, id)).toMatchObject({ status: 'failed', verdict: null });
    expect(await outcomes(inScenario, id)).toEqual(['proof error']);

    const board = new ScriptedBoard().on('radio.gain', () => refusal('unavailable', 'gone'));
    const inAction = await runsBench({ board, campaigns: [campaign([{ ...quiet, retries: 2 }])] });
    const other = await started(inAction, 500);
    expect(await stateOf(inAction, other)).toMatchObject({ status: 'failed', verdict: null });
    expect(await outcomes(inAction, other)).toEqual(['quiet error']);
  });

  it('an action that the board refuses failed; one that measures passes only byte-exact', async () => {
    const measure = { id: 'm', kind: 'action', do: 'datapath.measure', with: { blocks: 4 } } as const;
    const run = async (board: ScriptedBoard) => {
      const bench = await runsBench({ board, campaigns: [campaign([measure])] });
      return outcomes(bench, await started(bench, 100));
    };
    expect(await run(good())).toEqual(['m passed']);
    expect(await run(new ScriptedBoard().on('datapath.measure', () => measured(0.9)))).toEqual(['m failed']);
    const refusing = new ScriptedBoard().on('datapath.measure', () => refusal('conflict', 'no egress'));
    expect(await run(refusing)).toEqual(['m failed']);
    const lost = new ScriptedBoard().on('datapath.measure', () => refusal('unavailable', 'gone'));
    expect(await run(lost)).toEqual(['m error']);
  });

  it('a profile step applies the profile', async () => {
    const bench = await runsBench({
      campaigns: [campaign([{ id: 'p', kind: 'profile', profile: 'qpsk-1m' }])],
    });
    expect(await outcomes(bench, await started(bench, 100))).toEqual(['p passed']);
    expect(bench.board.done).toEqual(['profile.apply']);
  });

  it('a step that takes longer than it may is an error, and is tried again where it says so', async () => {
    const board = new ScriptedBoard().hang('datapath.measure');
    const step = { ...proofStep, timeout_s: 3, retries: 1, retry_on: ['error' as const] };
    const bench = await runsBench({ board, scenarios: [scenario()], campaigns: [campaign([step])] });
    const id = await started(bench, 4_000);
    board.on('datapath.measure', () => measured(1));
    await bench.run(4_000);
    expect(await outcomes(bench, id)).toEqual(['proof error', 'proof error']);
    expect((await stateOf(bench, id)).attempts[0]?.detail).toContain('not over after 3 s');
  });
});

describe('the end of the daemon', () => {
  it('RB-CAMP-003 RB-CAMP-022 a campaign it left open is interrupted, and a resume does the step again', async () => {
    const kept = nothingKept();
    const clock = new ManualClock(START);
    const documents = { kept, clock, scenarios: [slow], campaigns: [two] };
    const first = await runsBench({ ...documents, board: good() });
    const id = await started(first, 500);
    await first.die();
    const board = good();
    const second = await runsBench({ ...documents, board, session: 'two' });
    await second.run(100);
    expect(await stateOf(second, id)).toMatchObject({ status: 'interrupted', verdict: null, cursor: 0 });
    expect(await outcomes(second, id)).toEqual(['proof aborted']);
    expect([board.done, board.holder]).toEqual([[], undefined]);
    expect(second.events.kinds).toContain('campaign.interrupted');
    granted(await second.campaigns.resume(id));
    await second.run(3_000);
    expect(await stateOf(second, id)).toMatchObject({ status: 'finished', verdict: true });
  });

  it('a daemon that is ended in order leaves the same behind: nothing is attempted again on the way', async () => {
    const kept = nothingKept();
    const clock = new ManualClock(START);
    const step = { ...proofStep, retries: 3 };
    const documents = { kept, clock, scenarios: [slow], campaigns: [campaign([step, quiet])] };
    const first = await runsBench({ ...documents, board: good() });
    const id = await started(first, 500);
    first.stop();
    await first.run(60_000, 500);
    expect(first.board.done).toEqual(['datapath.measure']);
    await first.die();
    const second = await runsBench({ ...documents, board: good(), session: 'two' });
    await second.run(100);
    expect((await stateOf(second, id)).status).toBe('interrupted');
    expect(await outcomes(second, id)).toEqual(['proof aborted']);
    const run = granted(await second.scenarios.runs())[0]!;
    expect(granted(await second.scenarios.report(run.run_id))).toMatchObject({
      aborted: true,
      has_report: false,
    });
  });

  it('a campaign that rests for long is put away, and comes back for a rerun', async () => {
    const bench = await runsBench({ board: good(), scenarios: [scenario()], campaigns: [two] });
    const id = await started(bench, 500);
    await bench.run(300_000, 1_000);
    const asked = bench.campaigns.rerun(id, 'quiet');
    await bench.run(100);
    expect(codeOf(await asked)).toBeUndefined();
    expect(await outcomes(bench, id)).toEqual(['proof passed', 'quiet passed', 'quiet passed']);
  });

  it('a campaign that cannot be recorded does not run', async () => {
    const bench = await runsBench({ board: good(), scenarios: [scenario()], campaigns: [two] });
    bench.kept.campaign.before = () => new Promise(() => undefined);
    const asked = bench.campaigns.start('night');
    await bench.run(6_000, 500);
    expect(codeOf(await asked)).toBe('unavailable');
    expect([bench.board.done, bench.board.holder]).toEqual([[], undefined]);
  });
});
