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
import { delivered, everySubject, isWildcard, refusedToReceive } from '../support/bus-permissions.ts';
import { startNats, type TestNats } from '../support/nats.ts';

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
});
