/** Lists of schedules that have long been final: which of them wait for their turn. */

import { expect, it } from 'vitest';
import { AGED_SEARCHES_WAITING } from '../../contract/limits/aged.ts';
import { Outage } from '../../contract/outage.ts';
import type { RoutePorts } from '../../http/ports.ts';
import { listOfSchedules, type ScheduleQuery } from '../../http/schedule-lists.ts';
import { SchedulesOver } from '../../messaging/schedules-over.ts';
import { atOnce, Buckets } from '../messaging/cell-of-buckets.ts';
import { AOS, storedSchedule } from '../mission/schedule/records.ts';
import { quiet } from '../support/nats.ts';

/** What comes of so many lists at once. */
async function listed(count: number, query: ScheduleQuery): Promise<(string | undefined)[]> {
  const schedulesOver = new SchedulesOver({ bus: new Buckets().bus(atOnce), log: quiet });
  await schedulesOver.keep([storedSchedule({ state: 'missed' })], AOS);
  const schedules = { schedules: () => [], get: () => undefined, ofTarget: () => [] };
  const ports = { schedules, schedulesOver, passes: { find: () => undefined } } as unknown as RoutePorts;
  const lists = Array.from({ length: count }, () => listOfSchedules(query, ports));
  const done = await Promise.allSettled(lists);
  return done.map((each) => {
    if (each.status === 'fulfilled') return each.value.schedules.map(({ id }) => id).join();
    return each.reason instanceof Outage ? 'outage' : `${each.reason}`;
  });
}

const MOST = AGED_SEARCHES_WAITING + 1;

it.each<[string, ScheduleQuery]>([
  ['a target', { target: 'sat1', all: true }],
  ['a pass', { pass: 'p1', all: true }],
])(
  'MC-SCH-015 schedule-lists.Q3 schedules-over.O3 those of %s are read one at a time, and only so many wait',
  async (_what, query) => {
    expect(await listed(MOST, query)).toEqual(Array(MOST).fill('s1'));
    expect(await listed(MOST + 2, query)).toEqual([...Array(MOST).fill('s1'), 'outage', 'outage']);
  },
);

it('MC-SCH-015 schedule-lists.Q3 those by time are not searches, and wait for none', async () => {
  expect(await listed(MOST + 2, { all: true })).toEqual(Array(MOST + 2).fill('s1'));
});

it('schedule-lists.Q1 those without final ones read nothing, and wait for none', async () => {
  expect(await listed(MOST + 2, { target: 'sat1' })).toEqual(Array(MOST + 2).fill(''));
});
