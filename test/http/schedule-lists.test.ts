/** Lists of schedules: what is in them, how they go on, and which of them wait for their turn. */

import { describe, expect, it } from 'vitest';
import { AGED_SEARCHES_WAITING } from '../../contract/limits/aged.ts';
import { SCHEDULE_LIST_MOST } from '../../contract/limits/schedule.ts';
import { Outage } from '../../contract/outage.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import type { RoutePorts } from '../../http/ports.ts';
import { cursorInQuery, listOfSchedules, type ScheduleQuery } from '../../http/schedule-lists.ts';
import { SchedulesOver } from '../../messaging/schedules-over.ts';
import { byStart } from '../../mission/schedule/schedule.ts';
import { atOnce, Buckets } from '../messaging/cell-of-buckets.ts';
import { AOS, at, MINUTE, storedSchedule } from '../mission/schedule/records.ts';
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

/** Lists of schedules at hand and of others that have long been final; what those were asked for, and the passes. */
function world(atHand: readonly StoredSchedule[], over: readonly StoredSchedule[] = []) {
  const asked: object[] = [];
  const sought: string[] = [];
  const read = async (time: object, _: number, wanted: (each: StoredSchedule) => boolean) => {
    asked.push(time);
    return over.filter(wanted);
  };
  const ports = {
    schedules: {
      schedules: () => atHand,
      get: (id: string) => atHand.find((each) => each.id === id),
      ofTarget: () => [],
    },
    schedulesOver: { list: read, search: read },
    passes: {
      find: (target: string, name: string) => {
        sought.push(`${target} ${name}`);
        return name === 'contributed' ? { id: 'p1' } : undefined;
      },
    },
  } as unknown as RoutePorts;
  const list = async (query: ScheduleQuery) => {
    const { schedules, next } = await listOfSchedules(query, ports);
    return { ids: schedules.map(({ id }) => id), states: schedules.map(({ state }) => state), next };
  };
  return { list, asked, sought };
}

describe('MC-SCH-015 a list of schedules', () => {
  // Each lasts two minutes from its start.
  const starting = (id: string, minutes: number, more: Partial<StoredSchedule> = {}) =>
    storedSchedule({ id, fire_at: at(minutes * MINUTE), ...more });

  it('has those that overlap the time, and not those that end as it begins or begin as it ends', async () => {
    const { list } = world([0, 1, 2, 3, 4, 5, 6].map((minutes) => starting(`s${minutes}`, minutes)));
    const [from, to] = [AOS + 3 * MINUTE, AOS + 5 * MINUTE];
    expect((await list({ from, to })).ids).toEqual(['s2', 's3', 's4']);
    expect((await list({ from })).ids).toEqual(['s2', 's3', 's4', 's5', 's6']);
    expect((await list({ to })).ids).toEqual(['s0', 's1', 's2', 's3', 's4']);
  });

  it('has each identifier once: as it is at hand, or else as it was changed last', async () => {
    const over = (id: string, state: StoredSchedule['state'], changed: number) =>
      starting(id, 1, { state, updated_at: at(changed) });
    const { list } = world(
      [starting('a', 2)],
      [
        over('a', 'missed', 5),
        over('b', 'missed', 5),
        over('b', 'cancelled', 6),
        over('c', 'missed', 8),
        over('c', 'cancelled', 7),
      ],
    );
    expect(await list({ all: true })).toMatchObject({
      ids: ['b', 'c', 'a'],
      states: ['cancelled', 'missed', 'scheduled'],
    });
    expect((await list({})).ids).toEqual(['a']);
  });

  it('asks for no more of those that are long final than the time and where it goes on', async () => {
    const { list, asked } = world([]);
    await list({ all: true, from: 1, to: 2, after: { start: 3, created: 4, id: 'x' } });
    expect(asked).toEqual([{ from: 1, to: 2, since: 3 }]);
  });

  it('of a pass by the name of a contribution looks that up once for each target', async () => {
    const { list, sought } = world([
      starting('a', 1),
      starting('b', 2),
      starting('c', 3, { pass: 'p2' }),
      starting('d', 4, { target: 'sat2' }),
      starting('e', 5, { target: 'sat2', pass: 'p2' }),
    ]);
    expect((await list({ pass: 'contributed' })).ids).toEqual(['a', 'b', 'd']);
    expect(sought).toEqual(['sat1 contributed', 'sat2 contributed']);
    expect((await list({ pass: 'p2' })).ids).toEqual(['c', 'e']);
    expect((await list({ pass: 'p3' })).ids).toEqual([]);
  });

  it('goes on where it was cut, in the order of start, creation and identifier, with each schedule once', async () => {
    // Of each start many, of each creation a few: every way to go on is taken.
    const count = 2 * SCHEDULE_LIST_MOST + 7;
    const all = Array.from({ length: count }, (_, n) =>
      starting(`s${String((n * 7_919) % count).padStart(6, '0')}`, Math.floor(n / (SCHEDULE_LIST_MOST - 3)), {
        created_at: at(-MINUTE * (n % 5)),
      }),
    ).sort(byStart);
    const { list } = world(all);
    const found: string[][] = [];
    let after: ScheduleQuery['after'];
    for (let page = 0; page === 0 || after !== undefined; page += 1) {
      expect(page).toBeLessThan(4);
      const { ids, next } = await list({ after });
      found.push(ids);
      after = next === undefined ? undefined : cursorInQuery.parse(next);
      expect(after === undefined).toBe(next === undefined);
    }
    expect(found.map(({ length }) => length)).toEqual([SCHEDULE_LIST_MOST, SCHEDULE_LIST_MOST, 7]);
    expect(found.flat()).toEqual(all.map(({ id }) => id));
    // One that has all there are does not go on.
    expect((await world(all.slice(0, SCHEDULE_LIST_MOST)).list({})).next).toBeUndefined();
  });

  it('goes on behind what is a cursor, and behind nothing else', () => {
    expect(cursorInQuery.parse('-5.6.a_b-C')).toEqual({ start: -5, created: 6, id: 'a_b-C' });
    for (const text of [
      '',
      'x1.2.a',
      '1.2.a b',
      '1.2.',
      '1.2',
      '1.2.a.b',
      '12345678901234567.1.a',
      `1.2.${'a'.repeat(301)}`,
    ])
      expect([text, cursorInQuery.parse(text)]).toEqual([text, undefined]);
  });
});
