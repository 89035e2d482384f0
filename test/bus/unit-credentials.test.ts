/**
 * bus/identity.I5 and I6: the credential of a unit on a real server in operator mode, tried against every subject of
 * the contract, as what it sends on and as where it wants its answers. Mission Control Service, section 4.8.
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, jwtAuthenticator, type NatsConnection } from 'nats';
import { createUser } from 'nkeys.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSigners, unitCredentials } from '../../bus/follower-credentials.ts';
import { loadIdentity, unitInbox } from '../../bus/identity.ts';
import { credentialsText, newUnitSeed, openUnitLine, publicKeyOf } from '../../bus/unit-line.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { UNIT_MESSAGE_BYTES } from '../../contract/limits/unit.ts';
import { Fleet } from '../../messaging/fleet.ts';
import { UnitRegistrar } from '../../messaging/unit-registrar.ts';
import { realClock } from '../../supervision/clock.ts';
import { registrationOf } from '../messaging/unit-world.ts';
import { delivered, everySubject, isWildcard, refusedToReceive } from '../support/bus-permissions.ts';
import { quiet, startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const SERIAL = 'bench-07';
const OTHER = 'bench-08';
const user = createUser();
const OWN_TO_SEND = [subject.unitRegister(SERIAL), subject.unitHeartbeat(SERIAL)];
const OWN_TO_RECEIVE = [
  `mcs.ctl.rpc.unit.${SERIAL}.*`,
  subject.unitVerb(SERIAL, 'reboot'),
  `${unitInbox(SERIAL)}.>`,
];

let nats: TestNats;
let folder: string;
let signers: { readonly name: string; readonly jwt: (expiresAtMs?: number) => Promise<string> }[];
beforeAll(async () => {
  nats = await startNats();
  folder = await mkdtemp(join(tmpdir(), 'mcs-units-'));
  const path = join(folder, 'signer.json');
  const keys = JSON.parse(await readFile(join(nats.stateDir, 'keys.json'), 'utf8')) as Record<string, string>;
  const { account } = nats.unitSigner;
  const credential =
    (signer: object) =>
    async (expiresAtMs = Date.now() + 60_000) => {
      await writeFile(path, JSON.stringify({ account, ...signer }));
      const { units } = await readSigners(path);
      return unitCredentials(units).issue!({ serial: SERIAL, publicKey: user.getPublicKey(), expiresAtMs });
    };
  const follower = { seed: keys['followerSigner'], scoped: true };
  signers = [
    {
      name: 'a scoped key',
      jwt: credential({ ...follower, units: { seed: keys['unitSigner'], scoped: true } }),
    },
    { name: 'a plain key', jwt: credential({ ...follower, units: { seed: keys['serviceSigner'] } }) },
    { name: 'the plain key of followers', jwt: credential({ seed: keys['serviceSigner'] }) },
  ];
});
afterAll(async () => {
  await nats.stop();
  await rm(folder, { recursive: true });
});

const login = (jwt: string): Promise<NatsConnection> =>
  connect({
    servers: nats.url,
    authenticator: jwtAuthenticator(jwt, user.getSeed()),
    reconnect: false,
    inboxPrefix: unitInbox(SERIAL),
  });

describe.each([0, 1, 2])('the credential of a unit, signer %d', (at) => {
  it('bus/identity.I5 MC-UNIT-018 MC-UNIT-019 opens its registration, heartbeat and verbs, and no other subject of the contract', async () => {
    const client = await login(await signers[at]!.jwt());
    const subjects = everySubject(SERIAL, OTHER);
    expect(subjects.length).toBeGreaterThan(60);
    expect(await refusedToReceive(client, subjects)).toEqual(subjects);
    expect(await refusedToReceive(client, OWN_TO_RECEIVE)).toEqual([]);
    const sendable = subjects.filter((about) => !isWildcard(about));
    expect((await delivered(nats, client, [...sendable, ...OWN_TO_SEND])).sort()).toEqual(
      [...OWN_TO_SEND].sort(),
    );
    await client.close();
  });

  it('bus/identity.I5 MC-UNIT-018 answers a verb once, and nobody else for it', async () => {
    const client = await login(await signers[at]!.jwt());
    const service = await nats.connected();
    const refusals: string[] = [];
    void (async () => {
      for await (const { data } of client.status()) refusals.push(String(data));
    })();
    client.subscribe(`mcs.ctl.rpc.unit.${SERIAL}.*`, {
      callback: (_error, message) => {
        message.respond(Buffer.from('"first"'));
        message.respond(Buffer.from('"second"'));
      },
    });
    await client.flush();
    const reply = await service.request(subject.unitVerb(SERIAL, 'selftest'), Buffer.from('{}'), {
      timeoutMs: 5_000,
    });
    expect(Buffer.from(reply).toString()).toBe('"first"');
    await until(() => refusals.includes('PERMISSIONS_VIOLATION'));
    await client.close();
  });

  it('bus/identity.I5 sends no message larger than a self-test report may be', async () => {
    const client = await login(await signers[at]!.jwt());
    // The server says so to this user: the client keeps to it.
    expect(client.info?.max_payload).toBe(UNIT_MESSAGE_BYTES);
    expect(() => client.publish(OWN_TO_SEND[1]!, new Uint8Array(UNIT_MESSAGE_BYTES + 1))).toThrow(
      'MAX_PAYLOAD',
    );
    await client.close();
  });

  it('MC-UNIT-018 is worth nothing without the seed of its key, and ends', async () => {
    const jwt = await signers[at]!.jwt();
    const stranger = jwtAuthenticator(jwt, createUser().getSeed());
    await expect(
      connect({ servers: nats.url, authenticator: stranger, reconnect: false }),
    ).rejects.toMatchObject({
      code: 'AUTHORIZATION_VIOLATION',
    });
    await expect(login(await signers[at]!.jwt(Date.now() - 1_000))).rejects.toMatchObject({
      code: 'AUTHORIZATION_VIOLATION',
    });
  });
});

describe('the answer that a unit asks for', () => {
  it('bus/identity.I6 bus.P6 goes to its own inbox alone: no subject of anybody else gets a word', async () => {
    const service = await nats.connected({ name: 'front-end' });
    const tools = { bus: service, clock: realClock, log: quiet };
    const fleet = new Fleet(tools);
    const registrar = new UnitRegistrar({ ...tools, fleet, credentials: unitCredentials(nats.unitSigner) });
    fleet.start();
    registrar.start();
    const client = await login(await signers[0]!.jwt());
    const document = JSON.stringify(registrationOf(SERIAL, { public_key: user.getPublicKey() }));
    const beat = JSON.stringify({ health: { state: 'ok' } });
    const register = () => client.request(subject.unitRegister(SERIAL), document, { timeout: 5_000 });
    await until(() => register().catch(() => undefined), { what: 'the front end' });

    const foreign = [
      ...everySubject(SERIAL, OTHER).filter((about) => !isWildcard(about)),
      subject.unitVerb(OTHER, 'reboot'),
      subject.unitVerb(SERIAL, 'reboot'),
      subject.unitRegister(OTHER),
      '$KV.mcs_config.current',
      '$JS.API.STREAM.PURGE.KV_mcs_config',
      `${unitInbox(SERIAL)}`,
      `${unitInbox(`${SERIAL}0`)}.x`,
    ].filter((about) => !OWN_TO_SEND.includes(about));
    const witness = await connect({
      servers: nats.url,
      authenticator: jwtAuthenticator(nats.credentials.jwt, Buffer.from(nats.credentials.seed)),
    });
    const arrived: string[] = [];
    for (const about of foreign)
      witness.subscribe(about, {
        callback: (_error, message) => {
          // On a busy machine a registration that is repeated late is stored again: that is not addressed to anybody.
          const isEntry = message.subject === `$KV.mcs_units.${SERIAL}` && !('ok' in message.json<object>());
          if (!isEntry) arrived.push(message.subject);
        },
      });
    await witness.flush();
    for (const reply of foreign) {
      client.publish(subject.unitHeartbeat(SERIAL), beat, { reply });
      client.publish(subject.unitRegister(SERIAL), document, { reply });
      client.publish(subject.unitRegister(SERIAL), 'gibberish', { reply });
    }
    // What the front end answers behind these, it answers behind those.
    const [registered, heard] = await Promise.all([
      register(),
      client.request(subject.unitHeartbeat(SERIAL), beat, { timeout: 5_000 }),
    ]);
    await witness.flush();
    expect(arrived).toEqual([]);
    expect(registered.json()).toMatchObject({ ok: true, value: { jwt: expect.any(String) } });
    expect(heard.json()).toEqual({ ok: true, value: { register: false } });
    await Promise.all([client.close(), witness.close(), registrar.stop(), fleet.stop()]);
  });
});

describe('who signs for units', () => {
  it('bus/identity.I5 a key of an earlier release is completed, and keeps every credential valid', async () => {
    const state = join(folder, 'earlier');
    const first = await loadIdentity(state);
    const path = join(state, 'keys.json');
    const { unitSigner: _, ...earlier } = JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
    await writeFile(path, JSON.stringify(earlier));
    const second = await loadIdentity(state);
    expect(second.followerSigner).toEqual(first.followerSigner);
    expect(second.account).toBe(first.account);
    expect(second.unitSigner.seed).not.toBe(first.unitSigner.seed);
    expect(await loadIdentity(state)).toMatchObject({ unitSigner: second.unitSigner });
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject(earlier);
  });

  it('a scoped key of followers signs for no unit, and a wrong section is refused with what is wrong', async () => {
    const path = join(folder, 'other.json');
    const { account, seed } = nats.followerSigner;
    await writeFile(path, JSON.stringify({ account, seed, scoped: true }));
    expect((await readSigners(path)).units).toBeUndefined();
    await writeFile(path, JSON.stringify({ account, seed, units: { seed: account } }));
    await expect(readSigners(path)).rejects.toThrow('units.seed must be the seed');
    await writeFile(path, JSON.stringify({ account, seed, units: seed }));
    await expect(readSigners(path)).rejects.toThrow('units must be');
  });

  it('issues nothing for a name that is more than a token, which would open more subjects', async () => {
    const { issue } = unitCredentials(nats.unitSigner);
    for (const serial of ['>', '*', 'a.b', '{{tag(x)}}', ''])
      expect(() =>
        issue!({ serial, publicKey: user.getPublicKey(), expiresAtMs: Date.now() + 60_000 }),
      ).toThrow('not a serial number');
  });
});

describe('the line of a unit', () => {
  it('registers and serves its verbs with a credentials file, and nothing of a unit needs JetStream', async () => {
    const seed = newUnitSeed();
    const path = join(folder, 'unit.creds');
    const { issue } = unitCredentials(nats.unitSigner);
    const unit = { serial: SERIAL, publicKey: publicKeyOf(seed), expiresAtMs: Date.now() + 60_000 };
    await writeFile(path, credentialsText(await issue!(unit), seed));
    const line = openUnitLine({ url: nats.url, serial: SERIAL, credentials: path, log: quiet });
    const service = await nats.connected();
    const serving = service.serve(subject.unitRegistrations, async () => Buffer.from('"registered"'));
    line.serve(`mcs.ctl.rpc.unit.${SERIAL}.*`, async () => Buffer.from('"done"'));
    await until(() => line.connected);
    const register = (): Promise<Uint8Array> =>
      line.request(subject.unitRegister(SERIAL), Buffer.from('{}'), { timeoutMs: 5_000 });
    const reply = await until(() => register().catch(() => undefined));
    expect(Buffer.from(reply).toString()).toBe('"registered"');
    const said = await service.request(subject.unitVerb(SERIAL, 'selftest'), Buffer.from('{}'), {
      timeoutMs: 5_000,
    });
    expect(Buffer.from(said).toString()).toBe('"done"');
    await Promise.all([serving.stop(), line.close()]);
  });
});
