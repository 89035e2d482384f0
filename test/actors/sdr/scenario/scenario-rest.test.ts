/** What puts the transmitter of a scenario at rest waits for no record. RF Bench Service, section 3. */

import { describe, expect, it } from 'vitest';
import type { ScriptedAction } from '../../../../actors/sdr/radio/board-user.ts';
import type { Scenario } from '../../../../contract/bench/scenario.ts';
import { BENCH_RECORD_MS } from '../../../../contract/limits/bench.ts';
import { Outage } from '../../../../contract/outage.ts';
import { settled } from '../../../support/manual-clock.ts';
import { codeOf, granted, type RunsBench, runsBench } from '../runs-bench.ts';
import { campaign, measureStep, scenario, waitStep } from '../runs-documents.ts';
import { measured, ScriptedBoard } from '../scripted-board.ts';

const MUTE = { do: 'radio.gain', with: { tx_gain_db: -89 } } as const;
const onEnd = { on_end: [MUTE] };
const long = [measureStep, waitStep(0, 60_000)];
const night = campaign([{ id: 'short', kind: 'scenario', scenario: 'short' }]);

/** A board that says whether it is muted. */
class MutedBoard extends ScriptedBoard {
  /** Of what it was asked for, with the level. */
  readonly levels: unknown[] = [];

  constructor() {
    super();
    this.hang('chain.recover').on('datapath.measure', () => measured(1));
    this.on('radio.gain', ({ with: body }: ScriptedAction) => {
      this.levels.push((body as { tx_gain_db: number }).tx_gain_db);
      return measured(1);
    });
  }
}

type Bench = RunsBench<MutedBoard>;

/** A scenario that runs; by its campaign, where that is asked for. */
async function running(
  timeline: Scenario['timeline'],
  more: Partial<Scenario> = {},
  by: 'itself' | 'campaign' = 'itself',
): Promise<Bench> {
  const scenarios = [scenario({ timeline, ...more })];
  const bench = await runsBench({ board: new MutedBoard(), scenarios, campaigns: [night] });
  if (by === 'itself') granted(await bench.scenarios.start('short'));
  else granted(await bench.campaigns.start('night'));
  await bench.run(500);
  expect([bench.scenarios.active()?.status, bench.board.levels]).toEqual(['running', []]);
  return bench;
}

function setAway({ kept }: Bench, isAway: boolean): void {
  for (const store of [kept.scenario, kept.campaign])
    store.before = () => {
      if (isAway) throw new Outage('bus.unavailable', 'away');
    };
}

const statuses = async ({ scenarios }: Bench) =>
  granted(await scenarios.reports({ limit: 9 })).map(({ status }) => status);

/** How the last event of the only run says it ended. */
async function reasonOf({ scenarios }: Bench): Promise<string | undefined> {
  const [run] = granted(await scenarios.runs());
  return granted(await scenarios.runEvents(run!.run_id)).at(-1)?.description;
}

describe('scenario/timeline.T3 while the bus is away', () => {
  it('a cancel does the actions of the end at once, and once', async () => {
    const bench = await running(long, onEnd);
    setAway(bench, true);
    granted(await bench.scenarios.cancel());
    await settled();
    expect(bench.board.levels).toEqual([-89]);
    setAway(bench, false);
    await bench.run(5_000);
    expect([bench.board.levels, await statuses(bench)]).toEqual([[-89], ['cancelled']]);
    expect(bench.board.holder).toBeUndefined();
  });

  it('life.L3 the time of the run ends it when it is over', async () => {
    const timeline = [measureStep, { at_ms: 0, id: 'hung', do: 'chain.recover' as const }];
    const bench = await running(timeline, { ...onEnd, timeout_s: 3 });
    setAway(bench, true);
    await bench.run(2_400);
    expect(bench.board.levels).toEqual([]);
    await bench.run(150);
    expect(bench.board.levels).toEqual([-89]);
    setAway(bench, false);
    await bench.run(2_000);
    expect([bench.board.levels, await reasonOf(bench)]).toEqual([[-89], 'it took longer than its 3 s']);
  });

  it('the time that its campaign gives it ends it when it is over', async () => {
    const scenarios = [scenario({ timeline: long, ...onEnd })];
    const timed = campaign([{ id: 'short', kind: 'scenario', scenario: 'short', timeout_s: 2 }]);
    const bench = await runsBench({ board: new MutedBoard(), scenarios, campaigns: [timed] });
    granted(await bench.campaigns.start('night'));
    await bench.run(500);
    setAway(bench, true);
    await bench.run(1_600);
    expect(bench.board.levels).toEqual([-89]);
  });

  it.each([
    ['as its end says', onEnd, [-89.75, -89]],
    ['also where its end says nothing', {}, [-89.75]],
  ])('runs/runs.U4 a run with a step that cannot be recorded is muted, %s', async (_, more, levels) => {
    const timeline = [measureStep, waitStep(0, 700), { at_ms: 800, id: 'off', ...MUTE }];
    const bench = await running(timeline, more);
    setAway(bench, true);
    await bench.run(200 + BENCH_RECORD_MS - 100);
    expect(bench.board.levels).toEqual([]);
    await bench.run(200);
    expect(bench.board.levels).toEqual(levels);
    setAway(bench, false);
    await bench.run(20_000);
    expect([bench.board.levels, await statuses(bench)]).toEqual([levels, ['failed']]);
    expect(await reasonOf(bench)).toBe('it could not be recorded for 5 s');
  });

  it('record-watch.P1 a record that comes in time ends nothing, and one that is late ends the run once', async () => {
    const bench = await running([measureStep, waitStep(0, 700), waitStep(800, 7_000)], onEnd);
    setAway(bench, true);
    await bench.run(BENCH_RECORD_MS - 500);
    setAway(bench, false);
    await bench.run(6_000);
    expect([bench.board.levels, bench.scenarios.active()?.status]).toEqual([[], 'running']);
    setAway(bench, true);
    await bench.run(4 * BENCH_RECORD_MS);
    expect(bench.board.levels).toEqual([-89.75, -89]);
  });

  it('record-watch.P1 a run that never began does nothing at its end', async () => {
    const bench = await runsBench({ board: new MutedBoard(), scenarios: [scenario(onEnd)] });
    setAway(bench, true);
    const asked = bench.scenarios.start('short');
    await bench.run(2 * BENCH_RECORD_MS, 500);
    expect([codeOf(await asked), bench.board.done]).toEqual(['unavailable', []]);
  });
});

describe('runs/runs.U4 a run whose cell is lost', () => {
  /** Somebody else has written the record of the only run of that kind. */
  function overwrite({ kept }: Bench, kind: 'scenario' | 'campaign'): string {
    const [id, stored] = [...kept[kind].stored][0]!;
    kept[kind].stored.set(id, { ...stored, position: stored.position + 1 });
    return id;
  }

  it('is muted and does the actions of its end before the board is given back', async () => {
    const bench = await running(long, onEnd);
    const holders: unknown[] = [];
    bench.board.on('radio.gain', () => {
      holders.push(bench.board.holder?.kind);
      return measured(1);
    });
    overwrite(bench, 'scenario');
    granted(await bench.scenarios.cancel());
    await bench.run(100);
    expect(bench.events.kinds).toContain('scenario.lost');
    // The cancel did the actions of the end; the mute is that of the lost run.
    expect(holders).toEqual(['scenario', 'scenario']);
    expect([bench.board.holder, bench.scenarios.active()]).toEqual([undefined, undefined]);
  });

  it('gives the board back also where what its end asks for is never answered', async () => {
    const bench = await running(long, onEnd);
    bench.board.on('radio.gain', () => new Promise(() => undefined));
    overwrite(bench, 'scenario');
    granted(await bench.scenarios.cancel());
    await bench.run(100);
    expect(bench.board.holder).toMatchObject({ kind: 'scenario' });
    await bench.run(120_000, 1_000);
    expect(bench.board.holder).toBeUndefined();
  });

  it('is also the one of a campaign that is lost', async () => {
    const bench = await running(long, onEnd, 'campaign');
    const id = overwrite(bench, 'campaign');
    const asked = bench.campaigns.pause(id);
    await bench.run(BENCH_RECORD_MS);
    await asked;
    expect(bench.events.kinds).toContain('campaign.lost');
    expect([bench.board.levels, bench.board.holder]).toEqual([[-89.75, -89], undefined]);
    expect(await reasonOf(bench)).toBe('its campaign cannot continue: fenced');
  });

  it('takeover.D1 asks for the board again where somebody else has written its record', async () => {
    const bench = await running(long, onEnd);
    overwrite(bench, 'scenario');
    const asked: string[] = [];
    const { hold, perform } = bench.board;
    bench.board.hold = (holder) => {
      asked.push('hold');
      return hold.call(bench.board, holder);
    };
    bench.board.perform = (action, by, signal) => {
      asked.push(action.do);
      return perform.call(bench.board, action, by, signal);
    };
    bench.gone('scenario', bench.board.holder!.id, 'fenced');
    await settled();
    expect(asked).toEqual(['hold', 'radio.gain', 'radio.gain']);
  });
});
