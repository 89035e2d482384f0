/**
 * bus/identity.I2, I3: what a follower may do on the bus, tried on a real server. Mission Control Service, section 5
 * rule 8.
 */

import type { NatsConnection } from 'nats';
import { connect, headers, jwtAuthenticator } from 'nats';
import { decode } from 'nats-jwt';
import { createAccount, createUser } from 'nkeys.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { issueFollower, isUserPublicKey } from '../../bus/identity.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import type { TestNats } from '../support/nats.ts';
import { startNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const user = createUser();

let nats: TestNats;
let service: NatsBus;
const clients: NatsConnection[] = [];
beforeAll(async () => {
  nats = await startNats();
  service = await nats.connected({ name: 'service' });
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
afterAll(() => nats.stop());

const tokenFor = (lifeMs: number) =>
  issueFollower(nats.followerSigner, {
    publicKey: user.getPublicKey(),
    name: 'ada',
    expiresAtMs: Date.now() + lifeMs,
  });

async function login(jwt: string, key = user): Promise<NatsConnection> {
  const client = await connect({
    servers: nats.url,
    authenticator: jwtAuthenticator(jwt, key.getSeed()),
    reconnect: false,
  });
  clients.push(client);
  return client;
}

/** Subscribes and reports what comes: messages by subject, or the refusal. */
function listen(client: NatsConnection, subject: string): { heard: string[]; refused: string[] } {
  const heard: string[] = [];
  const refused: string[] = [];
  client.subscribe(subject, {
    callback: (error, message) => {
      if (error) refused.push(error.code);
      else heard.push(message.subject);
    },
  });
  return { heard, refused };
}

describe('a follower', () => {
  it('MC-NATS-004 receives run and alarm events and nothing else', async () => {
    const client = await login(await tokenFor(60_000));
    const runs = listen(client, 'mcs.run.evt.>');
    const alarms = listen(client, 'mcs.alarm.evt.>');
    const own = listen(client, '_INBOX.mine');
    const forbidden = ['>', 'mcs.>', 'mcs.tc.evt.>', 'mcs.run.submit', '_MCS.>', '$JS.>', '$KV.>', '$SYS.>'];
    const refused = forbidden.map((subject) => listen(client, subject));
    await client.flush();
    await until(() => refused.every((one) => one.refused.length > 0));
    service.publish('mcs.run.evt.r1', bytes('x'));
    service.publish('mcs.tc.evt.sat1.t1', bytes('x'));
    service.publish('mcs.alarm.evt.sat1.eps._.vbat', bytes('x'));
    await until(() => alarms.heard.length > 0);
    expect(runs).toEqual({ heard: ['mcs.run.evt.r1'], refused: [] });
    expect(alarms).toEqual({ heard: ['mcs.alarm.evt.sat1.eps._.vbat'], refused: [] });
    expect(own.refused).toEqual([]);
    expect(refused.flatMap((one) => one.heard)).toEqual([]);
  });

  it('MC-NATS-005 publishes nothing, asks nothing', async () => {
    const client = await login(await tokenFor(60_000));
    const leaked: string[] = [];
    const listening = service.subscribe('mcs.>', (message) => {
      leaked.push(message.subject);
    });
    const witness = 'mcs.witness.a';
    await until(() => {
      service.publish(witness, bytes('x'));
      return leaked.includes(witness);
    });
    for (const subject of ['mcs.run.evt.r1', 'mcs.tc.submit.sat1', 'mcs.alarm.control.sat1'])
      client.publish(subject, bytes('x'), { headers: headers() });
    await expect(client.request('mcs.run.control.r1', bytes('x'), { timeout: 20_000 })).rejects.toMatchObject(
      {
        code: 'PERMISSIONS_VIOLATION',
      },
    );
    await expect(client.request('$JS.API.INFO', undefined, { timeout: 20_000 })).rejects.toMatchObject({
      code: 'PERMISSIONS_VIOLATION',
    });
    await client.flush();
    service.publish('mcs.witness.b', bytes('x'));
    await until(() => leaked.includes('mcs.witness.b'));
    expect(leaked.filter((subject) => !subject.startsWith('mcs.witness.'))).toEqual([]);
    await listening.stop();
  });

  it('MC-NATS-005 cannot answer in place of the stream when an event is appended', async () => {
    const stream = { name: 'RUNS', subjects: ['mcs.run.evt.*'], maxAgeMs: 3_600_000, dedupeMs: 120_000 };
    expect(await service.append(stream, 'mcs.run.evt.r1', bytes('1'))).toMatchObject({ outcome: 'stored' });
    const client = await login(await tokenFor(60_000));
    const tried: string[] = [];
    for (const subject of ['mcs.run.evt.>', 'mcs.alarm.evt.>'])
      client.subscribe(subject, {
        callback: (_, message) => {
          tried.push(message.subject);
          message.respond(bytes('{"stream":"RUNS","seq":99}'));
        },
      });
    await client.flush();
    for (let seq = 2; seq <= 30; seq++)
      expect(await service.append(stream, 'mcs.run.evt.r1', bytes('x'))).toEqual({ outcome: 'stored', seq });
    const overheard = service.subscribe('mcs.alarm.evt.answer', () => {});
    const answering = service.request('mcs.alarm.evt.answer', bytes('x'), { timeoutMs: 300 });
    await expect(answering).rejects.toMatchObject({ code: 'bus.timeout' });
    await until(() => tried.includes('mcs.alarm.evt.answer'));
    await overheard.stop();
  });

  it('does not overhear what the service is answered', async () => {
    const client = await login(await tokenFor(60_000));
    const inbox = listen(client, '_INBOX.>');
    await client.flush();
    const bucket = service.bucket({ name: 'mcs_secret', history: 1 });
    await bucket.put('k', bytes('secret'), 0);
    await bucket.list('>');
    const control = await connect({
      servers: nats.url,
      authenticator: jwtAuthenticator(nats.credentials.jwt, bytes(nats.credentials.seed)),
    });
    clients.push(control);
    control.publish('_INBOX.control', bytes('x'));
    await until(() => inbox.heard.length > 0);
    expect(inbox.heard).toEqual(['_INBOX.control']);
  });

  it('MC-NATS-003 gets a token for its own key, signed for the account, with its end', async () => {
    const expiresAtMs = Date.now() + 60_000;
    const jwt = await issueFollower(nats.followerSigner, {
      publicKey: user.getPublicKey(),
      name: 'ada',
      expiresAtMs,
    });
    const claims = decode<{ issuer_account: string }>(jwt);
    expect(claims).toMatchObject({
      sub: user.getPublicKey(),
      name: 'ada',
      exp: Math.floor(expiresAtMs / 1000),
    });
    expect(claims.nats.issuer_account).toBe(nats.followerSigner.account);
    await expect(login(jwt, createUser())).rejects.toMatchObject({ code: 'AUTHORIZATION_VIOLATION' });
  });

  it('is sent away when its token ends, and not let in again', async () => {
    // Whole seconds: it lives for four at least, in which a busy machine logs in.
    const jwt = await tokenFor(5_000);
    const client = await login(jwt);
    await client.closed();
    expect(client.isClosed()).toBe(true);
    // The end is a whole second; within it the server still lets the token in.
    const refusal = await until(() =>
      login(jwt).then(
        () => undefined,
        (error: { code: string }) => error.code,
      ),
    );
    expect(refusal).toMatch(/AUTH/);
  });

  it('is let in only by the signer of its account', async () => {
    const foreign = {
      account: nats.followerSigner.account,
      seed: new TextDecoder().decode(createAccount().getSeed()),
      scoped: true,
    };
    const jwt = await issueFollower(foreign, {
      publicKey: user.getPublicKey(),
      name: 'eve',
      expiresAtMs: Date.now() + 60_000,
    });
    await expect(login(jwt)).rejects.toMatchObject({ code: 'AUTHORIZATION_VIOLATION' });
  });
});

it('MC-NATS-006 tells public user keys from everything else', () => {
  const key = user.getPublicKey();
  expect(isUserPublicKey(key)).toBe(true);
  const seed = new TextDecoder().decode(user.getSeed());
  const others = [
    createAccount().getPublicKey(),
    seed,
    key.toLowerCase(),
    key.slice(1),
    `${key}A`,
    '',
    'U'.repeat(56),
  ];
  const damaged = `${key.slice(0, 20)}${key[20] === 'A' ? 'B' : 'A'}${key.slice(21)}`;
  for (const text of [...others, damaged]) expect(isUserPublicKey(text), text).toBe(false);
  const asked = { publicKey: createAccount().getPublicKey(), name: 'x', expiresAtMs: 1 };
  expect(() => issueFollower(nats.followerSigner, asked)).toThrow(TypeError);
});
