/**
 * Connectors beside a real service: how far they are behind, what is at risk and what was lost, in the view, in health,
 * metrics and the log of events; and what fifty of them cost.
 */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AckPolicy, connect, credsAuthenticator, type JetStreamManager, type NatsConnection } from 'nats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConnectorsView, ConnectorView } from '../../contract/connector.ts';
import type { EventPage } from '../../contract/event.ts';
import { CONNECTOR_LAGS_KEPT_MS } from '../../contract/limits/connector.ts';
import { call } from '../support/client.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { until } from '../support/until.ts';

const PATIENTLY = { timeoutMs: 60_000 };
const FRAME = Buffer.alloc(320_000);
/** Of all frames that are kept: room for some fifty of these. */
const ROOM_MB = 17;

interface Health {
  readonly filling?: readonly { readonly stream: string; readonly reason: string }[];
}

let folder: string;
let mcs: Mcs;
let client: NatsConnection;
let jsm: JetStreamManager;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcs-connectors-'));
  const mission = join(folder, 'mission');
  cpSync(DEMO, mission, { recursive: true });
  const config = join(mission, 'config.yaml');
  const stated = `nats: { replicas: 1, streams: { TM_FRAMES: { size: ${ROOM_MB} MB } } }`;
  writeFileSync(config, readFileSync(config, 'utf8').replace('nats: { replicas: 1 }', stated));
  const state = join(folder, 'state');
  mcs = await startMcs({
    args: ['serve', '--mission', mission, '--state', state, '--roles', 'api,archive,drivers'],
    env: { MCS_ARCHIVE_OPEN_MS: '500' },
    readyWithinMs: 120_000,
  });
  client = await connect({
    servers: mcs.nats,
    authenticator: credsAuthenticator(readFileSync(join(state, 'service.creds'))),
  });
  jsm = await client.jetstreamManager();
}, 150_000);
afterAll(async () => {
  await client?.close();
  await endAllMcs();
  rmSync(folder, { recursive: true, force: true });
});

async function said<Reply>(subject: string, document: object): Promise<Reply> {
  const asked = await client.request(subject, JSON.stringify(document), { timeout: 10_000 });
  return asked.json<Reply>();
}

/** As the guide has it: a document, and heartbeats from then on. */
async function register(name: string, data: readonly object[]): Promise<void> {
  const instance = `${name}-1`;
  const software = { name: 'test', version: '1.0.0' };
  const document = {
    kind: 'connector',
    name,
    instance,
    software,
    heartbeat_period_ms: 60_000,
    connector: { data },
  };
  const reply = await said<{ ok: boolean }>(`mcs.ctl.register.connector.${name}`, document);
  expect(reply).toEqual({ ok: true, value: { registered: true } });
}

async function frames(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await client.jetstream().publish('mcs.tm.frame.elsewhere', FRAME);
}

/** Takes so many and acknowledges them. */
async function read(count: number): Promise<void> {
  const consumer = await client.jetstream().consumers.get('TM_FRAMES', 'warehouse');
  const messages = await consumer.fetch({ max_messages: count, expires: 10_000 });
  for await (const message of messages) await message.ackAck();
}

async function view(name: string): Promise<ConnectorView | undefined> {
  const { status, body } = await call<ConnectorsView>('GET', `${mcs.api}/v1/connectors`);
  return status === 200 ? body.connectors.find((each) => each.name === name) : undefined;
}

const lagWhere = (is: (lag: ConnectorView['lags'][number]) => boolean) =>
  until(async () => {
    const [lag] = (await view('warehouse'))?.lags ?? [];
    return lag !== undefined && is(lag) && lag;
  }, PATIENTLY);

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${mcs.api}/metrics`)).text();
  const line = new RegExp(`^${name}\\{[^}]*connector="warehouse"[^}]*\\} (.*)$`, 'm').exec(text);
  return Number(line?.[1] ?? Number.NaN);
}

/** The sentences of the log about something. */
async function sentences(subject: string): Promise<string[]> {
  const { status, body } = await call<EventPage>('GET', `${mcs.api}/v1/events?subject=${subject}&limit=100`);
  return status === 200 ? body.events.map(({ text }) => text).reverse() : [];
}

it('MC-CONN-001 MC-CONN-003 shows how far a connector is behind once it has registered', async () => {
  await jsm.consumers.add('TM_FRAMES', { durable_name: 'warehouse', ack_policy: AckPolicy.Explicit });
  await register('warehouse', [{ kind: 'frames', consumer: 'warehouse', by: 'consumer' }]);
  expect(await lagWhere(({ active }) => active)).toMatchObject({
    pending: 0,
    lag_seconds: 0,
    at_risk: false,
  });
  await frames(1);
  expect(await lagWhere(({ pending }) => pending === 1)).toMatchObject({ stream: 'TM_FRAMES', unacked: 0 });
  await read(1);
  expect(await lagWhere(({ pending, unacked }) => pending + unacked === 0)).toMatchObject({ lag_seconds: 0 });
}, 90_000);

it('MC-CONN-003 says what will be lost before it is: view, health, metrics, event', async () => {
  await frames(43);
  // The service looks by itself as well, also while they come.
  const { reason } = await lagWhere(({ at_risk: atRisk, pending }) => atRisk && pending === 43);
  expect(reason).toMatch(/TM_FRAMES begins to discard what is not read: 43 messages wait/);
  expect(await metric('mcs_connector_at_risk')).toBe(1);
  expect(await metric('mcs_connector_lost_messages')).toBe(0);
  const filling = await until(async () => {
    const { body } = await call<Health>('GET', `${mcs.api}/healthz`);
    return body.filling?.find(({ stream }) => stream === 'TM_FRAMES');
  }, PATIENTLY);
  expect(filling.reason).toMatch(/% of TM_FRAMES is taken/);
  await until(async () => (await sentences('TM_FRAMES')).length > 0, PATIENTLY);
  expect(await sentences('TM_FRAMES')).toEqual([expect.stringMatching(/^The bus fills up: .*TM_FRAMES/)]);
  const about = await until(async () => {
    const found = await sentences('warehouse');
    return found.length >= 2 && found;
  }, PATIENTLY);
  expect(about.slice(0, 2)).toEqual([
    'Connector warehouse is alive.',
    expect.stringMatching(/^Connector warehouse is about to lose messages \(warehouse\): in /),
  ]);
}, 90_000);

it('MC-CONN-003 says what was lost, in all of them, and keeps saying it when the connector has read on', async () => {
  await frames(30);
  const { state } = await jsm.streams.info('TM_FRAMES');
  // The first one was read.
  const lost = state.first_seq - 2;
  expect(lost).toBeGreaterThan(10);
  const discarded = `TM_FRAMES discarded ${lost} messages before they were read`;
  await lagWhere(({ reason = '' }) => reason.includes(discarded));
  expect(await metric('mcs_connector_lost_messages')).toBe(lost);
  await until(
    async () => (await sentences('warehouse')).some((text) => text.includes(`${lost} since`)),
    PATIENTLY,
  );
  await read(state.messages);
  const after = await lagWhere(({ pending, unacked }) => pending + unacked === 0);
  expect(after).toMatchObject({
    at_risk: false,
    lag_seconds: 0,
    reason: expect.stringContaining(`discarded ${lost}`),
  });
}, 90_000);

it('connector-lags.G1 fifty connectors cost questions by their readers, and no more for a hundred that ask at once', async () => {
  const kinds = ['frames', 'samples', 'values', 'telecommands', 'runs', 'alarms', 'files', 'events'] as const;
  for (let n = 0; n < 50; n += 1)
    await register(
      `c${n}`,
      kinds.map((kind) => ({ kind, consumer: `at-${kind}`, by: 'position' })),
    );
  const zero = Object.fromEntries(kinds.map((kind) => [`at-${kind}`, { seq: 0 }]));
  const beat = { health: { state: 'ok' }, positions: zero };
  for (let n = 0; n < 50; n += 1)
    await said(`mcs.ctl.heartbeat.connector.c${n}`, { instance: `c${n}-1`, ...beat });
  await new Promise((resolve) => setTimeout(resolve, CONNECTOR_LAGS_KEPT_MS));
  let asked = 0;
  const spy = client.subscribe('$JS.API.>', { callback: () => (asked += 1) });
  await client.flush();
  const before = processorMs(mcs.child.pid!);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => call<ConnectorsView>('GET', `${mcs.api}/v1/connectors`)),
  );
  const took = processorMs(mcs.child.pid!) - before;
  spy.unsubscribe();
  const [first] = answers;
  const readers = first!.body.connectors.flatMap(({ lags }) => lags).length;
  expect(
    answers.every(
      ({ status, body }) => status === 200 && body.connectors.length === first!.body.connectors.length,
    ),
  ).toBe(true);
  expect(readers).toBeGreaterThanOrEqual(400);
  console.log(`${readers} readers, 100 answers: ${asked} questions to the bus, ${took} ms of processor time`);
  // One for the oldest message of each reader, and one for each stream; others of the service ask as well.
  expect(asked).toBeLessThanOrEqual(2 * readers + 100);
}, 120_000);

/** Of a process and its threads, ms. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
