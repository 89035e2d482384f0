/** Runs with a plan as an executor takes them up and holds them: real cells and passes on a real bus. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLOCK_SKEW_MS } from '../../../contract/limits/membership.ts';
import { PLAN_LOOK_MS } from '../../../contract/limits/pass.ts';
import type { Pass } from '../../../contract/pass.ts';
import type { Program } from '../../../contract/program.ts';
import { PassWriter } from '../../../messaging/pass-writes.ts';
import { upsert } from '../../../mission/pass/merge.ts';
import type { Bus } from '../../../ports/bus.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { demoMission, TestMissions } from '../../support/missions.ts';
import { quiet, startNats, type TestNats } from '../../support/nats.ts';
import {
  eventsOf,
  lastOf,
  leaf,
  logWith,
  programOf,
  runOf,
  setWatchdog,
  submitProgram,
} from '../../support/run-program.ts';
import { until } from '../../support/until.ts';
import { RunExecutor } from './run-executor.ts';

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;
const demo = demoMission();
const MARGIN = demo.settings.schedulerMarginMs;
let nats: TestNats;
let bus: Bus;
let clock: HeapClock;
let epoch = 0;
let number = 0;
/** Each over a station of its own: passes of one station that overlap are one pass. */
let id: string;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});
afterAll(() => nats.stop());
beforeEach(() => {
  clock = new HeapClock(NOW);
  number += 1;
  id = `pass-${number}`;
});

async function pass(fromMs: number, toMs: number, more: Partial<Pass> = {}): Promise<void> {
  const at = (ms: number): string => new Date(NOW + ms).toISOString();
  const said = {
    target: 'sat1',
    station: `station-${number}`,
    max_elevation: '40 deg',
    source: 'fds',
    status: 'predicted',
  } as const;
  await new PassWriter({ bus, log: quiet }).write('sat1', (passes) =>
    upsert(passes, { id, ...said, aos: at(fromMs), los: at(toMs), ...more }, { feeder: 'fds', at: at(0) }),
  );
}

async function withExecutor(work: (executor: RunExecutor) => Promise<void>): Promise<void> {
  epoch += 1;
  const executor = new RunExecutor({ bus, clock, missions: new TestMissions(demo), epoch });
  await executor.hold('0');
  try {
    await work(executor);
  } finally {
    await executor.stop();
  }
}

const bound = (over: Partial<Program> = {}): Program =>
  programOf(demo.revision, [leaf('a', [{ kind: 'wait', ms: 60 * MINUTE }])], {
    plan: id,
    leases: [],
    maxDurationMs: 5 * MINUTE,
    ...over,
  });

const submitted = (program: Program, by = 'ada'): Promise<string> =>
  submitProgram(bus, program, { run: runOf('0'), by });

const LONGEST = 5 * MINUTE;

describe('a run with a plan that is taken up late', () => {
  const refused = [
    [
      'its pass is cancelled',
      () => pass(-MINUTE, 20 * MINUTE, { status: 'cancelled' }),
      /^pass .* is cancelled$/,
    ],
    ['its pass is over', () => pass(-20 * MINUTE, -MINUTE), /it has to be over at/],
    [
      'its pass ends too soon for it',
      () => pass(-MINUTE, LONGEST + MARGIN - CLOCK_SKEW_MS - 1),
      /it has to be over at .* before LOS/,
    ],
    ['its pass was moved behind now', () => pass(CLOCK_SKEW_MS + 1, 20 * MINUTE), /begins at/],
    ['its pass is receive-only now', () => pass(-MINUTE, 20 * MINUTE, { uplink: false }), /receive-only/],
    ['its pass is not stored any more', async () => undefined, /is not stored any more/],
  ] as const;
  it.each(refused)(
    'MC-RUN-031 MC-RUN-034 fails before its first step where %s, by hand and by schedule',
    async (_why, arrange, reason) => {
      await arrange();
      await withExecutor(async () => {
        for (const by of ['ada', 'schedule s1']) {
          const log = await logWith(bus, await submitted(bound(), by), 'finished');
          expect(lastOf(log, 'finished')).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
          expect(log.map(({ event }) => event).filter((event) => event !== 'logged')).toEqual([
            'started',
            'finished',
          ]);
        }
      });
    },
  );

  it.each([
    ['in time', -MINUTE, LONGEST + MARGIN],
    ['off by what clocks may differ', CLOCK_SKEW_MS, LONGEST + MARGIN - CLOCK_SKEW_MS],
  ])('plan-gate.B1 begins where its pass is %s', async (_how, from, to) => {
    await pass(from, to);
    await withExecutor(async () => {
      const run = await submitted(bound({ steps: [leaf('bad', [setWatchdog(5)])] }));
      expect((await logWith(bus, run, 'step_started')).length).toBeGreaterThan(1);
    });
  });
});

describe('a run with a plan that is under way', () => {
  const said = async (run: string): Promise<string[]> =>
    (await eventsOf(bus, run)).flatMap((event) => (event.event === 'logged' ? [event.message] : []));
  const at = (ms: number): string => new Date(NOW + ms).toISOString();

  it('plan-watch.F1 says in its log when its pass is, that it moved, is over or cancelled, and goes on', async () => {
    await pass(-MINUTE, 20 * MINUTE);
    await withExecutor(async () => {
      const run = await submitted(bound());
      await logWith(bus, run, 'step_started');
      await logWith(bus, run, 'logged');
      await pass(-MINUTE, 15 * MINUTE);
      await logWith(bus, run, 'logged', { times: 2 });
      clock.advance(15 * MINUTE);
      await logWith(bus, run, 'logged', { times: 3 });
      await pass(-MINUTE, 15 * MINUTE, { status: 'cancelled' });
      await logWith(bus, run, 'logged', { times: 4 });
      clock.advance(10 * PLAN_LOOK_MS);
      const about = `pass ${id} of sat1 over station-${number}`;
      expect(await said(run)).toEqual([
        `${about} is from ${at(-MINUTE)} to ${at(20 * MINUTE)}`,
        `warning: ${about} is from ${at(-MINUTE)} to ${at(15 * MINUTE)}`,
        `warning: ${about} is over since ${at(15 * MINUTE)}`,
        `warning: ${about} is cancelled`,
      ]);
      expect((await eventsOf(bus, run)).at(-1)?.event).toBe('logged');
    });
  });

  it('pass-note.N1 says nothing again when another executor takes it over, and what happened meanwhile', async () => {
    await pass(-MINUTE, 20 * MINUTE);
    let run = '';
    await withExecutor(async () => {
      run = await submitted(bound());
      await logWith(bus, run, 'step_started');
      await logWith(bus, run, 'logged');
    });
    await withExecutor(async () => {
      await logWith(bus, run, 'taken_over');
      clock.advance(3 * PLAN_LOOK_MS);
      await logWith(bus, run, 'step_started', { times: 2 });
    });
    expect(await said(run)).toHaveLength(1);
    clock.advance(25 * MINUTE);
    await withExecutor(async () => {
      await logWith(bus, run, 'taken_over', { times: 2 });
      await until(async () => (await said(run)).length === 2);
    });
    expect((await said(run)).at(-1)).toMatch(/^warning: pass .* is over since/);
  });
});
