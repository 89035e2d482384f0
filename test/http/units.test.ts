/** The routes of units on a real bus: what each answers and every code it declares. Units are served by the test. */

import { connect, jwtAuthenticator } from 'nats';
import { createAccount, createUser } from 'nkeys.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { followerCredentials } from '../../bus/follower-credentials.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { UNITS_MOST } from '../../contract/limits/unit.ts';
import { Outage } from '../../contract/outage.ts';
import type { UnitView } from '../../contract/unit.ts';
import { readRegistrationReply } from '../../contract/unit-wire.ts';
import { startFrontEnd } from '../../http/front-end.ts';
import { unitRoutes } from '../../http/routes/units.ts';
import { callUnit } from '../../http/unit-call.ts';
import type { Bus, Stoppable } from '../../ports/bus.ts';
import { AsUnit } from '../bus/as-unit.ts';
import { KEY, registrationOf } from '../messaging/unit-world.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, codesOf, layerPorts } from './fixture.ts';
import { PROVIDER, startWorld, type World } from './world.ts';

const coverage = new Coverage(unitRoutes);
const SUPERVISOR = { 'x-mcs-user': 'ada', 'x-mcs-role': 'supervisor' };
const OPERATOR = { 'x-mcs-user': 'ben', 'x-mcs-role': 'operator' };
const UPDATE = { image: 'https://images.example/bench-1.5.0.img', version: '1.5.0' };
const REFUSAL = { ok: false, faults: [{ code: 'unit::refused', message: 'bad signature' }] };

let world: World;
let asUnit: AsUnit;
let url: string;
const serving: Stoppable[] = [];
beforeAll(async () => {
  world = await startWorld();
  asUnit = await AsUnit.connect(world.nats);
  url = world.url;
});
afterEach(async () => {
  for (const each of serving.splice(0)) await each.stop();
  world.missions.publish(world.mission);
});
afterAll(async () => {
  await asUnit.close();
  await world.stop();
});

const said = (answer: Answer): [number, string[]] => [answer.status, codesOf(answer)];
const call = (path: string, body: unknown = '', headers: Record<string, string> = {}): Promise<Answer> =>
  coverage.post(`${url}/v1/units${path}`, body, headers);
const remove = (serial: string, headers: Record<string, string> = SUPERVISOR): Promise<Answer> =>
  coverage.call(`${url}/v1/units/${serial}`, { method: 'DELETE', headers });
const fleet = async (at = url): Promise<UnitView[]> => (await coverage.call(`${at}/v1/units`)).body.units;
const unitNamed = async (serial: string): Promise<UnitView | undefined> =>
  (await fleet()).find((unit) => unit.serial === serial);

/** A unit that answers each verb so; what it was called with. */
function serve(serial: string, answer: unknown): { readonly calls: [string, unknown][] } {
  const calls: [string, unknown][] = [];
  serving.push(
    world.bus.serve(`mcs.ctl.rpc.unit.${serial}.*`, async ({ subject: about, data }) => {
      calls.push([about, JSON.parse(Buffer.from(data).toString())]);
      return answer instanceof Promise ? ((await answer) as Uint8Array) : Buffer.from(JSON.stringify(answer));
    }),
  );
  return { calls };
}

/** Registers a unit, which is alive for three times its period: a minute is longer than any machine stands still. */
async function register(serial: string, gateways: readonly string[] = [], heartbeat_period_ms = 60_000) {
  const document = registrationOf(serial, {
    heartbeat_period_ms,
    unit: { hardware_revision: 'C2', gateways },
  });
  const data = Buffer.from(JSON.stringify(document));
  return readRegistrationReply(await asUnit.ask(serial, subject.unitRegister(serial), data));
}

describe('GET /v1/units', () => {
  it('MC-UNIT-005 MC-UNIT-020 MC-UNIT-022 lists the units that registered on the bus, by serial number', async () => {
    expect(await register('bench-b')).toMatchObject({ ok: true, value: { jwt: expect.any(String) } });
    await register('bench-a');
    const units = await until(async () => {
      const all = await fleet();
      return all.length >= 2 && all;
    });
    expect(units.map(({ serial }) => serial)).toEqual(['bench-a', 'bench-b']);
    expect(units[0]).toEqual({
      serial: 'bench-a',
      software: { name: 'bench-unit', version: '1.4.0' },
      hardware_revision: 'C2',
      alive: true,
      health: { state: 'unknown' },
      last_heard: expect.any(String),
      registered_at: expect.any(String),
      heartbeat_period_ms: 60_000,
      boot: 'b1',
      gateways: [],
    });
  });

  it('MC-UNIT-005 MC-UNIT-021 shows health with its reason, and who fell silent', async () => {
    await register('bench-c', [], 1_000);
    const beat = { health: { state: 'degraded', reason: 'fan 2 stands still' } };
    const unit = await until(async () => {
      world.bus.publish(subject.unitHeartbeat('bench-c'), Buffer.from(JSON.stringify(beat)));
      const found = await unitNamed('bench-c');
      return found?.alive === true && found.health.state === 'degraded' && found;
    });
    expect(unit).toMatchObject({ alive: true, health: beat.health });
    const dead = await until(async () => {
      const found = await unitNamed('bench-c');
      return found?.alive === false && found;
    });
    expect(dead).toMatchObject({ health: beat.health });
  });

  it('MC-UNIT-006 shows of each gateway whether it is there, how it is, and which links are bound to it', async () => {
    const bindings = [{ target: 'sat1', link: 'uhf', mode: null, parameters: {}, overrides: {} }];
    const states = {
      'gw-up': { link: { state: 'up', since: 1 }, bindings },
      'gw-silent': { link: { state: 'silent', reason: 'nothing for 10 s' } },
      'gw-terse': {},
    };
    for (const [name, state] of Object.entries(states))
      serving.push(
        world.bus.serve(subject.gatewayVerb(name, 'state'), async () => Buffer.from(JSON.stringify(state))),
      );
    await register('bench-g', ['gw-up', 'gw-silent', 'gw-terse', 'gw-none']);
    const gateways = await until(async () => {
      const found = (await unitNamed('bench-g'))?.gateways;
      // Not of a moment in which this machine stood still.
      return !JSON.stringify(found).includes('it did not answer within') && found;
    });
    expect(gateways).toEqual([
      { name: 'gw-up', registered: true, health: { state: 'up' }, links: [{ target: 'sat1', link: 'uhf' }] },
      {
        name: 'gw-silent',
        registered: true,
        health: { state: 'silent', reason: 'nothing for 10 s' },
        links: [],
      },
      { name: 'gw-terse', registered: true, health: { state: 'up' }, links: [] },
      {
        name: 'gw-none',
        registered: false,
        health: { state: 'absent', reason: 'no process runs it' },
        links: [],
      },
    ]);
  });

  it('unit-gateways.G1 asks a gateway once for many readers of the fleet', async () => {
    let asked = 0;
    serving.push(
      world.bus.serve(subject.gatewayVerb('gw-asked', 'state'), async () => {
        asked += 1;
        return Buffer.from('{}');
      }),
    );
    await register('bench-h', ['gw-asked']);
    await Promise.all(Array.from({ length: 20 }, () => fleet()));
    expect(asked).toBe(1);
  });

  it('fleet.F2 a bucket that somebody emptied is noticed with the next record, and units register again', async () => {
    await register('bench-p');
    const { jwt, seed } = world.nats.credentials;
    const admin = await connect({
      servers: world.nats.url,
      authenticator: jwtAuthenticator(jwt, Buffer.from(seed)),
    });
    await (await admin.jetstreamManager()).streams.purge(`KV_${buckets.units.name}`);
    await admin.close();
    let beats = 0;
    const asked = await until(async () => {
      beats += 1;
      // What changes is recorded at once.
      const beat = { health: { state: 'degraded', reason: `${beats}` } };
      const data = Buffer.from(JSON.stringify(beat));
      const bytes = await asUnit.ask('bench-p', subject.unitHeartbeat('bench-p'), data);
      return JSON.parse(Buffer.from(bytes).toString()).value.register === true;
    });
    expect(asked).toBe(true);
    expect(await register('bench-p')).toMatchObject({ ok: true });
    expect(await unitNamed('bench-p')).toMatchObject({ alive: true });
  });
});

describe('POST /v1/units/{serial}/{verb}', () => {
  it('MC-UNIT-008 MC-UNIT-011 MC-BUS-016 selftest: anyone may ask, and gets the report of the unit as it is', async () => {
    const report = { passed: false, checks: [{ name: 'fan', passed: false, detail: 'rpm 0' }], serial: 7 };
    const { calls } = serve('bench-v', { ok: true, value: report });
    const answer = await call('/bench-v/selftest');
    expect([answer.status, answer.body]).toEqual([200, report]);
    expect(calls).toEqual([['mcs.ctl.rpc.unit.bench-v.selftest', {}]]);
  });

  it('MC-UNIT-009 MC-UNIT-007 update: for supervisors, and the unit gets image and version', async () => {
    const { calls } = serve('bench-u', { ok: true, value: { version: '1.5.0', installing: true } });
    const answer = await call('/bench-u/update', UPDATE, SUPERVISOR);
    expect([answer.status, answer.body]).toEqual([200, { version: '1.5.0', installing: true }]);
    expect(calls).toEqual([['mcs.ctl.rpc.unit.bench-u.update', UPDATE]]);
  });

  it('MC-UNIT-010 reboot: for supervisors', async () => {
    serve('bench-r', { ok: true, value: { rebooting: true } });
    expect((await call('/bench-r/reboot', '', SUPERVISOR)).body).toEqual({ rebooting: true });
  });

  it.each([
    ['update', OPERATOR],
    ['reboot', OPERATOR],
    ['update', {}],
    ['reboot', {}],
    ['update', { 'x-mcs-user': 'ada' }],
  ] as const)(
    'MC-UNIT-009 MC-UNIT-010 MC-UNIT-017 MC-ERR-110 %s by %o is 403, whatever the body is, and reaches no unit',
    async (verb, headers) => {
      const { calls } = serve('bench-n', { ok: true, value: {} });
      for (const body of ['', UPDATE, '{', { image: 7 }])
        expect(said(await call(`/bench-n/${verb}`, body, headers))).toEqual([403, ['unit::not-supervisor']]);
      expect(calls).toEqual([]);
    },
  );

  it('MC-UNIT-009 takes a declared role only where no token is required (A-22)', async () => {
    const settings = { ...world.mission.settings, auth: { ...PROVIDER, required: true } };
    world.missions.publish({ ...world.mission, settings });
    expect(said(await call('/bench-n/reboot', '', SUPERVISOR))).toEqual([401, ['auth::token-required']]);
  });

  it.each([
    ['MC-UNIT-007', '/bench-b/update', { image: UPDATE.image }],
    ['MC-UNIT-007', '/bench-b/update', { version: '1.5.0' }],
    ['MC-UNIT-007', '/bench-b/update', ''],
    ['MC-UNIT-007', '/bench-b/update', {}],
    ['MC-UNIT-007', '/bench-b/update', { image: 'not a url', version: '1.5.0' }],
    ['MC-UNIT-007', '/bench-b/update', { image: UPDATE.image, version: 'latest' }],
    ['MC-UNIT-007', '/bench-b/update', { image: UPDATE.image, version: '1.5' }],
    ['MC-UNIT-007', '/bench-b/update', { image: UPDATE.image, version: '01.5.0' }],
    ['MC-UNIT-007', '/bench-b/update', { image: UPDATE.image, version: '1.5.0', force: true }],
    ['MC-UNIT-015 MC-UNIT-016', '/bench-b/explode', ''],
    ['MC-UNIT-015 MC-UNIT-016', '/bench-b/state', UPDATE],
    ['MC-UNIT-008', '/bench-b/selftest', UPDATE],
    ['MC-UNIT-010', '/bench-b/reboot', UPDATE],
  ] as const)('MC-UNIT-015 MC-UNIT-016 by %s: %s with %o is 400', async (_ledger, path, body) => {
    const [status, codes] = said(await call(path, body, SUPERVISOR));
    expect([status, new Set(codes)]).toEqual([400, new Set(['api::invalid-body'])]);
  });

  it.each(['selftest', 'reboot'])('http/check.C2 %s takes no body, and says so of any', async (verb) => {
    for (const body of [UPDATE, {}, '{']) {
      const { errors } = (await call(`/bench-b/${verb}`, body, SUPERVISOR)).body;
      expect(errors).toEqual([
        { code: 'api::invalid-body', message: `${verb} takes no body`, help: 'Only update takes one.' },
      ]);
    }
  });

  it('A-53 a serial number that is no name is 404', async () => {
    expect(said(await call('/a%20b/selftest'))).toEqual([404, ['api::invalid-instance']]);
  });

  it.each(['1.5.0-rc.1', '1.5.0+build.7', '0.0.0', '1.5.0-0a-1'])(
    'MC-UNIT-007 %s is a version',
    async (version) => {
      serve('bench-s', { ok: true, value: {} });
      expect((await call('/bench-s/update', { ...UPDATE, version }, SUPERVISOR)).status).toBe(200);
    },
  );

  it('MC-UNIT-012 MC-ERR-107 is 404 where no unit answers, registered or not', async () => {
    await register('bench-away');
    for (const serial of ['bench-away', 'never-seen'])
      expect(said(await call(`/${serial}/selftest`))).toEqual([404, ['unit::unknown']]);
  });

  it('MC-UNIT-013 MC-ERR-108 is 422 with the reason of the unit where it refuses', async () => {
    serve('bench-f', REFUSAL);
    const answer = await call('/bench-f/update', UPDATE, SUPERVISOR);
    expect(said(answer)).toEqual([422, ['unit::refused']]);
    expect(answer.body.errors[0].message).toBe('bad signature');
  });

  it('MC-UNIT-014 MC-ERR-109 is 504 for a malformed reply', async () => {
    serve('bench-m', Promise.resolve(Buffer.from('gibberish')));
    expect(said(await call('/bench-m/selftest'))).toEqual([504, ['unit::timeout']]);
  });

  it('MC-UNIT-014 MC-LIM-006 MC-ERR-109 is 504 after 30 s without an answer, of which nothing is known', async () => {
    const timeouts: number[] = [];
    const bus = {
      request: async (_to: string, _data: Uint8Array, { timeoutMs }: { timeoutMs: number }) => {
        timeouts.push(timeoutMs);
        throw new Outage('bus.timeout', 'no answer');
      },
    };
    const refused = await callUnit('bench-q', 'reboot', {}, { bus: bus as unknown as Bus, log: world.log });
    expect(timeouts).toEqual([30_000]);
    expect(refused).toMatchObject({ ok: false, faults: [{ code: 'unit::timeout' }] });
  });
});

describe('enrolment and removal', () => {
  it('gives a supervisor a credential of the unit, with which it can register and another key cannot', async () => {
    const key = createUser();
    const body = { serial: 'bench-e', public_key: key.getPublicKey() };
    const answer = await call('', body, SUPERVISOR);
    expect([answer.status, answer.body]).toEqual([
      201,
      { serial: 'bench-e', jwt: expect.any(String), expires: expect.any(Number) },
    ]);
    const unit = await connect({
      servers: world.nats.url,
      authenticator: jwtAuthenticator(answer.body.jwt, key.getSeed()),
      inboxPrefix: '_UNIT.bench-e',
    });
    const asked = (publicKey: string) =>
      unit.request(
        'mcs.ctl.register.unit.bench-e',
        Buffer.from(JSON.stringify(registrationOf('bench-e', { public_key: publicKey }))),
      );
    expect((await asked(KEY)).json()).toMatchObject({ ok: false, faults: [{ code: 'unit::other-key' }] });
    expect((await asked(key.getPublicKey())).json()).toMatchObject({ ok: true });
    await unit.close();
  });

  it('is for supervisors', async () => {
    const body = { serial: 'bench-e', public_key: KEY };
    expect(said(await call('', body, OPERATOR))).toEqual([403, ['unit::not-supervisor']]);
    expect(said(await remove('bench-e', OPERATOR))).toEqual([403, ['unit::not-supervisor']]);
    expect(said(await remove('bench-e', {}))).toEqual([403, ['unit::not-supervisor']]);
  });

  it('refuses what is no key of a user and no serial number', async () => {
    const account = { serial: 'bench-e', public_key: createAccount().getPublicKey() };
    expect(said(await call('', account, SUPERVISOR))).toEqual([400, ['auth::invalid-key']]);
    expect(said(await call('', { serial: 'a.b', public_key: KEY }, SUPERVISOR))).toEqual([
      400,
      ['api::invalid-body'],
    ]);
  });

  it('is 503 without a key that signs for units', async () => {
    const { frontEnd, stop } = await keyless();
    const answer = await coverage.post(
      `${frontEnd.url}/v1/units`,
      { serial: 'x', public_key: KEY },
      SUPERVISOR,
    );
    expect(said(answer)).toEqual([503, ['auth::no-signing-key']]);
    await stop();
  });

  it('takes a unit that is no more out of the fleet', async () => {
    await register('bench-x');
    expect((await remove('bench-x')).status).toBe(204);
    expect(await unitNamed('bench-x')).toBeUndefined();
    expect(said(await remove('bench-x'))).toEqual([404, ['unit::unknown']]);
  });
});

const each = async (headers: Record<string, string>) => {
  const init = { headers: { ...SUPERVISOR, ...headers } };
  return [
    said(await coverage.call(`${url}/v1/units`, init)),
    said(await call('/never-seen/selftest', '', init.headers)),
    said(await call('', { serial: 'x', public_key: KEY }, init.headers)),
    said(await remove('never-seen', init.headers)),
  ];
};
const alike = (status: number, code: string) => Array.from({ length: 4 }, () => [status, [code]]);

describe('every route of units', () => {
  it('MC-AUTH-001 asks for a token where one is required, and refuses a wrong one', async () => {
    const bearer = { authorization: 'Bearer wrong' };
    expect(await each(bearer)).toEqual(alike(401, 'auth::no-provider'));
    const settings = { ...world.mission.settings, auth: { ...PROVIDER, required: true } };
    world.missions.publish({ ...world.mission, settings });
    expect(await each({})).toEqual(alike(401, 'auth::token-required'));
    expect(await each(bearer)).toEqual(alike(401, 'auth::invalid-token'));
  });

  it('MC-GEN-007 refuses a query, a body that is too large, and what is no serial number', async () => {
    const large = { image: 'x'.repeat(2 * 1024 * 1024), version: '1.5.0' };
    const invalid = [400, ['api::invalid-body']];
    expect(said(await coverage.call(`${url}/v1/units?x=1`))).toEqual(invalid);
    expect(said(await remove('bench-a?x=1'))).toEqual(invalid);
    expect(said(await remove('a.b'))).toEqual([404, ['api::invalid-instance']]);
    expect(said(await call('/bench-a/update', large, SUPERVISOR))).toEqual([413, ['api::too-large']]);
    expect(said(await call('', large, SUPERVISOR))).toEqual([413, ['api::too-large']]);
  });

  it('refuses another unit where the fleet is full', async () => {
    const bucket = world.bus.bucket(buckets.units);
    const record = Buffer.from(JSON.stringify({ public_key: KEY }));
    const names = Array.from({ length: UNITS_MOST }, (_, index) => `full-${index}`);
    await Promise.all(names.map((name) => bucket.overwrite(name, record)));
    let tries = 0;
    const full = await until(async () => {
      // One that is enrolled while the records are not all seen is no new one any more.
      tries += 1;
      const answer = await call('', { serial: `one-more-${tries}`, public_key: KEY }, SUPERVISOR);
      return answer.status !== 201 && answer;
    });
    expect(said(full)).toEqual([409, ['unit::too-many']]);
    const again = { serial: 'full-0', public_key: KEY };
    expect((await call('', again, SUPERVISOR)).status).toBe(201);
  });

  it('MC-GEN-017 answers 503 while the bus is away', async () => {
    await world.nats.kill();
    await until(() => !world.bus.connected);
    expect(await each({})).toEqual(alike(503, 'api::unavailable'));
    await world.nats.start();
    await until(() => world.bus.connected);
  });
});

async function keyless() {
  const { bus, missions, values, log } = world;
  const frontEnd = await startFrontEnd({
    ...layerPorts(),
    bus,
    missions,
    values,
    log,
    ...world.books,
    followers: followerCredentials(undefined),
  });
  return { frontEnd, stop: () => frontEnd.close() };
}

it('every status and code of the routes of units was seen', () => {
  expect(coverage.missing()).toEqual([]);
});
