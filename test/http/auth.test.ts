/** Sign-in discovery, credentials of the bus, and who a request comes from, on a real bus. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode } from 'nats-jwt';
import { createAccount, createUser } from 'nkeys.js';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { followerCredentials } from '../../bus/follower-credentials.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { headerText } from '../../contract/header-text.ts';
import { AUTH_NATS_TTL_MS } from '../../contract/limits/auth.ts';
import { follows, routes, startFrontEnd } from '../../http/front-end.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { MissionTokens } from '../../identity/mission-tokens.ts';
import type { AuthSettings } from '../../mission/mission.ts';
import { type Signer, signer } from '../identity/signer.ts';
import { until } from '../support/until.ts';
import { COVERED_BY, Coverage } from './coverage.ts';
import { codesOf, realClock } from './fixture.ts';
import { startWorld, type World } from './world.ts';

const ISSUER = 'https://id.example/realms/mission';
const coverage = new Coverage(
  routes.filter(({ tag }) => tag !== undefined && COVERED_BY[tag] === 'auth.test.ts'),
);
const everything = new Coverage(routes, follows);
const user = createUser();
const public_key = user.getPublicKey();

let world: World;
let keyless: FrontEnd;
let url: string;
let folder: string;
let es512: Signer;
let provider: AuthSettings;
const unsigned: MissionTokens[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-auth-'));
  es512 = await signer('ES512');
  const jwks_file = join(folder, 'keys.json');
  await writeFile(jwks_file, JSON.stringify({ keys: [es512.jwk] }));
  provider = { issuer: ISSUER, audience: 'mission-control', jwks_file, roles_prefix: 'mcs:' };
  world = await startWorld();
  url = world.url;
  const { bus, missions, values, books, log } = world;
  const tokens = new MissionTokens({ missions, clock: realClock, log, fetch });
  unsigned.push(tokens);
  const { passes, schedules, rules, transfers, alarms } = books;
  const reached = {
    bus,
    missions,
    values,
    passes,
    schedules,
    rules,
    transfers,
    alarms,
    log,
    clock: realClock,
  };
  const ports = { ...reached, registry: new Registry(), tokens };
  keyless = await startFrontEnd({
    ...ports,
    followers: followerCredentials(undefined),
    roles: () => ({ api: 'running' }),
  });
});
afterEach(() => world.missions.publish(world.mission));
afterAll(async () => {
  await keyless.close();
  for (const tokens of unsigned) tokens.stop();
  await world.stop();
  await rm(folder, { recursive: true });
});

function configure(auth: AuthSettings): void {
  world.missions.publish({ ...world.mission, settings: { ...world.mission.settings, auth } });
}

async function bearer(claims: Record<string, unknown> = {}): Promise<{ authorization: string }> {
  const now = Math.floor(Date.now() / 1_000);
  return { authorization: `Bearer ${await es512.token({ iat: now, exp: now + 600, ...claims })}` };
}

const ask = (headers: Record<string, string>, body: unknown = { public_key }, base = url) =>
  coverage.post(`${base}/v1/auth/nats`, body, headers);

describe('GET /v1/auth/config', () => {
  const read = () => coverage.call(`${url}/v1/auth/config`);

  it('MC-AUTH-026 says null without provider, also before a configuration is published', async () => {
    expect(await read()).toMatchObject({ status: 200, body: { oidc: null } });
    world.missions.publish(undefined);
    expect(await read()).toMatchObject({ status: 200, body: { oidc: null } });
  });

  it('MC-AUTH-026 MC-AUTH-017 says where to sign in, without identity also with auth.required', async () => {
    const clients = { client_id: 'page', cli_client_id: 'cli', organization: 'esoc' };
    configure({ ...provider, ...clients, required: true, scopes: ['openid', 'mission'] });
    expect(await read()).toMatchObject({
      status: 200,
      body: { oidc: { issuer: ISSUER, ...clients, scopes: ['openid', 'mission'] } },
    });
    configure(provider);
    expect((await read()).body).toEqual({ oidc: { issuer: ISSUER, scopes: ['openid'] } });
  });
});

describe('GET /v1/whoami', () => {
  const who = (headers: Record<string, string> = {}, query = '') =>
    coverage.call(`${url}/v1/whoami${query}`, { headers });

  it('says who the service takes the caller for, and until when', async () => {
    expect((await who()).body).toEqual({ identity: 'anonymous', roles: [] });
    const declared = await who({ 'x-mcs-user': 'ada', 'x-mcs-role': 'operator' });
    expect(declared.body).toEqual({ identity: 'declared', subject: 'ada', roles: ['operator'] });
    configure(provider);
    const { body } = await who(await bearer());
    expect(body).toMatchObject({ identity: 'verified', subject: 'ada' });
    expect(Date.parse(body.expires_at) - Date.now()).toBeGreaterThan(500_000);
  });

  it('MC-AUTH-002 header-text.N1 knows people of every language, and does not guess at a name', async () => {
    const named = async (user: string, roles = ''): Promise<unknown> => {
      const { body } = await who({ 'x-mcs-user': user, 'x-mcs-role': roles });
      return [
        body.subject,
        ...(body.roles ?? []),
        ...(body.errors ?? []).map((each: { message: string }) => each.message.split(' ')[1]),
      ];
    };
    expect(await named(headerText('王伟'), headerText('opérateur, supervisor'))).toEqual([
      '王伟',
      'opérateur',
      'supervisor',
    ]);
    expect(await named('Zoë Müller')).toEqual([undefined, 'X-Mcs-User']);
    expect(await named("UTF-8''%E9")).toEqual([undefined, 'X-Mcs-User']);
    expect(await named("UTF-8''a%0Ab")).toEqual([undefined, 'X-Mcs-User']);
    expect(await named('ada', 'op ë x')).toEqual([undefined, 'X-Mcs-Role']);
  });

  it('refuses what every route refuses', async () => {
    expect(codesOf(await who(await bearer()))).toEqual(['auth::no-provider']);
    expect(codesOf(await who({}, '?name=eve'))).toEqual(['api::invalid-body']);
    configure({ ...provider, required: true });
    expect(codesOf(await who())).toEqual(['auth::token-required']);
    expect(codesOf(await who(await bearer({ exp: 1 })))).toEqual(['auth::invalid-token']);
  });
});

describe('POST /v1/auth/nats', () => {
  it('MC-NATS-001 MC-NATS-002 MC-NATS-003 MC-NATS-009 gives a credential for the key of the caller, for an hour', async () => {
    configure(provider);
    const before = Math.floor(Date.now() / 1_000);
    const { status, body } = await ask(await bearer());
    const after = Math.floor(Date.now() / 1_000);
    expect([status, Object.keys(body)]).toEqual([200, ['jwt', 'expires']]);
    expect(body.expires).toBeGreaterThanOrEqual(before + AUTH_NATS_TTL_MS / 1_000);
    expect(body.expires).toBeLessThanOrEqual(after + AUTH_NATS_TTL_MS / 1_000);
    const claims = decode<{ issuer_account: string }>(body.jwt);
    expect(claims).toMatchObject({ sub: public_key, name: 'ada', exp: body.expires });
    expect(claims.nats.issuer_account).toBe(world.nats.followerSigner.account);
  });

  it('MC-NATS-002 MC-LIM-013 gives it for auth.nats_ttl', async () => {
    configure({ ...provider, nats_ttl_ms: 90_000 });
    const before = Math.floor(Date.now() / 1_000);
    const { body } = await ask(await bearer());
    const after = Math.floor(Date.now() / 1_000);
    expect(body.expires).toBeGreaterThanOrEqual(before + 90);
    expect(body.expires).toBeLessThanOrEqual(after + 90);
  });

  it('MC-NATS-006 MC-ERR-027 refuses what is no public user key', async () => {
    configure(provider);
    const seed = new TextDecoder().decode(user.getSeed());
    for (const key of [createAccount().getPublicKey(), seed, 'text', '', public_key.toLowerCase()]) {
      const answer = await ask(await bearer(), { public_key: key });
      expect([answer.status, codesOf(answer)]).toEqual([400, ['auth::invalid-key']]);
      if (key !== '') expect(JSON.stringify(answer.body)).not.toContain(key);
    }
  });

  it('refuses a body of another shape', async () => {
    configure(provider);
    for (const body of [{}, { public_key: 7 }, { public_key, more: 1 }, [], 'x']) {
      const answer = await ask(await bearer(), body);
      expect([answer.status, new Set(codesOf(answer))]).toEqual([400, new Set(['api::invalid-body'])]);
    }
    const large = await ask(await bearer(), { public_key: 'x'.repeat(1024 * 1024) });
    expect([large.status, codesOf(large)]).toEqual([413, ['api::too-large']]);
  });

  it('MC-NATS-007 MC-AUTH-019 MC-ERR-026 refuses whoever brings no token: auth::jwt-required', async () => {
    for (const auth of [{}, provider]) {
      configure(auth);
      for (const headers of [{}, { 'x-mcs-user': 'ada', 'x-mcs-role': 'supervisor' }]) {
        const answer = await ask(headers as Record<string, string>);
        expect([answer.status, codesOf(answer)]).toEqual([401, ['auth::jwt-required']]);
      }
    }
  });

  it('MC-NATS-007 MC-ERR-024 refuses a token while no provider is configured', async () => {
    const answer = await ask(await bearer());
    expect([answer.status, codesOf(answer)]).toEqual([401, ['auth::no-provider']]);
  });

  it('MC-NATS-007 MC-ERR-023 refuses a token that is not good', async () => {
    configure(provider);
    for (const claims of [{ exp: 1 }, { iss: 'https://evil.example' }, { aud: 'shop' }, { sub: undefined }]) {
      const answer = await ask(await bearer(claims));
      expect([answer.status, codesOf(answer)]).toEqual([401, ['auth::invalid-token']]);
    }
  });

  it('MC-AUTH-017 MC-ERR-025 asks for a token first with auth.required', async () => {
    configure({ ...provider, required: true });
    const answer = await ask({ 'x-mcs-user': 'ada' }, { public_key: 7 });
    expect([answer.status, codesOf(answer)]).toEqual([401, ['auth::token-required']]);
    expect((await ask(await bearer())).status).toBe(200);
  });

  it('answers 503 before the configuration is read, to a token too', async () => {
    world.missions.known = false;
    try {
      const answer = await ask(await bearer());
      expect([answer.status, codesOf(answer)]).toEqual([503, ['api::unavailable']]);
      expect(codesOf(await coverage.call(`${url}/v1/whoami`, { headers: await bearer() }))).toEqual([
        'api::unavailable',
      ]);
    } finally {
      world.missions.known = true;
    }
  });

  it('MC-NATS-008 MC-ERR-028 answers 503 without account signing key, and judges the key all the same', async () => {
    configure(provider);
    const answer = await ask(await bearer(), { public_key }, keyless.url);
    expect([answer.status, codesOf(answer)]).toEqual([503, ['auth::no-signing-key']]);
    expect(codesOf(await ask(await bearer(), { public_key: 'x' }, keyless.url))).toEqual([
      'auth::invalid-key',
    ]);
  });
});

describe('a caller with a token', () => {
  const submitter = async (headers: Record<string, string>): Promise<string | undefined> => {
    const body = { target: 'sat1', telecommand: 'ping' };
    const { status, body: reply } = await everything.post(`${url}/v1/tc`, body, headers);
    expect(status).toBe(202);
    const message = await world.bus.last(streams.telecommands, subject.tcSubmit('sat1'));
    expect(JSON.parse(Buffer.from(message!.data).toString()).id).toBe(reply.id);
    return message!.headers[header.user];
  };

  it('MC-AUTH-001 MC-AUTH-009 acts in the name of its subject', async () => {
    configure(provider);
    expect(await submitter(await bearer({ sub: 'Zoë' }))).toBe('Zoë');
  });

  it('MC-AUTH-027 is not who the declared headers say', async () => {
    configure(provider);
    expect(await submitter({ ...(await bearer({ sub: 'ada' })), 'x-mcs-user': 'eve' })).toBe('ada');
    const refused = { authorization: 'Bearer x', 'x-mcs-user': 'eve' };
    const answer = await everything.post(`${url}/v1/tc`, { target: 'sat1', telecommand: 'ping' }, refused);
    expect(codesOf(answer)).toEqual(['auth::invalid-token']);
  });

  it('MC-AUTH-003 MC-AUTH-017 follows with the token in the query', async () => {
    configure({ ...provider, required: true });
    const token = (await bearer()).authorization.slice('Bearer '.length);
    const watch = `${url}/v1/tc/watch`;
    const opened = await everything.follow(`${watch}?token=${token}`);
    expect(opened.opened).toBe(true);
    opened.close();
    expect((await everything.follow(watch, await bearer())).opened).toBe(true);
    const refusals = [await everything.follow(watch), await everything.follow(`${watch}?token=x`)];
    expect(refusals.map(({ refused }) => codesOf(refused!))).toEqual([
      ['auth::token-required'],
      ['auth::invalid-token'],
    ]);
  });

  it('http/follow.F5 follows no longer than it could begin to, under the keys and settings of now', async () => {
    const jwks_file = join(folder, 'changed.json');
    await writeFile(jwks_file, JSON.stringify({ keys: [es512.jwk] }));
    configure(provider);
    const watch = `${url}/v1/tc/watch`;
    const anonymous = await everything.follow(watch);
    const declared = await everything.follow(watch, { 'x-mcs-user': 'ada' });
    const token = await everything.follow(watch, await bearer());
    configure({ ...provider, required: true });
    await until(() => anonymous.closed && declared.closed, { what: 'those without a token to be closed' });
    expect([anonymous, declared].map(({ closed }) => closed)).toEqual(
      Array(2).fill({ code: 4401, reason: 'access has ended' }),
    );
    configure({ ...provider, required: true, jwks_file });
    const second = await everything.follow(watch, await bearer({ sub: 'second' }));
    expect([token.closed, second.closed]).toEqual([undefined, undefined]);
    await writeFile(jwks_file, JSON.stringify({ keys: [(await signer('ES512', 'other')).jwk] }));
    configure({ ...provider, required: true });
    configure({ ...provider, required: true, jwks_file });
    await until(() => token.closed && second.closed, { what: 'those with a token of no key to be closed' });
    expect(second.closed).toEqual({ code: 4401, reason: 'access has ended' });
  });

  it('MC-AUTH-018 is the only one with auth.required, also for the inspector', async () => {
    configure({ ...provider, required: true });
    const tree = `${url}/v1/inspect/tree`;
    expect(codesOf(await everything.call(tree, { headers: { 'x-mcs-user': 'ada' } }))).toEqual([
      'auth::token-required',
    ]);
    expect((await everything.call(tree, { headers: await bearer() })).status).toBe(200);
    expect((await fetch(`${url}/inspect`)).status).toBe(200);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});

it('sees every answer of the routes of identity', () => {
  expect(coverage.missing()).toEqual([]);
});
