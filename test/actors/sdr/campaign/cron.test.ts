import { describe, expect, it } from 'vitest';
import { CampaignTimetable } from '../../../../actors/sdr/campaign/cron.ts';
import type { Campaign } from '../../../../contract/bench/campaign.ts';
import { accepted } from '../../../../contract/result.ts';
import { ManualClock, settled } from '../../../support/manual-clock.ts';
import { granted, runsBench, START } from '../runs-bench.ts';
import { campaign, measureStep, scenario, waitStep } from '../runs-documents.ts';
import { KeptEvents, measured, ScriptedBoard } from '../scripted-board.ts';

const MINUTE = 60_000;
const quiet = { id: 'quiet', kind: 'action', do: 'radio.gain', with: { tx_gain_db: -89 } } as const;
/** The bench starts at half past one. */
const nightly = campaign([quiet], { cron: '0 2 * * *' });

/** A clock that is set by hand while its timers go on. */
class SettableClock extends ManualClock {
  #offset = 0;

  override now(): number {
    return super.now() + this.#offset;
  }

  set(now: number): void {
    this.#offset += now - this.now();
  }
}

/** Names of what a timetable started, in order. */
function timetable(clock: ManualClock, campaigns: readonly Campaign[]): string[] {
  const started: string[] = [];
  new CampaignTimetable({
    clock,
    clockTrusted: () => true,
    events: new KeptEvents(clock),
    campaigns: new Map(campaigns.map((each) => [each.name, each])),
    start: async (name) => {
      started.push(name);
      return accepted(undefined);
    },
  }).start();
  return started;
}

describe('campaigns that schedule themselves', () => {
  it('RB-CAMP-021 start at their time, and at no other', async () => {
    const bench = await runsBench({ campaigns: [nightly] });
    await bench.run(29 * MINUTE, MINUTE);
    expect(granted(await bench.campaigns.runs())).toEqual([]);
    await bench.run(2 * MINUTE, 1_000);
    expect(granted(await bench.campaigns.runs())).toMatchObject([{ campaign: 'night', status: 'finished' }]);
    await bench.run(60 * MINUTE, MINUTE);
    expect(granted(await bench.campaigns.runs())).toHaveLength(1);
  });

  it('RB-CAMP-026 are skipped while something runs, with an event, and not made up for', async () => {
    const long = scenario({ timeline: [measureStep, waitStep(0, 300_000)] });
    const board = new ScriptedBoard().on('datapath.measure', () => measured(1));
    const bench = await runsBench({ board, campaigns: [nightly], scenarios: [long] });
    await bench.run(29 * MINUTE, MINUTE);
    granted(await bench.scenarios.start('short'));
    await bench.run(10 * MINUTE, 1_000);
    expect(granted(await bench.campaigns.runs())).toEqual([]);
    expect(bench.events.kept.filter(({ kind }) => kind === 'cron_skipped')).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('scenario "short" is running') },
    ]);
  });

  it('RB-CAMP-021 do not start by a clock that was never set: each firing is reported once', async () => {
    let trusted = false;
    const bench = await runsBench({ campaigns: [nightly], clockTrusted: () => trusted });
    await bench.run(32 * MINUTE, 1_000);
    expect(bench.events.kinds.filter((kind) => kind === 'clock_not_set')).toHaveLength(1);
    expect(granted(await bench.campaigns.runs())).toEqual([]);
    trusted = true;
    await bench.run(24 * 60 * MINUTE, MINUTE / 2);
    expect(granted(await bench.campaigns.runs())).toHaveLength(1);
  });

  it('campaign/cron.C3 a clock that is set fires nothing of the time it jumped over', async () => {
    // At half past one, set to half past two: the firing at two is one of those that were jumped over.
    const clock = new SettableClock(START);
    const everyHour = campaign([quiet], { name: 'hourly', cron: '40 * * * *' });
    const started = timetable(clock, [nightly, everyHour]);
    await clock.run(3 * MINUTE, 1_000);
    clock.set(START + 60 * MINUTE);
    await clock.run(5 * MINUTE, 1_000);
    expect(started).toEqual([]);
    await clock.run(7 * MINUTE, 1_000);
    expect(started).toEqual(['hourly']);
  });

  it('campaign/cron.C3 what fired does not fire again when the clock steps back', async () => {
    const clock = new SettableClock(START);
    const started = timetable(clock, [nightly]);
    await clock.run(30 * MINUTE + 500, 1_000);
    expect(started).toEqual(['night']);
    clock.set(clock.now() - 2_000);
    await clock.run(2 * MINUTE, 1_000);
    expect(started).toEqual(['night']);
  });

  it('a timetable that is stopped starts nothing', async () => {
    const bench = await runsBench({ campaigns: [nightly] });
    bench.stop();
    await bench.run(40 * MINUTE, MINUTE);
    await settled();
    expect(granted(await bench.campaigns.runs())).toEqual([]);
  });
});
