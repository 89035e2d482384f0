/** The routes of connectors on a real bus: lags of real consumers, and what is lost of them. */

import { connect, type JetStreamManager, jwtAuthenticator, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { ConnectorView } from '../../contract/connector.ts';
import type { ConnectorRead, ReadPosition } from '../../contract/connector-wire.ts';
import { CONNECTOR_LAGS_KEPT_MS } from '../../contract/limits/connector.ts';
import { readStoredConnector } from '../../contract/stored-connector.ts';
import { connectorRoutes } from '../../http/routes/connectors.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { ConnectorRegistration, type ConnectorState } from '../../messaging/connector-registration.ts';
import type { Clock } from '../../ports/clock.ts';
import { realClock } from '../../supervision/clock.ts';
import { quiet } from '../support/nats.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, codesOf } from './fixture.ts';
import { PROVIDER, startWorld, type World } from './world.ts';

const coverage = new Coverage(connectorRoutes);
const SUPERVISOR = { 'x-mcs-user': 'ada', 'x-mcs-role': 'supervisor' };
/** A connector lives for three of its periods behind its last heartbeat: longer than any machine stands still. */
const PERIOD_MS = 5_000;
/** And says how it is this much more often than it has to. */
const TIMES_MORE_OFTEN = 25;

let world: World;
let frontEnd: FrontEnd;
let client: NatsConnection;
let jsm: JetStreamManager;
/** What front ends keep of lags is old as soon as a test says so. */
let skewMs = 0;
const clock: Clock = {
  now: () => realClock.now(),
  monotonic: () => realClock.monotonic() + skewMs,
  setTimeout: (fire, delayMs) => realClock.setTimeout(fire, delayMs),
  clearTimeout: (handle) => realClock.clearTimeout(handle),
};

beforeAll(async () => {
  // One front end: which of two receives a registration is not said, and the other one knows of it a moment later.
  world = await startWorld(clock);
  frontEnd = world.frontEnd;
  const { jwt, seed } = world.nats.credentials;
  client = await connect({
    servers: world.nats.url,
    authenticator: jwtAuthenticator(jwt, Buffer.from(seed)),
  });
  jsm = await client.jetstreamManager();
});
afterAll(async () => {
  await client?.close();
  await world.stop();
});

const said = (answer: Answer): [number, string[]] => [answer.status, codesOf(answer)];
const list = (headers: Record<string, string> = {}): Promise<Answer> =>
  coverage.call(`${frontEnd.url}/v1/connectors`, { headers });
const remove = (name: string, headers: Record<string, string> = SUPERVISOR): Promise<Answer> =>
  coverage.call(`${frontEnd.url}/v1/connectors/${name}`, { method: 'DELETE', headers });

/** As it stands now, and not some seconds ago. */
async function connector(name: string): Promise<ConnectorView> {
  skewMs += CONNECTOR_LAGS_KEPT_MS + 1;
  const { body } = await list();
  return body.connectors.find((each: ConnectorView) => each.name === name);
}

async function register(
  name: string,
  data: readonly ConnectorRead[],
  { targets, instance = `${name}-1`, state = (): ConnectorState => ({ health: { state: 'ok' } }) } = {} as {
    readonly targets?: readonly string[];
    readonly instance?: string;
    readonly state?: () => ConnectorState;
  },
): Promise<ConnectorRegistration> {
  const registration = new ConnectorRegistration({
    bus: world.bus,
    clock: {
      ...realClock,
      setTimeout: (fire, delayMs) => realClock.setTimeout(fire, delayMs / TIMES_MORE_OFTEN),
    },
    log: quiet,
    name,
    instance,
    software: { name: 'test', version: '1.0.0' },
    data,
    periodMs: PERIOD_MS,
    state,
    ...(targets !== undefined && { targets }),
  });
  await until(() => registration.registered, { what: `${name} registers` });
  return registration;
}

async function alarms(count: number, target = 'sat1'): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const about = subject.alarmEvent({ target, component: 'eps', alarm: 'low' });
    await world.bus.append(streams.alarms, about, Buffer.from(`{"n":${at}}`));
  }
}

describe('GET /v1/connectors', () => {
  const read = { kind: 'alarms', consumer: 'old-alarms', by: 'position' };
  it.each([
    ['data of a later version', { connector: { data: [{ ...read, kind: 'spectra' }] } }, {}],
    ['a way to read of a later version', { connector: { data: [{ ...read, by: 'replica' }] } }, {}],
    ['targets that are no names', { connector: { targets: ['no name'], data: [read] } }, {}],
    ['a position that is none', {}, { positions: { 'old-alarms': { position: 3 } } }],
    ['a position that is no number', {}, { positions: { 'old-alarms': { seq: 'third' } } }],
    ['a time that is none', {}, { last_heard: 'yesterday' }],
  ])('stored-connector.S3 lists the others where the record of one has %s', async (what, document, more) => {
    const name = `old-${what.replaceAll(' ', '-')}`;
    const at = new Date().toISOString();
    const record = {
      registered: {
        document: {
          kind: 'connector',
          name,
          instance: `${name}-1`,
          software: { name: 'test', version: '9.0.0' },
          heartbeat_period_ms: PERIOD_MS,
          connector: { data: [read] },
          ...document,
        },
        at,
        alive: false,
        health: { state: 'ok' },
        last_heard: at,
        ...more,
      },
    };
    await world.bus.bucket(buckets.connectors).overwrite(name, Buffer.from(JSON.stringify(record)));
    await until(() =>
      world.log.lines.some(
        ({ message, fields }) =>
          message === 'malformed connector: left out' && (fields as { key?: string }).key === name,
      ),
    );
    skewMs += CONNECTOR_LAGS_KEPT_MS + 1;
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body.connectors.map((each: ConnectorView) => each.name)).not.toContain(name);
    await world.bus.bucket(buckets.connectors).overwrite(name, Buffer.from('{}'));
  });

  it('MC-CONN-001..005 MC-ALM-057 shows a connector that takes alarms, with the lag of its durable consumer', async () => {
    await jsm.consumers.add('ALARMS', { durable_name: 'wh-alarms', ack_policy: 'explicit' as never });
    const read = { kind: 'alarms', consumer: 'wh-alarms', by: 'consumer' } as const;
    const registration = await register('warehouse', [read]);
    await alarms(5);
    const messages = await client.jetstream().consumers.get('ALARMS', 'wh-alarms');
    const taken = await messages.fetch({ max_messages: 2, expires: 30_000 });
    for await (const message of taken) if (message.seq === 1) await message.ackAck();
    const shown = await connector('warehouse');
    expect(shown).toMatchObject({
      name: 'warehouse',
      data: ['alarms'],
      targets: [...world.mission.targets.keys()].sort(),
      instance: {
        kind: 'connector',
        instance: 'warehouse-1',
        software: { name: 'test', version: '1.0.0' },
        alive: true,
      },
      lags: [
        {
          connector: 'warehouse',
          kind: 'alarms',
          stream: 'ALARMS',
          consumer: 'wh-alarms',
          active: true,
          at_risk: false,
          pending: 3,
          unacked: 1,
          lag_seconds: expect.any(Number),
          oldest_unread: expect.any(String),
          retention_seconds: 90 * 86_400,
        },
      ],
    });
    expect(shown.lags[0]!.lag_seconds).toBeGreaterThan(0);
    await registration.stop();
    const left = await connector('warehouse');
    expect(left.instance).toBeNull();
    expect(left.lags).toMatchObject([{ active: false, pending: 3, unacked: 1 }]);
  });

  it('says what a stream discarded before a dead connector had read it: how many, since when', async () => {
    await alarms(6);
    const { config } = await jsm.streams.info('ALARMS');
    await jsm.streams.update('ALARMS', { ...config, max_msgs: 3 });
    const reason = async () => (await connector('warehouse')).lags[0]!.reason;
    // Eleven were there, two of them were delivered, three stand.
    expect(await reason()).toContain('ALARMS discarded 6 messages before they were read, since 20');
    const said = 'messages were discarded before a connector had read them';
    expect(world.log.lines.filter(({ message }) => message === said)).toHaveLength(1);
    await alarms(2);
    expect(await reason()).toContain('ALARMS discarded 8 messages');
    await jsm.streams.update('ALARMS', { ...config, max_msgs: -1 });
    // Read to the end: what is lost stays known, and nothing is counted twice.
    const messages = await client.jetstream().consumers.get('ALARMS', 'wh-alarms');
    const taken = await messages.fetch({ max_messages: 3, expires: 30_000 });
    for await (const message of taken) await message.ackAck();
    const after = await connector('warehouse');
    expect(after.lags).toMatchObject([{ pending: 0, unacked: 0, lag_seconds: 0, at_risk: false }]);
    expect(after.lags[0]!.reason).toContain('discarded 8 messages');
  });

  it('of a connector that keeps its position itself the lag comes from the stream', async () => {
    const positions: Record<string, ReadPosition> = {};
    const read = { kind: 'alarms', consumer: 'at', by: 'position' } as const;
    const state = (): ConnectorState => ({ health: { state: 'ok' }, positions: { ...positions } });
    const all = await register('by-position', [read], { state });
    expect((await connector('by-position')).lags).toMatchObject([
      { consumer: 'at', active: false, at_risk: false, reason: 'it has not said yet how far it is' },
    ]);
    const { state: before } = await jsm.streams.info('ALARMS');
    await alarms(4);
    positions.at = { seq: before.last_seq + 1 };
    const pending = async () => (await connector('by-position')).lags[0]!.pending;
    await until(async () => (await pending()) === 3, { what: 'three unread' });
    expect((await connector('by-position')).lags[0]).not.toHaveProperty('held');
    // It stores many at once: what it has taken is unread, and not behind.
    const stores_at = '2026-01-02T03:04:05.678Z';
    const lag = async () => (await connector('by-position')).lags[0]!;
    positions.at = { seq: before.last_seq + 1, taken: { seq: before.last_seq + 3, stores_at } };
    await until(async () => (await lag()).held === 2, { what: 'two held' });
    expect(await lag()).toMatchObject({ pending: 3, held: 2, stores_at });
    positions.at = { seq: before.last_seq + 1, taken: { seq: before.last_seq + 4 } };
    await until(async () => (await lag()).held === 3, { what: 'all held' });
    expect(await lag()).toMatchObject({ pending: 3, behind_seconds: 0, at_risk: false });
    expect(await lag()).not.toHaveProperty('stores_at');
    expect((await lag()).lag_seconds).toBeGreaterThan(0);
    positions.at = { seq: before.last_seq + 4, taken: { seq: before.last_seq + 4 } };
    await until(async () => (await lag()).held === 0, { what: 'nothing held' });
    positions.at = { seq: before.last_seq + 1 };
    await until(async () => (await pending()) === 3, { what: 'three unread again' });
    const some = await register('of-one-target', [read], { state, targets: ['nowhere'] });
    await until(async () => (await connector('of-one-target')).lags[0]!.active, { what: 'its position' });
    expect((await connector('of-one-target')).lags).toMatchObject([
      { pending: 0, lag_seconds: 0, at_risk: false },
    ]);
    await Promise.all([all.stop(), some.stop()]);
  });

  it('stored-connector.S4 a position may be called as what every object has, and one that is not said is not known', async () => {
    const positions: Record<string, ReadPosition> = {};
    const names = ['constructor', '__proto__', 'toString'];
    const data = names.map((consumer) => ({ kind: 'alarms', consumer, by: 'position' }) as const);
    const state = (): ConnectorState => ({ health: { state: 'ok' }, positions });
    const registration = await register('of-all-names', data, { state });
    expect((await list()).status).toBe(200);
    const unknown = { active: false, pending: 0, reason: 'it has not said yet how far it is' };
    const lags = async () => (await connector('of-all-names')).lags;
    expect(await lags()).toMatchObject(names.map((consumer) => ({ consumer, ...unknown })));
    const lost = { messages: 7, since: '2026-01-02T03:04:05.678Z' };
    const { state: before } = await jsm.streams.info('ALARMS');
    for (const name of names) {
      const value = { seq: before.last_seq, lost };
      Object.defineProperty(positions, name, { value, enumerable: true, configurable: true });
    }
    await until(async () => (await lags()).every(({ active }) => active), { what: 'its positions' });
    const reason = 'ALARMS discarded 7 messages before they were read, since 2026-01-02T03:04:05.678Z';
    expect(await lags()).toMatchObject(names.map((consumer) => ({ consumer, at_risk: false, reason })));
    const record = async () => {
      const entry = await world.bus.bucket(buckets.connectors).get('of-all-names');
      return readStoredConnector(entry!.value)!;
    };
    await until(async () => Object.keys((await record()).lost ?? {}).length === names.length, {
      what: 'what is lost to be recorded',
    });
    // A position behind the end of the stream is at risk.
    for (const name of names) {
      const value = { seq: before.last_seq + 1_000 };
      delete positions[name];
      Object.defineProperty(positions, name, { value, enumerable: true, configurable: true });
    }
    await until(async () => {
      await lags();
      return (
        Object.values((await record()).risk ?? {}).filter((each) => each.at_risk).length === names.length
      );
    });
    await registration.stop();
  });

  it('a consumer that is not there is at risk: nothing keeps its place', async () => {
    const read = { kind: 'runs', consumer: 'nobody', by: 'consumer' } as const;
    const registration = await register('lost-place', [read]);
    expect((await connector('lost-place')).lags).toMatchObject([
      { active: false, at_risk: true, reason: 'stream RUNS has no consumer nobody' },
    ]);
    await registration.stop();
  });

  it('MC-CONN-006 is 503 without a configuration', async () => {
    world.missions.publish(undefined);
    expect(said(await list())).toEqual([503, ['api::no-configuration']]);
    world.missions.publish(world.mission);
  });
});

describe('DELETE /v1/connectors/{connector}', () => {
  it('takes one that is no more out of the list, with its durable consumers, for supervisors', async () => {
    const read = { kind: 'alarms', consumer: 'gone-alarms', by: 'consumer' } as const;
    await jsm.consumers.add('ALARMS', { durable_name: 'gone-alarms', ack_policy: 'explicit' as never });
    const registration = await register('gone', [read]);
    expect(said(await remove('gone', {}))).toEqual([403, ['connector::not-supervisor']]);
    expect(said(await remove('gone'))).toEqual([409, ['connector::alive']]);
    await registration.stop();
    expect((await remove('gone')).status).toBe(204);
    expect(said(await remove('gone'))).toEqual([404, ['connector::unknown']]);
    await expect(jsm.consumers.info('ALARMS', 'gone-alarms')).rejects.toThrow('consumer not found');
  });
});

const each = async (headers: Record<string, string>) => [
  said(await list(headers)),
  said(await remove('never-seen', { ...SUPERVISOR, ...headers })),
];
const alike = (status: number, code: string) => Array.from({ length: 2 }, () => [status, [code]]);

describe('every route of connectors', () => {
  it('MC-AUTH-001 asks for a token where one is required, and refuses a wrong one', async () => {
    const bearer = { authorization: 'Bearer wrong' };
    expect(await each(bearer)).toEqual(alike(401, 'auth::no-provider'));
    const settings = { ...world.mission.settings, auth: { ...PROVIDER, required: true } };
    world.missions.publish({ ...world.mission, settings });
    expect(await each({})).toEqual(alike(401, 'auth::token-required'));
    expect(await each(bearer)).toEqual(alike(401, 'auth::invalid-token'));
    world.missions.publish(world.mission);
  });

  it('MC-GEN-007 refuses a query, and what is no name', async () => {
    expect(said(await coverage.call(`${frontEnd.url}/v1/connectors?x=1`))).toEqual([
      400,
      ['api::invalid-body'],
    ]);
    expect(said(await remove('gone?x=1'))).toEqual([400, ['api::invalid-body']]);
    expect(said(await remove('a.b'))).toEqual([404, ['api::invalid-instance']]);
  });

  it('MC-CONN-006 answers 503 while the bus is away', async () => {
    await world.nats.kill();
    await until(() => !world.bus.connected);
    expect(await each({})).toEqual(alike(503, 'api::unavailable'));
    await world.nats.start();
    await until(() => world.bus.connected);
  });
});

it('every status and code of the routes of connectors was seen', () => {
  expect(coverage.missing()).toEqual([]);
});
