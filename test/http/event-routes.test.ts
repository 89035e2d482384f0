/** The routes of the log of events, with a real archive behind them: every status, every form, every bound. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../contract/event.ts';
import { EVENT_FILTER_VALUES } from '../../contract/limits/event.ts';
import { listAlarmEvents } from '../../http/routes/alarm-events.ts';
import { eventFollows, eventRoutes } from '../../http/routes/events.ts';
import { listTelecommands } from '../../http/routes/telecommand-history.ts';
import { Coverage } from './coverage.ts';
import { type Answer, codesOf } from './fixture.ts';
import { type HistoryWorld, HOUR, startHistoryWorld } from './history-world.ts';
import { PROVIDER } from './world.ts';

const routes = [...eventRoutes, listAlarmEvents, listTelecommands];
const coverage = new Coverage(routes, eventFollows);
const ID = (n: number): string => `01J5ZK3M8QW7V9XH2C4T6R8Y${String(n).padStart(2, '0')}`;

function tcEvent(n: number, state: string): LoggedEvent {
  const time = new Date(HOUR + n * 1_000).toISOString();
  const text = state === 'PENDING' ? 'ada sent obc.ping to sat1.' : `obc.ping for sat1 is ${state}.`;
  const data = JSON.stringify({ tc: ID(n), state, at: time });
  const known = {
    time,
    kind: 'telecommand',
    target: 'sat1',
    subject: ID(n),
    name: 'obc.ping',
    by: 'ada',
  } as const;
  return {
    ...known,
    severity: state === 'PENDING' ? 'info' : 'detail',
    state,
    text,
    source: `T:${n}-${state}`,
    data,
  };
}

const ALARM = {
  target: 'sat1',
  component: 'battery',
  instance: '1',
  alarm: 'voltage',
  previous: 'NORMAL',
  state: 'ACTIVE_UNACK',
  seq: 1,
  at: new Date(HOUR).toISOString(),
  cause: 'condition',
} as const;

let world: HistoryWorld;
beforeAll(async () => {
  world = await startHistoryWorld(routes, eventFollows);
  for (let n = 1; n <= 5; n += 1) {
    const events = [tcEvent(n, 'PENDING'), tcEvent(n, 'SENT')];
    await world.archive.record({ position: n, storedMs: HOUR + n * 1_000, batch: { events } });
    if (n === 3) await world.archive.flush();
  }
  const alarm: LoggedEvent = {
    time: ALARM.at,
    kind: 'alarm',
    severity: 'critical',
    target: 'sat1',
    subject: 'sat1.battery.1.voltage',
    name: 'battery[1].voltage',
    text: 'Alarm battery[1].voltage of sat1, "voltage", was raised.',
    source: 'A:1',
    data: JSON.stringify(ALARM),
  };
  await world.archive.record({ position: 7, storedMs: HOUR + 7_000, batch: { events: [alarm] } });
});
afterAll(() => world.stop());

const ask = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  coverage.call(`${world.url}${path}`, { headers });
const texts = ({ body }: Answer): string[] => body.events.map(({ text }: { text: string }) => text);

describe('GET /v1/events', () => {
  it('is the log, the newest first, with what is lost; details where they are asked for', async () => {
    const { status, body } = await ask('/v1/events');
    expect([status, body.events.length, body.damaged, body.pending]).toEqual([200, 6, 0, 0]);
    expect(body.events[0]).toMatchObject({ id: 'S1.7.0', kind: 'alarm', time: ALARM.at });
    expect(body.gaps).toEqual([expect.objectContaining({ messages: 1 })]);
    expect((await ask('/v1/events?severity=detail')).body.events).toHaveLength(11);
    expect((await ask('/v1/events?kinds=telecommand')).body.events).toHaveLength(10);
    expect((await ask('/v1/events?severity=critical')).body.events).toHaveLength(1);
    expect((await ask('/v1/events?targets=sat2')).body.events).toEqual([]);
    const [only] = (await ask('/v1/events?kinds=alarm&data=true')).body.events;
    expect(only.data).toEqual(ALARM);
  });

  it('goes on behind a cursor, and is rows where those are wanted', async () => {
    const first = await ask('/v1/events?limit=4');
    const rest = await ask(`/v1/events?limit=4&cursor=${first.body.next}`);
    expect([...texts(first), ...texts(rest)]).toEqual(texts(await ask('/v1/events')));
    const csv = await fetch(`${world.url}/v1/events?limit=1`, { headers: { accept: 'text/csv' } });
    const [heading, row] = (await csv.text()).split('\n');
    expect(csv.headers.get('x-mcs-next')).toBe('S1.7.0');
    expect(heading).toContain('time,kind,severity');
    expect(row).toContain('"Alarm battery[1].voltage of sat1, ""voltage"", was raised."');
  });

  it.each([
    ['kinds=nothing', 'kinds'],
    ['targets=a.b', 'targets'],
    ['severity=bad', 'severity'],
    ['cursor=x', 'cursor'],
    ['limit=x', 'limit'],
    ['text=', 'text'],
    [`targets=${Array.from({ length: EVENT_FILTER_VALUES + 1 }, (_, n) => `s${n}`).join()}`, 'targets'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
  ])('refuses %s', async (query, named) => {
    const answer = await ask(`/v1/events?${query}`);
    expect([answer.status, codesOf(answer)]).toEqual([400, ['api::invalid-body']]);
    expect(JSON.stringify(answer.body)).toContain(named);
  });
});

describe('what of it has routes of its own', () => {
  it('telecommands are listed once, by what they reached', async () => {
    const { body } = await ask('/v1/tc?limit=2');
    expect(body.telecommands.map(({ id }: { id: string }) => id)).toEqual([ID(5), ID(4)]);
    expect(body.telecommands[0]).toMatchObject({
      telecommand: 'obc.ping',
      reached: 'PENDING',
      state: 'SENT',
    });
    expect((await ask('/v1/tc?state=SENT')).body.telecommands).toHaveLength(5);
    expect((await ask('/v1/tc?state=VERIFIED')).body.telecommands).toEqual([]);
    expect((await ask('/v1/tc?name=obc.reset')).body.telecommands).toEqual([]);
    expect(codesOf(await ask('/v1/tc?state=GONE'))).toEqual(['api::invalid-body']);
  });

  it('transitions of alarms come as the watch gave them', async () => {
    expect((await ask('/v1/alarms/events?target=sat1&alarm=battery[1].voltage')).body.events).toEqual([
      ALARM,
    ]);
    expect((await ask('/v1/alarms/events?alarm=battery[2].voltage')).body.events).toEqual([]);
    expect(codesOf(await ask('/v1/alarms/events?alarm=x'))).toEqual(['api::invalid-body']);
  });
});

const PATHS = ['/v1/events', '/v1/tc', '/v1/alarms/events'];

it('an archive that does not answer is said as it is for samples', async () => {
  const faults = [
    'archive::invalid',
    'archive::none',
    'archive::unanswered',
    'archive::busy',
    'archive::failed',
  ] as const;
  for (const code of faults) {
    world.refuseWith({ code, message: 'as the test says' });
    for (const path of PATHS) expect(codesOf(await ask(path))).toEqual([code]);
  }
  world.refuseWith(undefined);
  world.connect(false);
  for (const path of PATHS) {
    const answer = await ask(path);
    expect([answer.status, codesOf(answer)]).toEqual([503, ['api::unavailable']]);
  }
  const { refused } = await coverage.follow(`${world.url}/v1/events/watch`);
  expect(codesOf(refused!)).toEqual(['api::unavailable']);
  world.connect(true);
});

it('asks who calls, as every route does, and shows what is new', async () => {
  const bearer = { authorization: 'Bearer x' };
  const watch = `${world.url}/v1/events/watch`;
  const bad = await coverage.follow(`${watch}?kinds=nothing`);
  expect(codesOf(bad.refused!)).toEqual(['api::invalid-body']);
  for (const path of PATHS) expect(codesOf(await ask(path, bearer))).toEqual(['auth::no-provider']);
  expect(codesOf((await coverage.follow(watch, bearer)).refused!)).toEqual(['auth::no-provider']);
  const mission = world.missions.current!;
  const auth = { ...PROVIDER, required: true };
  world.missions.publish({ ...mission, settings: { ...mission.settings, auth } });
  for (const path of PATHS) {
    expect(codesOf(await ask(path))).toEqual(['auth::token-required']);
    expect(codesOf(await ask(path, bearer))).toEqual(['auth::invalid-token']);
  }
  expect(codesOf((await coverage.follow(watch)).refused!)).toEqual(['auth::token-required']);
  expect(codesOf((await coverage.follow(watch, bearer)).refused!)).toEqual(['auth::invalid-token']);
  world.missions.publish(mission);
  (await coverage.open(watch)).close();
});

it('every status and code of the log was seen', () => {
  expect(coverage.missing()).toEqual([]);
});
