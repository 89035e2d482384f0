/**
 * The routes of passes on a real bus: what each answers, every code it declares, who may write, and what two processes
 * that write at once leave.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { SNAPSHOT_BODY_BYTES } from '../../contract/limits/pass.ts';
import type { Pass, PassView } from '../../contract/pass.ts';
import type { RoutePorts } from '../../http/ports.ts';
import { passFollows, passRoutes } from '../../http/routes/passes.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { settled } from '../support/manual-clock.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, call, codesOf, post, realClock } from './fixture.ts';
import { PROVIDER, startWorld, type World } from './world.ts';

const coverage = new Coverage(passRoutes, passFollows);
const FDS = { 'x-mcs-user': 'dynamics' };
const NETWORK = { 'x-mcs-user': 'network' };
const FEEDERS = { dynamics: 'fds', network: 'provider' };
const HOUR = 3_600_000;
const START = Math.floor(Date.now() / HOUR) * HOUR + 24 * HOUR;

let world: World;
let url: string;

beforeAll(async () => {
  world = await startWorld();
  url = world.url;
  publish();
});
afterAll(() => world.stop());
/** Leaves nothing of a test for the next. */
async function clear(): Promise<void> {
  const passes = world.bus.bucket(buckets.passes);
  // One after the other: of removals at once a watch may miss some (ports/bus, `Bucket.watch`).
  for (const { key, revision } of await passes.list('>')) await passes.remove(key, revision);
  publish();
  await until(async () => (await call(`${url}/v1/passes?all=true`)).body.passes.length === 0);
}

function publish(settings: Partial<World['mission']['settings']> = {}): void {
  const { mission } = world;
  world.missions.publish({ ...mission, settings: { ...mission.settings, feeders: FEEDERS, ...settings } });
}

/** Minutes behind the start of the tests' day. */
const at = (minute: number): string => new Date(START + minute * 60_000).toISOString();

function pass(id: string, from: number, more: Partial<Pass> = {}): Pass {
  return {
    id,
    target: 'sat1',
    station: 'kiruna',
    aos: at(from),
    los: at(from + 10),
    max_elevation: '47.3 deg',
    source: 'fds',
    status: 'predicted',
    ...more,
  };
}
const booking = (id: string, from: number, more: Partial<Pass> = {}): Pass =>
  pass(id, from, { source: 'provider', status: 'booked', ...more });

const list = (query = ''): Promise<Answer> => coverage.call(`${url}/v1/passes${query}`);
const read = (id: string, target = 'sat1'): Promise<Answer> =>
  coverage.call(`${url}/v1/passes/${target}/${id}`);
const write = (body: unknown, headers: Record<string, string> = FDS): Promise<Answer> =>
  coverage.post(`${url}/v1/passes`, body, headers);
const replace = (more: object, headers: Record<string, string> = FDS): Promise<Answer> =>
  coverage.post(
    `${url}/v1/passes/replace_window`,
    { source: 'fds', target: 'sat1', from: at(0), to: at(1_000), passes: [], ...more },
    headers,
  );
const said = (answer: Answer): [number, string[]] => [answer.status, codesOf(answer)];
const idsOf = ({ body }: Answer): string[] => body.passes.map(({ pass: { id } }: PassView) => id);

describe('the list of passes', () => {
  afterEach(clear);

  it('MC-PASS-015 MC-PASS-016 MC-PASS-017 MC-PASS-057 MC-PASS-062 lists them by AOS, those that are over only when asked', async () => {
    const over = { aos: '2026-01-02T03:04:05Z', los: '2026-01-02T03:14:05Z' };
    for (const each of [
      pass('p2', 50),
      pass('p1', 0),
      pass('old', 0, over),
      pass('other', 20, { target: 'sat2' }),
    ])
      expect((await write(each)).status).toBe(200);
    expect(idsOf(await list())).toEqual(['p1', 'other', 'p2']);
    expect(idsOf(await list('?all=true'))).toEqual(['old', 'p1', 'other', 'p2']);
    expect(idsOf(await list('?target=sat1&all=false'))).toEqual(['p1', 'p2']);
    expect((await list('?target=sat2')).body.passes[0]).toEqual({
      pass: {
        ...pass('other', 20, { target: 'sat2' }),
        uplink: true,
        feeder: 'dynamics',
        updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
  });

  it('lists those of a time alone, and goes on behind the last one of a list', async () => {
    for (let n = 0; n < 4; n += 1) await write(pass(`p${n}`, n * 20));
    expect(idsOf(await list(`?from=${at(10)}&to=${at(40)}`))).toEqual(['p1']);
    const behind = `${Date.parse(at(20))}.sat1.p1`;
    expect(idsOf(await list(`?after=${behind}`))).toEqual(['p2', 'p3']);
  });

  it('MC-PASS-055 MC-PASS-056 shows the check of the gateway of a pass', async () => {
    await write(pass('p1', 0));
    const check = { gateway: 'gw-1', checked_at: '2026-01-02T02:55:00.000Z' };
    await world.bus.bucket(buckets.passGateways).overwrite('sat1.p1', Buffer.from(JSON.stringify(check)));
    await until(async () => (await read('p1')).body.gateway !== undefined);
    expect((await list()).body.passes[0].gateway).toEqual(check);
    const bucket = world.bus.bucket(buckets.passGateways);
    await bucket.overwrite('sat1.p1', Buffer.from('{'));
    await until(async () => (await read('p1')).body.gateway === undefined);
  });

  it('refuses a target that is not there, and a query that is not one', async () => {
    expect(said(await list('?target=sat9'))).toEqual([404, ['api::unknown-target']]);
    for (const query of ['?target=a.b', '?all=yes', '?from=today', '?after=p1', '?limit=3'])
      expect(said(await list(query))).toEqual([400, ['api::invalid-body']]);
  });

  it('leaves out a pass that cannot be read, and reports it in the log', async () => {
    await write(pass('p1', 0));
    await world.bus.bucket(buckets.passes).overwrite('sat1.broken', Buffer.from('{}'));
    await until(() => world.log.lines.some(({ message }) => message === 'malformed pass: left out'));
    expect(idsOf(await list())).toEqual(['p1']);
  });
});

describe('one pass', () => {
  afterEach(clear);

  it('MC-PASS-019 MC-PASS-020 MC-PASS-032 is read by its identifier, and by that of a contribution', async () => {
    await write(pass('p1', 0));
    await write(booking('b1', 1), NETWORK);
    const answer = await read('b1');
    expect(answer.body).toEqual((await read('p1')).body);
    expect(answer.body.pass).toMatchObject({
      id: 'p1',
      status: 'booked',
      contributions: { fds: { id: 'p1', status: 'predicted' }, provider: { id: 'b1', status: 'booked' } },
    });
  });

  it.each(['p9', 'a.b', '%zz'])('MC-PASS-019 MC-ERR-094 %s is 404 pass::unknown', async (id) => {
    expect(said(await read(id))).toEqual([404, ['pass::unknown']]);
  });

  it('is not one of a target that cannot be one', async () => {
    expect(said(await read('p1', 'a.b'))).toEqual([404, ['api::invalid-target']]);
  });
});

describe('writing a pass (MC-PASS-001 MC-PASS-024 MC-ERR-092)', () => {
  afterEach(clear);

  it('MC-PASS-014 MC-PASS-018 MC-PASS-025 answers the pass as stored, and the same when it is posted back', async () => {
    const first = await write(pass('p1', 0));
    expect(first.body.pass).toMatchObject({ id: 'p1', uplink: true, feeder: 'dynamics' });
    const again = await write(first.body.pass);
    expect(again.body.pass).toEqual({ ...first.body.pass, updated_at: again.body.pass.updated_at });
    expect(idsOf(await list())).toEqual(['p1']);
  });

  it('MC-GEN-002 MC-PASS-002 answers its times in UTC, whichever zone they were written in', async () => {
    const local = `${new Date(START + 2 * HOUR).toISOString().slice(0, 19)}+02:00`;
    const { pass: written } = (await write({ ...pass('p1', 0), aos: local })).body;
    const read = (await call(`${url}/v1/passes/sat1/p1`)).body.pass;
    expect([written.aos, read.aos, (await list()).body.passes[0].pass.aos]).toEqual([at(0), at(0), at(0)]);
  });

  it('MC-PASS-063 stores it in mcs_passes under <target>.<pass>', async () => {
    await write(pass('p1', 0));
    const entry = await world.bus.bucket(buckets.passes).get('sat1.p1');
    expect([buckets.passes.name, JSON.parse(Buffer.from(entry!.value).toString())]).toEqual([
      'mcs_passes',
      expect.objectContaining({ id: 'p1', aos: at(0) }),
    ]);
  });

  it.each<[string, object]>([
    ['MC-PASS-001 an identifier that is no token', { id: 'a b' }],
    ['MC-PASS-001 no station', { station: undefined }],
    ['MC-PASS-001 a target that is no token', { target: 'sat.1' }],
    ['MC-PASS-002 no LOS', { los: undefined }],
    ['MC-PASS-002 a window that ends as it begins', { los: at(0) }],
    ['MC-PASS-003 an elevation that is none', { max_elevation: '91 deg' }],
    ['MC-PASS-003 no elevation', { max_elevation: undefined }],
    ['MC-PASS-004 another source', { source: 'operator' }],
    ['MC-PASS-005 another status', { status: 'planned' }],
    ['MC-PASS-007 a transceiver of two words', { transceiver: 'tx a' }],
    ['MC-PASS-008 a rate of zero', { rates: { uplink: '0 bit/s' } }],
    ['MC-PASS-009 a booked prediction', { status: 'booked' }],
    ['MC-PASS-024 an environment', { environment: 'flight' }],
  ])('refuses %s: 422 pass::invalid, and stores nothing', async (_what, more) => {
    const answer = await write({ ...pass('p1', 0), ...more });
    expect(said(answer)).toEqual([422, ['pass::invalid']]);
    expect(await world.bus.bucket(buckets.passes).list('>')).toEqual([]);
  });

  it.each(['', '{', '[]', '{"id":"a","id":"b"}'])('refuses the body %s', async (body) => {
    expect((await write(body)).status).toBe(422);
    expect(codesOf(await replaceBody(body))).toContain('pass::invalid');
  });

  it('MC-PASS-010 MC-ERR-093 refuses an unknown target: 422 pass::unknown-target', async () => {
    expect(said(await write(pass('p1', 0, { target: 'sat' })))).toEqual([422, ['pass::unknown-target']]);
    expect(said(await replace({ target: 'sat' }))).toEqual([422, ['pass::unknown-target']]);
  });

  it('refuses a body larger than a pass, or than a snapshot', async () => {
    expect(said(await write({ id: 'x'.repeat(1_100_000) }))).toEqual([413, ['api::too-large']]);
    expect(said(await replace({ from: 'x'.repeat(SNAPSHOT_BODY_BYTES) }))).toEqual([413, ['api::too-large']]);
  });
});

function replaceBody(body: string): Promise<Answer> {
  return coverage.post(`${url}/v1/passes/replace_window`, body, FDS);
}

describe('the answer to a write', () => {
  it.each([
    ['writePass', pass('p1', 0)],
    ['replacePasses', { source: 'fds', target: 'sat1', from: at(0), to: at(100), passes: [pass('p1', 0)] }],
  ])(
    'routes/passes.G3 of %s leaves when the lists of this process have what was written',
    async (name, body) => {
      const asked: (number | undefined)[] = [];
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const seen = (revision: number | undefined): Promise<void> => {
        asked.push(revision);
        return held;
      };
      const written = {
        outcome: { upserted: [], cancelled: [], contributions: {} },
        revision: 7,
        journal: 1,
      };
      const { missions, bus, log } = world;
      const passes = { seen, viewOf: () => ({}) };
      const ports = {
        missions,
        bus,
        log,
        clock: realClock,
        passes,
        passWriter: { write: async () => written },
      };
      const caller = { kind: 'declared', name: 'dynamics', roles: [] } as const;
      const request = { params: {}, query: {}, content: undefined, body, caller };
      const route = passRoutes.find(({ operationId }) => operationId === name)!;
      let answered = false;
      const answer = Promise.resolve(route.handle(request, ports as unknown as RoutePorts)).then(
        (handled) => {
          answered = true;
          return handled;
        },
      );
      await until(() => asked.length === 1);
      await settled();
      expect([asked, answered]).toEqual([[7], false]);
      release();
      expect(await answer).toMatchObject({ ok: true, value: { status: 200 } });
    },
  );
});

describe('who writes passes', () => {
  afterEach(clear);

  it('MC-PASS-021 MC-PASS-061 MC-AUTH-024 MC-AUTH-025 MC-ERR-090 is a feeder: 403 pass::not-a-feeder for anybody else, and for nobody', async () => {
    for (const headers of [{ 'x-mcs-user': 'ada' }, {}, { 'x-mcs-user': 'constructor' }]) {
      expect(said(await write(pass('p1', 0), headers))).toEqual([403, ['pass::not-a-feeder']]);
      expect(said(await replace({}, headers))).toEqual([403, ['pass::not-a-feeder']]);
    }
    publish({ feeders: {} });
    expect(said(await write(pass('p1', 0)))).toEqual([403, ['pass::not-a-feeder']]);
  });

  it('MC-PASS-022 MC-PASS-060 MC-ERR-091 writes its own source alone: 403 pass::forbidden-source', async () => {
    const forbidden = [403, ['pass::forbidden-source']];
    expect(said(await write(booking('b1', 0)))).toEqual(forbidden);
    expect(said(await replace({ source: 'provider' }))).toEqual(forbidden);
    expect(said(await replace({ passes: [pass('p1', 0), booking('b1', 50)] }))).toEqual(forbidden);
    expect(idsOf(await list())).toEqual([]);
  });

  it('MC-PASS-061 is not who only declares a name, once an identity provider is configured', async () => {
    publish({ auth: PROVIDER });
    expect(said(await write(pass('p1', 0)))).toEqual([403, ['pass::not-a-feeder']]);
  });

  it('MC-PASS-011 MC-AUTH-025 is named by the subject of the token, and by nothing declared beside it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'feeders-'));
    const { publicKey, privateKey } = await generateKeyPair('ES384');
    const jwks = join(folder, 'jwks.json');
    writeFileSync(
      jwks,
      JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES384' }] }),
    );
    publish({ auth: { ...PROVIDER, jwks_file: jwks } });
    const bearer = async (subject: string): Promise<Record<string, string>> => {
      const jwt = new SignJWT({}).setProtectedHeader({ alg: 'ES384', kid: 'k' }).setSubject(subject);
      const signed = jwt
        .setIssuer(PROVIDER.issuer!)
        .setAudience('mission')
        .setExpirationTime('1 h')
        .setIssuedAt();
      return { authorization: `Bearer ${await signed.sign(privateKey)}`, ...FDS };
    };
    expect((await write(pass('p1', 0), await bearer('dynamics'))).body.pass.feeder).toBe('dynamics');
    expect(said(await write(pass('p2', 50), await bearer('ada')))).toEqual([403, ['pass::not-a-feeder']]);
    rmSync(folder, { recursive: true });
  });

  it('MC-PASS-023 has a good token, where there is one', async () => {
    const token = { authorization: 'Bearer x' };
    const all = async (headers: Record<string, string>): Promise<unknown[]> => [
      said(await coverage.call(`${url}/v1/passes`, { headers })),
      said(await coverage.call(`${url}/v1/passes/sat1/p1`, { headers })),
      said(await write(pass('p1', 0), headers)),
      said(await replace({}, headers)),
      said((await coverage.follow(`${url}/v1/passes/watch`, headers)).refused!),
    ];
    expect(await all(token)).toEqual(Array(5).fill([401, ['auth::no-provider']]));
    publish({ auth: PROVIDER });
    expect(await all(token)).toEqual(Array(5).fill([401, ['auth::invalid-token']]));
    publish({ auth: { required: true } });
    expect(await all(FDS)).toEqual(Array(5).fill([401, ['auth::token-required']]));
  });
});

describe('a snapshot', () => {
  afterEach(clear);

  it('MC-PASS-038 MC-PASS-039 MC-PASS-040 answers the stored identifiers of what it wrote and cancelled', async () => {
    await write(pass('p1', 0));
    await write(booking('b1', 1), NETWORK);
    await write(pass('p2', 50));
    const answer = await replace({ passes: [pass('renamed', 2), pass('p3', 80)] });
    expect([answer.status, answer.body]).toEqual([200, { upserted: ['p1', 'p3'], cancelled: ['p2'] }]);
    expect((await read('p2')).body.pass.status).toBe('cancelled');
    expect((await read('p1')).body.pass).toMatchObject({
      status: 'booked',
      contributions: { fds: { id: 'renamed' } },
    });
  });

  it.each<[string, object]>([
    ['MC-PASS-038 no source', { source: undefined }],
    ['MC-PASS-038 no target', { target: undefined }],
    ['MC-PASS-038 no time', { from: '2026-01-02' }],
    ['MC-PASS-038 no passes', { passes: undefined }],
    ['MC-PASS-043 a pass of another target', { passes: [pass('p1', 0), pass('p2', 50, { target: 'sat2' })] }],
    ['MC-PASS-044 a pass outside of the interval', { passes: [pass('p1', 0), pass('p2', 2_000)] }],
    ['MC-PASS-045 an interval that ends before it begins', { from: at(1_000), to: at(0) }],
    ['more passes than it may have', { passes: Array(5_001).fill(null) }],
  ])('is refused whole for %s: 422 pass::invalid, writing nothing', async (_what, more) => {
    await write(pass('p0', 100));
    const answer = await replace(more);
    expect([answer.status, new Set(codesOf(answer))]).toEqual([422, new Set(['pass::invalid'])]);
    expect(idsOf(await list())).toEqual(['p0']);
    expect((await read('p0')).body.pass.status).toBe('predicted');
  });
});

describe('the watch of passes', () => {
  afterEach(clear);

  it('opens with each that is not over, then reports each change, also of its gateway', async () => {
    await write(pass('p1', 0));
    await write(pass('old', 0, { aos: '2026-01-02T03:04:05Z', los: '2026-01-02T03:14:05Z' }));
    const watch = await coverage.open(`${url}/v1/passes/watch`);
    await until(() => watch.messages.length === 1);
    await write(booking('b1', 1), NETWORK);
    await until(() => watch.messages.length === 2);
    const check = { reason: 'no gateway carries tag kiruna', checked_at: at(0) };
    await world.bus.bucket(buckets.passGateways).overwrite('sat1.p1', Buffer.from(JSON.stringify(check)));
    await until(() => watch.messages.length === 3);
    const views = watch.messages as PassView[];
    expect(views.map(({ pass: { id, status } }) => `${id} ${status}`)).toEqual([
      'p1 predicted',
      'p1 booked',
      'p1 booked',
    ]);
    expect(views[2]!.gateway).toEqual(check);
    watch.close();
  });

  it('limits them to a target, and refuses one that is not there', async () => {
    const watch = await coverage.open(`${url}/v1/passes/watch?target=sat2`);
    await write(pass('p1', 0));
    await write(pass('p2', 0, { target: 'sat2' }));
    await until(() => watch.messages.length === 1);
    expect((watch.messages[0] as PassView).pass.id).toBe('p2');
    watch.close();
    const { refused } = await coverage.follow(`${url}/v1/passes/watch?target=sat9`);
    expect(said(refused!)).toEqual([404, ['api::unknown-target']]);
    const query = await coverage.follow(`${url}/v1/passes/watch?all=true`);
    expect(said(query.refused!)).toEqual([400, ['api::invalid-body']]);
  });
});

describe('two processes', () => {
  afterEach(clear);

  let other: FrontEnd;
  beforeAll(async () => {
    other = await world.another();
  });

  it('MC-PASS-029 MC-PASS-037 that write a prediction and a booking at once lose neither, and make one pass', async () => {
    for (let round = 0; round < 20; round += 1) {
      const from = round * 30;
      const answers = await Promise.all([
        post(`${url}/v1/passes`, pass(`p${round}`, from), FDS),
        post(`${other.url}/v1/passes`, booking(`b${round}`, from + 2), NETWORK),
      ]);
      expect(answers.map(({ status, body }) => (status === 200 ? status : body))).toEqual([200, 200]);
    }
    // This process sees what the other one wrote last a moment after that one has answered.
    await until(
      async () => {
        const merged = (await list()).body.passes as PassView[];
        const both = merged.filter(
          ({ pass: { contributions } }) => contributions?.fds && contributions.provider,
        );
        return both.length === 20;
      },
      { what: 'twenty passes of two contributions each' },
    );
    expect(idsOf(await list())).toHaveLength(20);
  });

  it('MC-PASS-058 see what the other wrote', async () => {
    await post(`${other.url}/v1/passes`, pass('p1', 0), FDS);
    await until(async () => idsOf(await list()).length === 1);
  });
});

describe('many passes', () => {
  it('a snapshot of 5,000 is written whole, and again, and dropped; a list of more goes on', {
    timeout: 180_000,
  }, async () => {
    /** Its answer waits for the lists of this process, but for no longer than a loaded machine may take. */
    const listed = (count: number, status: Pass['status']): Promise<Answer> =>
      until(async () => {
        const page = await list();
        const found = (page.body.passes as PassView[]).filter(({ pass }) => pass.status === status);
        return found.length === count && page;
      });
    const passes = Array.from({ length: 5_000 }, (_, n) => pass(`p${n}`, n * 20));
    const to = at(200_000);
    const whole = await replace({ to, passes });
    expect([whole.status, whole.body.errors]).toEqual([200, undefined]);
    expect(whole.body.upserted).toHaveLength(5_000);
    expect(idsOf(await listed(5_000, 'predicted'))).toHaveLength(5_000);
    expect((await replace({ to, passes: passes.slice(0, 4_000) })).body).toMatchObject({
      cancelled: passes.slice(4_000).map(({ id }) => id),
    });
    const page = await listed(1_000, 'cancelled');
    expect(page.body.next).toBeUndefined();
    await write(pass('last', 190_000));
    const { next } = (await list()).body;
    expect(idsOf(await list(`?after=${next}`))).toEqual(['last']);
    const watch = await coverage.open(`${url}/v1/passes/watch?target=sat1`);
    await until(() => watch.messages.length === 5_001);
    const views = watch.messages as PassView[];
    expect(views.map(({ pass: { id } }) => id)).toEqual([...passes.map(({ id }) => id), 'last']);
    await write(pass('last', 190_001));
    await until(() => watch.messages.length === 5_002);
    watch.close();
  });
});

describe('without a configuration or a bus', () => {
  it('writing needs a configuration; everything needs the bus', async () => {
    world.missions.publish(undefined);
    expect(said(await write(pass('p1', 0)))[1]).toEqual(['api::no-configuration']);
    expect(said(await replace({}))[1]).toEqual(['api::no-configuration']);
    publish();
    await world.nats.kill();
    await until(() => !world.bus.connected);
    const away = [503, ['api::unavailable']];
    expect(said(await list())).toEqual(away);
    expect(said(await read('p1'))).toEqual(away);
    expect(said(await write(pass('p1', 0)))).toEqual(away);
    expect(said(await replace({}))).toEqual(away);
    expect(said((await coverage.follow(`${url}/v1/passes/watch`)).refused!)).toEqual(away);
    await world.nats.start();
    await until(() => world.bus.connected);
  });

  it.each([
    ['GET', '/v1/passes/sat1/p1'],
    ['POST', '/v1/passes'],
    ['POST', '/v1/passes/replace_window'],
  ])('%s %s takes no query parameter', async (method, path) => {
    const body = method === 'POST' ? JSON.stringify(pass('p1', 0)) : null;
    const answer = await coverage.call(`${url}${path}?all=true`, { method, body, headers: FDS });
    expect(codesOf(answer)).toContain('api::invalid-body');
  });

  it('every reply and code of the routes was seen', () => {
    expect(coverage.missing()).toEqual([]);
  });
});
