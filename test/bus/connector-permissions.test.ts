/**
 * The permissions that the guide for connectors (`docs/connectors.md`) asks an administrator to give, on a real server
 * in operator mode: what a connector needs works with them, and no other subject of the contract does.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AckPolicy, connect, jwtAuthenticator, type NatsConnection } from 'nats';
import { encodeUser } from 'nats-jwt';
import { createUser, fromPublic } from 'nkeys.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signingKey } from '../../bus/signing-key.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { Connectors } from '../../messaging/connectors.ts';
import { realClock } from '../../supervision/clock.ts';
import { delivered, everySubject, isWildcard, refusedToReceive } from '../support/bus-permissions.ts';
import { quiet, startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const NAME = 'warehouse';
const CONSUMER = 'warehouse-alarms';
const STREAM = streams.alarms.name;
const INBOX = `_CONNECTOR.${NAME}`;
const ALARM = { target: 'sat1', component: 'eps', instance: '1', alarm: 'low' };

let nats: TestNats;
let service: NatsConnection;
let client: NatsConnection;
let allowed: string[];

/** Of the guide, with the names of this connector. */
async function publishable(): Promise<string[]> {
  const guide = await readFile(new URL('../../docs/connectors.md', import.meta.url), 'utf8');
  const [, block = ''] = /<!-- permissions -->\n```\n([\s\S]*?)```/.exec(guide) ?? [];
  const names: Record<string, string> = { stream: STREAM, consumer: CONSUMER, name: NAME };
  return block
    .split(/\s+/)
    .filter(Boolean)
    .map((text) => text.replace(/<(\w+)>/g, (_, name: string) => names[name] ?? ''));
}

beforeAll(async () => {
  nats = await startNats();
  const { jwt, seed } = nats.credentials;
  const authenticator = jwtAuthenticator(jwt, Buffer.from(seed));
  service = await connect({ servers: nats.url, authenticator });
  const manager = await service.jetstreamManager();
  await manager.streams.add({ name: STREAM, subjects: [...streams.alarms.subjects] });
  // Whoever runs the bus makes it.
  await manager.consumers.add(STREAM, { durable_name: CONSUMER, ack_policy: AckPolicy.Explicit });
  const keys = JSON.parse(await readFile(join(nats.stateDir, 'keys.json'), 'utf8')) as Record<string, string>;
  allowed = await publishable();
  const user = createUser();
  const token = await encodeUser(
    NAME,
    fromPublic(user.getPublicKey()),
    signingKey(keys['serviceSigner']!),
    {
      issuer_account: nats.unitSigner.account,
      pub: { allow: allowed, deny: [] },
      sub: { allow: [`${INBOX}.>`], deny: [] },
    },
    {},
  );
  client = await connect({
    servers: nats.url,
    authenticator: jwtAuthenticator(token, user.getSeed()),
    inboxPrefix: INBOX,
    reconnect: false,
  });
});
afterAll(async () => {
  await client?.close();
  await service?.close();
  await nats.stop();
});

describe('the permissions of the guide', () => {
  it('let a connector read and acknowledge with its consumer, register, and say that it is there', async () => {
    expect(allowed).toHaveLength(5);
    const at = subject.alarmEvent(ALARM);
    await service.jetstream().publish(at, Buffer.from('{"seq":1}'));
    const jetstream = client.jetstream({ checkAPI: false } as never);
    const consumer = await jetstream.consumers.get(STREAM, CONSUMER);
    const message = await consumer.next({ expires: 5_000 });
    expect(message?.subject).toBe(at);
    expect(await message?.ackAck()).toBe(true);
    expect((await consumer.info()).num_pending).toBe(0);
    for (const about of [`mcs.ctl.register.connector.${NAME}`, `mcs.ctl.heartbeat.connector.${NAME}`]) {
      const served = service.subscribe(about, { callback: (_, asked) => void asked.respond('"taken"') });
      await service.flush();
      expect((await client.request(about, '{}', { timeout: 5_000 })).string()).toBe('"taken"');
      served.unsubscribe();
    }
  });

  it('open no other subject of the contract, no other consumer, and no way to make one', async () => {
    const subjects = everySubject('warehouse-2', 'sat2');
    expect(await refusedToReceive(client, [...subjects, '_CONNECTOR.>', '_CONNECTOR.other.>'])).toEqual([
      ...subjects,
      '_CONNECTOR.>',
      '_CONNECTOR.other.>',
    ]);
    const api = [
      `$JS.API.CONSUMER.DURABLE.CREATE.${STREAM}.mine`,
      `$JS.API.CONSUMER.CREATE.${STREAM}`,
      `$JS.API.CONSUMER.DELETE.${STREAM}.${CONSUMER}`,
      `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.other`,
      `$JS.API.STREAM.MSG.GET.${STREAM}`,
      `$JS.API.STREAM.PURGE.${STREAM}`,
      `$JS.API.STREAM.DELETE.${STREAM}`,
      `$JS.ACK.${STREAM}.other.1.1.1.1.1`,
      'mcs.ctl.register.connector.other',
      'mcs.ctl.heartbeat.connector.other',
    ];
    const sendable = [...subjects.filter((about) => !isWildcard(about)), ...api];
    expect(await delivered(nats, client, sendable)).toEqual([]);
  });

  it('bus/identity.I6 bus.P6 have answers of this service go to an inbox, and never to a subject of anybody else', async () => {
    const bus = await nats.connected({ name: 'front-end' });
    const connectors = new Connectors({ bus, clock: realClock, log: quiet });
    connectors.start();
    const document = JSON.stringify({
      kind: 'connector',
      name: NAME,
      instance: 'warehouse-1',
      software: { name: NAME, version: '2.1.0' },
      heartbeat_period_ms: 2_000,
      connector: { data: [{ kind: 'alarms', consumer: CONSUMER, by: 'consumer' }] },
    });
    const beat = JSON.stringify({ instance: 'warehouse-1', health: { state: 'ok' } });
    const register = (by: NatsConnection) =>
      by.request(subject.connectorRegister(NAME), document, { timeout: 5_000 });
    await until(() => register(client).catch(() => undefined), { what: 'the front end' });

    const own = [subject.connectorRegister(NAME), subject.connectorHeartbeat(NAME)];
    const foreign = [
      ...everySubject('warehouse-2', 'sat2').filter(
        (about) => !isWildcard(about) && !/^_(?:INBOX|MCS)\./.test(about),
      ),
      subject.unitVerb('bench-07', 'reboot'),
      '$KV.mcs_config.current',
      '$JS.API.STREAM.PURGE.KV_mcs_config',
      '_CONNECTOR.other.x',
      INBOX,
    ].filter((about) => !own.includes(about));
    const arrived: string[] = [];
    const listening = foreign.map((about) =>
      service.subscribe(about, { callback: (_error, message) => void arrived.push(message.subject) }),
    );
    await service.flush();
    for (const reply of foreign) {
      client.publish(subject.connectorHeartbeat(NAME), beat, { reply });
      client.publish(subject.connectorRegister(NAME), document, { reply });
      client.publish(subject.connectorRegister(NAME), 'gibberish', { reply });
    }
    // What the front end answers behind these, it answers behind those.
    await client.request(subject.connectorHeartbeat(NAME), beat, { timeout: 5_000 });
    await service.flush();
    expect(arrived).toEqual([]);
    // With its own inbox, and with that of a client that nobody limits.
    for (const by of [client, service]) {
      expect((await register(by)).json()).toEqual({ ok: true, value: { registered: true } });
      const heard = await by.request(subject.connectorHeartbeat(NAME), beat, { timeout: 5_000 });
      expect(heard.json()).toEqual({ ok: true, value: { register: false } });
    }
    for (const each of listening) each.unsubscribe();
    await connectors.stop();
  });
});
