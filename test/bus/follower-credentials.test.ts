/**
 * bus/identity.I4: a signing key from a file, plain or scoped, tried on a real server. Mission Control Service, section
 * 5 item 8.
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, jwtAuthenticator, type NatsConnection } from 'nats';
import { createAccount, createUser } from 'nkeys.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followerCredentials, readSigner } from '../../bus/follower-credentials.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const user = createUser();
const bytes = (text: string) => new TextEncoder().encode(text);
const seedOf = (key: { getSeed(): Uint8Array }) => new TextDecoder().decode(key.getSeed());

let nats: TestNats;
let folder: string;
let path: string;
beforeAll(async () => {
  nats = await startNats();
  folder = await mkdtemp(join(tmpdir(), 'mcs-signer-'));
  path = join(folder, 'signer.json');
});
afterAll(async () => {
  await nats.stop();
  await rm(folder, { recursive: true });
});

async function credential(signer: object): Promise<string> {
  await writeFile(path, JSON.stringify(signer));
  const { issue } = followerCredentials(await readSigner(path));
  return issue!({ publicKey: user.getPublicKey(), name: 'ada', expiresAtMs: Date.now() + 60_000 });
}

const login = (jwt: string): Promise<NatsConnection> =>
  connect({ servers: nats.url, authenticator: jwtAuthenticator(jwt, user.getSeed()), reconnect: false });

/** A key that may sign everything: here the one the service itself is signed with. */
async function plainSeed(): Promise<string> {
  const keys = JSON.parse(await readFile(join(nats.stateDir, 'keys.json'), 'utf8')) as Record<string, string>;
  return keys['serviceSigner']!;
}

describe('a signer from a file', () => {
  it('bus/identity.I4 MC-NATS-004 MC-NATS-005 with a plain key gives followers that follow and do nothing else', async () => {
    const { account } = nats.followerSigner;
    const client = await login(await credential({ account, seed: await plainSeed() }));
    const service = await nats.connected();
    const received: string[] = [];
    const refused: string[] = [];
    for (const subject of ['mcs.run.evt.>', 'mcs.alarm.evt.>', '>', 'mcs.tc.>', '_MCS.>', '$JS.>', '$KV.>']) {
      client.subscribe(subject, {
        callback: (error, message) => {
          if (error !== null) return void refused.push(subject);
          received.push(message.subject);
          message.respond(bytes('{"stream":"RUNS","seq":99}'));
        },
      });
    }
    await client.flush();
    const leaked: string[] = [];
    service.subscribe('mcs.>', ({ subject }) => void leaked.push(subject));
    await until(() => {
      service.publish('mcs.witness', bytes('x'));
      return leaked.includes('mcs.witness');
    });
    client.publish('mcs.tc.submit.sat1', bytes('x'));
    await client.flush();
    const stream = { name: 'RUNS', subjects: ['mcs.run.evt.*'], maxAgeMs: 3_600_000, dedupeMs: 120_000 };
    for (let seq = 1; seq <= 20; seq += 1)
      expect(await service.append(stream, 'mcs.run.evt.r1', bytes('x'))).toEqual({ outcome: 'stored', seq });
    await until(() => received.length === 20);
    expect(new Set(received)).toEqual(new Set(['mcs.run.evt.r1']));
    expect(refused.sort()).toEqual(['$JS.>', '$KV.>', '>', '_MCS.>', 'mcs.tc.>']);
    expect(new Set(leaked)).toEqual(new Set(['mcs.witness', 'mcs.run.evt.r1']));
    await client.close();
  });

  it('bus/identity.I4 with a scoped key needs to be reported so: else the bus refuses what it signs', async () => {
    const { account, seed } = nats.followerSigner;
    const client = await login(await credential({ account, seed, scoped: true }));
    await client.close();
    await expect(login(await credential({ account, seed }))).rejects.toMatchObject({
      code: 'AUTHORIZATION_VIOLATION',
    });
  });

  it('is refused with what is wrong in the file, and without what is secret in it', async () => {
    const { account, seed } = nats.followerSigner;
    const refusals: [string, string][] = [
      ['', 'must be JSON'],
      ['null', 'must be JSON'],
      [seed, 'must be JSON'],
      [JSON.stringify({ seed }), 'account must be the public key'],
      [JSON.stringify({ account: seed, seed }), 'account must be the public key'],
      [JSON.stringify({ account: user.getPublicKey(), seed }), 'account must be the public key'],
      [JSON.stringify({ account }), 'seed must be the seed'],
      [JSON.stringify({ account, seed: account }), 'seed must be the seed'],
      [JSON.stringify({ account, seed: seedOf(user) }), 'seed must be the seed'],
      [JSON.stringify({ account, seed, scoped: 'yes' }), 'scoped must be'],
    ];
    for (const [text, expected] of refusals) {
      await writeFile(path, text);
      const error = await readSigner(path).then(
        () => new Error('it was taken'),
        (reason: Error) => reason,
      );
      expect(error.message).toContain(expected);
      expect(error.message).not.toContain(seed);
    }
    await expect(readSigner(join(folder, 'none.json'))).rejects.toThrow('cannot be read (ENOENT)');
  });

  it('MC-NATS-006 knows keys of users without any', () => {
    const { isUserKey, issue } = followerCredentials(undefined);
    expect([isUserKey(user.getPublicKey()), isUserKey(createAccount().getPublicKey()), issue]).toEqual([
      true,
      false,
      undefined,
    ]);
  });
});
