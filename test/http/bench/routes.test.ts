/** Every route of the bench over a scripted one: what it asks the bench, every status and every code it can answer. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BENCH_ERRORS, type BenchErrorCode } from '../../../contract/bench/errors.ts';
import { MEASURE_PAYLOAD_BYTES } from '../../../contract/limits/bench.ts';
import { JSON_BODY_BYTES } from '../../../contract/limits/request.ts';
import { benchDialect } from '../../../http/bench/dialect.ts';
import { benchFollows, benchRoutes } from '../../../http/bench/front-end.ts';
import { declaredErrors } from '../../../http/route.ts';
import { templateOf } from '../../../http/schema-components.ts';
import { call } from '../fixture.ts';
import { benchCoverage, type ServedBench, seenWithIdentity, serveBench } from './fixture.ts';
import { GOOD, type Good, SPECIFIED, sent } from './requests.ts';
import { fault, type ScriptedBench, scriptedBench } from './scripted.ts';

const coverage = benchCoverage();
let script: ScriptedBench;
let served: ServedBench;

beforeAll(async () => {
  script = scriptedBench();
  served = await serveBench(script.bench);
});
beforeEach(() => {
  script.asked.length = 0;
  script.refusal = undefined;
  script.defect = undefined;
});
afterAll(() => served.close());

const send = (good: Good, query = '') => coverage.call(`${served.url}${good.path}${query}`, sent(good));

const OURS = ['/api/v1/capabilities', '/api/v1/radio/aux', '/api/v1/radio/clocks', '/api/v1/radio/state'];
const NAMED = GOOD.filter(({ route }) => route.includes('{'));
const WITH_BODY = GOOD.filter((good) => declaredErrors(routeOf(good), benchDialect).has('too_large'));

function routeOf({ method, route }: Good) {
  return benchRoutes.find((each) => each.method === method && templateOf(each.path) === route)!;
}

describe('the table of routes', () => {
  it('RB-GEN-001 has every route of section 4 under /api/v1', () => {
    const there = benchRoutes.map(({ method, path }) => `${method} ${templateOf(path)}`);
    for (const { method, route } of SPECIFIED) expect(there).toContain(`${method} ${route}`);
    expect(SPECIFIED).toHaveLength(49);
  });

  it('RB-GEN-010 has nothing outside of /api/v1 but feeds and probes', () => {
    for (const { path } of [...benchRoutes, ...benchFollows]) {
      expect(path).toMatch(/^\/(api\/v1\/|ws\/|healthz$|metrics$)/);
    }
  });

  it.each(OURS)('reads %s, by a table of its own: nobody asks for a verb there', (path) => {
    const methods = benchRoutes.filter((each) => each.path === path).map(({ method }) => method);
    expect(methods).toEqual(['GET']);
  });

  it('is walked by these tests as a whole', () => {
    const walked = [...GOOD.map(({ method, route }) => `${method} ${route}`)].sort();
    const described = [
      '/healthz',
      '/metrics',
      '/api/v1/openapi.json',
      '/api/v1/asyncapi.json',
      '/api/v1/schemas/{kind}',
    ];
    const there = benchRoutes
      .map(({ method, path }) => `${method} ${templateOf(path)}`)
      .filter((name) => !described.some((path) => name.endsWith(path)));
    expect(there.sort()).toEqual(walked);
  });
});

describe('a good request', () => {
  it.each(GOOD)('$lines $method $route answers $status', async (good) => {
    const { status } = await send(good);
    expect(status).toBe(good.status);
    expect(script.asked.map(({ what }) => what)).toEqual([good.asks]);
    expect(served.log.lines).toEqual([]);
  });

  it('RB-GEN-009 is served whoever says to be calling', async () => {
    const headers = { authorization: 'Bearer nothing', 'x-mcs-user': 'alarm-reactions' };
    expect((await call(`${served.api}/radio/state`, { headers })).status).toBe(200);
  });
});

/** Those that the specification shows by their statuses. */
const CODES: [BenchErrorCode, number][] = [
  ['validation_failed', 400],
  ['not_found', 404],
  ['conflict', 409],
  ['unavailable', 503],
  ['timeout', 504],
];

describe('a refusal', () => {
  const refusals = GOOD.flatMap((good) => {
    const { errors, params } = routeOf(good);
    const found = Object.keys(params).length > 0 ? (['not_found'] as const) : [];
    return [...new Set([...errors, ...found])].map((code) => ({ ...good, code }));
  });

  it.each(refusals)('$method $route passes $code on with its status', async ({ code, ...good }) => {
    script.refusal = fault(code);
    const { status, body } = await send(good);
    expect({ status, code: body.code }).toEqual({ status: BENCH_ERRORS[code].status, code });
  });

  it.each(GOOD)('$method $route refuses a parameter it does not know', async (good) => {
    const { status, body } = await send(good, '?nonsense=1');
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' });
    expect(body.message).toContain('nonsense');
    expect(script.asked).toEqual([]);
  });

  it.each(NAMED)(
    'RB-ERR-003 $method $route answers 404 to a name or identifier that cannot be one',
    async (good) => {
      for (const wrong of ['%20', '-%2F', 'a%00b', `${'a'.repeat(80)}`]) {
        const path = good.route.replace(/\{\w+\}/g, wrong);
        const { status, body } = await send({ ...good, path });
        expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' });
      }
      expect(script.asked).toEqual([]);
    },
  );

  it.each(WITH_BODY)(
    'RB-LIM-005 $method $route refuses a body that is larger than it takes with 413',
    async (good) => {
      const size = routeOf(good).bytes?.maxBytes ?? JSON_BODY_BYTES;
      const { status, body } = await send({ ...good, bytes: ' '.repeat(size + 1) });
      expect({ status, code: body.code }).toEqual({ status: 413, code: 'too_large' });
      expect(script.asked).toEqual([]);
    },
  );

  it('RB-LIM-005 takes the largest payload there is', async () => {
    const [measure] = GOOD.filter(({ route }) => route.endsWith('/measure'));
    expect((await send({ ...measure!, bytes: 'x'.repeat(MEASURE_PAYLOAD_BYTES) })).status).toBe(200);
    expect(script.asked[0]!.args[0]).toHaveLength(MEASURE_PAYLOAD_BYTES);
  });

  it.each(CODES)(
    'RB-ERR-002 RB-ERR-003 RB-ERR-004 RB-ERR-005 RB-ERR-006 RB-ERR-007 %s is %i',
    async (code, status) => {
      script.refusal = fault(code);
      const transmit = GOOD.find(({ route }) => route.endsWith('/transmit'))!;
      expect((await send(transmit)).status).toBe(status);
    },
  );

  it('RB-ERR-001 RB-GEN-007 has one code and every reason with its place, help, next step and state', async () => {
    const state = { ready: false } as never;
    const next = { condition: 'switch.pl', command: 'POST /api/v1/radio/loopback' };
    script.refusal = { ...fault('conflict'), path: 'packets', help: 'condition first', next, state };
    const transmit = GOOD.find(({ route }) => route.endsWith('/transmit'))!;
    const answer = await fetch(`${served.url}${transmit.path}`, sent(transmit));
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({
      code: 'conflict',
      message: 'packets: scripted: conflict',
      help: 'condition first',
      next,
      state,
    });
  });

  it('RB-ERR-001 says several reasons at once, each once with its place', async () => {
    const body = JSON.stringify({ center_frequency_hz: -1, channel: 'up', tune: true });
    const answer = await call(`${served.api}/radio/frequency?x=1`, { method: 'POST', body });
    const reasons = answer.body.message.replace('; this', ', this').split('; ');
    for (const place of ['query parameter x', '/center_frequency_hz', '/channel', '/tune']) {
      expect(reasons.filter((reason: string) => new RegExp(`${place}[ ,]`).test(reason))).toHaveLength(1);
    }
    expect(answer.body.help).toContain('Known fields: center_frequency_hz, channel, tune_lo.');
  });

  it('a defect is 500 `internal`, and the log names the request', async () => {
    script.defect = new Error('broken');
    const { status, body } = await call(`${served.api}/radio/state`);
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal' });
    const line = served.log.lines.find(({ level }) => level === 'error');
    expect(body.message).toContain((line!.fields as { request: string }).request);
    served.log.lines.length = 0;
  });

  it('an unknown route is 404 `not_found`, also under a method it has not', async () => {
    for (const [path, method] of [
      ['/nothing', 'GET'],
      ['/radio/state', 'DELETE'],
      ['/radio/state/more', 'GET'],
    ] as const) {
      const { status, body } = await call(`${served.api}${path}`, { method });
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' });
      expect(body.help).toContain('/api/v1/openapi.json');
    }
  });

  it('a page of another origin is refused 403 `foreign_origin`', async () => {
    const headers = { origin: 'http://elsewhere.example' };
    const { status, body } = await call(`${served.api}/radio/state`, { headers });
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'foreign_origin' });
  });
});

describe('the service about itself', () => {
  it('RB-GEN-008 states version 0.1.0', async () => {
    const { body } = await coverage.call(`${served.api}/openapi.json`);
    expect(body.info).toMatchObject({ title: 'RF Bench Service', version: '0.1.0' });
    const following = await coverage.call(`${served.api}/asyncapi.json`);
    expect(following.body.info.version).toBe('0.1.0');
    for (const path of ['openapi.json', 'asyncapi.json'])
      expect((await coverage.call(`${served.api}/${path}?x=1`)).status).toBe(400);
  });

  it('gives editors the schemas of its documents', async () => {
    for (const kind of ['profile', 'scenario', 'campaign', 'bench']) {
      const { status, body } = await coverage.call(`${served.api}/schemas/${kind}`);
      expect([status, body.$schema, body.type]).toEqual([
        200,
        'http://json-schema.org/draft-07/schema#',
        'object',
      ]);
    }
    expect((await coverage.call(`${served.api}/schemas/profile?x=1`)).status).toBe(400);
    expect(await coverage.call(`${served.api}/schemas/mission`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it('counts its requests', async () => {
    const { body } = await coverage.call(`${served.url}/metrics`);
    expect(body).toMatch(/bench_http_requests_total\{operation="readRadio",status="200"\} [1-9]/);
  });

  it('shows its interface to people', async () => {
    const page = await (await fetch(`${served.url}/docs`)).text();
    expect(page).toContain('RF Bench Service: interface');
    expect(page).toContain('data-document="/api/v1/openapi.json"');
  });

  it('is healthy until it drains', async () => {
    expect((await coverage.call(`${served.url}/healthz`)).body.state).toBe('up');
    served.drain();
    expect(await coverage.call(`${served.url}/healthz`)).toMatchObject({
      status: 503,
      body: { state: 'draining' },
    });
  });
});

it('every status and every code of every route was seen', () => {
  const sockets = new Set(benchFollows.map(({ operationId }) => operationId));
  const missing = coverage.missing().filter((item) => !seenWithIdentity(item));
  expect(missing.filter((item) => !sockets.has(item.split(' ')[0]!))).toEqual([]);
});
