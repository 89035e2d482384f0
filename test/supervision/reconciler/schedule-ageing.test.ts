/** Schedules that have long been final leave those that every process holds, on a real bus with a clock moved by hand. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NatsBus } from '../../../bus/nats-bus.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { AGED_REST_MS, AGEING_MS } from '../../../contract/limits/aged.ts';
import { SCHEDULE_LIVE_AFTER_END_MS } from '../../../contract/limits/schedule.ts';
import type { StoredSchedule } from '../../../contract/stored-schedule.ts';
import { ScheduleBook } from '../../../messaging/schedule-book.ts';
import { SchedulesOver } from '../../../messaging/schedules-over.ts';
import type { AgeingRounds } from '../../../supervision/reconciler/ageing-rounds.ts';
import { startScheduleAgeing } from '../../../supervision/reconciler/schedule-ageing.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { quiet, startNats, type TestNats } from '../../support/nats.ts';
import { until } from '../../support/until.ts';

const NOW = Date.now();
const LONG_AGO = new Date(NOW - SCHEDULE_LIVE_AFTER_END_MS - 3_600_000).toISOString();

let nats: TestNats;
let bus: NatsBus;
let clock: ManualClock;
let book: ScheduleBook;
let ageing: AgeingRounds;
let holds = true;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  clock = new ManualClock(NOW);
  book = new ScheduleBook({ bus, clock, log: quiet });
  const failed = (error: unknown): void => expect.unreachable(String(error));
  const worker = { epoch: 1, holds: () => holds, failed };
  ageing = startScheduleAgeing({ ...worker, bus, clock, log: quiet, schedules: book });
});
afterAll(async () => {
  await ageing.stop();
  await book.stop();
  await nats.stop();
});

function record(id: string, more: Partial<StoredSchedule>): StoredSchedule {
  const times = { fire_at: LONG_AGO, created_at: LONG_AGO, updated_at: LONG_AGO };
  const run = {
    ir: '0',
    content: '0',
    config: '0',
    max_duration: '10 s',
    sends: false,
    needs_validation: false,
  };
  const asked = { id, pass: 'p1', start: 'aos', run: 'look', targets: { sat: 'sat1' }, environment: 'bench' };
  return { ...asked, ...run, ...times, target: 'sat1', state: 'missed', reasons: [], changes: [], ...more };
}

const keys = async (): Promise<string[]> =>
  (await bus.bucket(buckets.schedules).list('>')).map(({ key }) => key).sort();

it('moves what has long been final and nothing that is open, and nothing once the lead is lost', async () => {
  const recent = new Date(NOW).toISOString();
  const all = [
    record('missed', {}),
    record('fired', { state: 'fired', submitted: true }),
    record('recent', { state: 'cancelled', updated_at: recent }),
    record('risk', { state: 'at_risk' }),
    record('unsubmitted', { state: 'fired' }),
  ];
  for (const each of all)
    await bus.bucket(buckets.schedules).put(each.id, Buffer.from(JSON.stringify(each)), 0);
  await until(() => book.schedules().length === all.length);
  const over = new SchedulesOver({ bus, log: quiet });
  const ids = async (): Promise<string[]> =>
    (await over.list({}, 100, () => true)).map(({ id }) => id).sort();
  const round = async (): Promise<void> => {
    clock.advance(AGEING_MS);
    await settled();
  };
  holds = false;
  await until(async () => {
    await round();
    return (await ids()).length === 2;
  });
  clock.advance(AGED_REST_MS);
  for (let n = 0; n < 20; n += 1) await round();
  expect(await keys()).toHaveLength(all.length);
  holds = true;
  await until(async () => {
    await round();
    return (await keys()).length === 3;
  });
  expect([await ids(), await keys()]).toEqual([
    ['fired', 'missed'],
    ['recent', 'risk', 'unsubmitted'],
  ]);
  expect((await over.find('fired'))?.state).toBe('fired');
});
