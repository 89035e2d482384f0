/** The layer itself, on real sockets, with routes of its own: bodies, parameters, aborts and abuse. */

import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REFUSED_BODY_BYTES } from '../../contract/limits/connection.ts';
import { refuse } from '../../http/errors.ts';
import { targetInPath } from '../../http/parameters.ts';
import { defineRoute } from '../../http/route.ts';
import { type FrontEnd, serveRoutes } from '../../http/serve.ts';
import { checkEnvironment } from '../../http/uws/server.ts';
import { until } from '../support/until.ts';
import { takeViolations } from '../support/violations.ts';
import {
  blindConnection,
  call,
  codesOf,
  isAnswered,
  layerPorts,
  post,
  rawConnection,
  serveLayer,
  unhurriedClock,
} from './fixture.ts';

const Echo = Type.Object(
  {
    name: Type.String(),
    kind: Type.Optional(Type.Enum(['a', 'b'])),
    args: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))),
  },
  { additionalProperties: false, title: 'Echo' },
);

let released: () => void = () => {};
let waiting = 0;
let ordered = 0;

const routes = [
  defineRoute({
    method: 'POST',
    path: '/v1/echo',
    operationId: 'echo',
    summary: 'echo',
    body: Echo,
    replies: { 200: Echo },
    errors: [],
    handle: ({ body }) => ({ ok: true, value: { status: 200, body } }),
  }),
  ...(['POST', 'PUT', 'DELETE'] as const).map((method) =>
    defineRoute({
      method,
      path: '/v1/targets/:target/order',
      operationId: `${method.toLowerCase()}Order`,
      summary: 'an order without a body',
      params: { target: targetInPath },
      replies: { 200: Type.Object({}) },
      errors: [],
      handle() {
        ordered += 1;
        return { ok: true, value: { status: 200, body: {} } };
      },
    }),
  ),
  defineRoute({
    method: 'GET',
    path: '/v1/targets/:target/thing',
    operationId: 'thing',
    summary: 'thing',
    params: { target: targetInPath },
    query: {
      count: {
        schema: Type.Integer(),
        expected: 'a whole number',
        parse: (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined),
      },
    },
    replies: { 200: Type.Object({}) },
    errors: [],
    handle: ({ params, query, caller }) => ({
      ok: true,
      value: { status: 200, body: { params, query, caller } },
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/slow',
    operationId: 'slow',
    summary: 'slow',
    replies: { 200: Type.Object({}) },
    errors: [],
    async handle() {
      waiting += 1;
      await new Promise<void>((resolve) => {
        released = resolve;
      });
      return { ok: true, value: { status: 200, body: {} } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/broken',
    operationId: 'broken',
    summary: 'broken',
    replies: {},
    errors: [],
    handle: () => {
      throw new Error('secret of the implementation');
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/undeclared',
    operationId: 'undeclared',
    summary: 'undeclared',
    replies: {},
    errors: [],
    handle: () => refuse('alarm::refused', 'not declared'),
  }),
];

const ports = layerPorts();
let frontEnd: FrontEnd;
let url: string;

beforeAll(async () => {
  frontEnd = await serveLayer(routes, [], ports);
  url = frontEnd.url;
});
afterAll(() => frontEnd.close());

/** A server to which no client pauses in the middle of a body. */
const unhurried = (): Promise<FrontEnd> => serveLayer(routes, [], { ...layerPorts(), clock: unhurriedClock });

/** Where a fault says it is. */
const pathOf = ({ message }: { message: string }): string => message.split(' ')[0]!;

describe('bodies', () => {
  it('MC-GEN-005 takes and gives JSON', async () => {
    const answer = await post(`${url}/v1/echo`, { name: 'é', args: { x: 1 } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.body).toEqual({ name: 'é', args: { x: 1 } });
  });

  it.each([
    ['text that is no JSON', 'name=1'],
    ['nothing', ''],
    ['a cut document', '{"name":"x"'],
    ['two documents', '{"name":"x"}{"name":"y"}'],
    ['a byte order mark', '\uFEFF{"name":"x"}'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0x6e, 0xff, 0xfe, 0x22, 0x7d])],
    ['half a million open brackets', '['.repeat(500_000)],
  ])('MC-GEN-006 MC-ERR-007 refuses %s as api::invalid-body', async (_what, body) => {
    const answer = await post(`${url}/v1/echo`, body);
    expect(answer.status).toBe(400);
    expect(codesOf(answer)).toEqual(['api::invalid-body']);
  });

  it.each([
    ['a list', [], undefined],
    ['null', 'null', undefined],
    ['a name of the wrong type', { name: 1 }, '/name'],
    ['no name', {}, '/name'],
    ['a kind that is none', { name: 'x', kind: 'c' }, '/kind'],
    ['an argument that is a list', { name: 'x', args: { a: [] } }, '/args/a'],
  ])('MC-GEN-008 refuses %s and says where', async (_what, body, path) => {
    const answer = await post(`${url}/v1/echo`, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.body.errors[0].code).toBe('api::invalid-body');
    if (path !== undefined) expect(pathOf(answer.body.errors[0])).toBe(path);
  });

  it('MC-GEN-007 refuses an unknown field and names the known ones', async () => {
    const answer = await post(`${url}/v1/echo`, { name: 'x', nmae: 'y' });
    expect(answer.body.errors).toEqual([
      {
        code: 'api::invalid-body',
        message: '/nmae is not a known field',
        help: 'Known fields: name, kind, args.',
      },
    ]);
  });

  it('MC-ERR-001 MC-ERR-002 lists every problem of a body, each with its path', async () => {
    const answer = await post(`${url}/v1/echo`, '{"a":1,"b":2,"kind":"c","args":{"q":[],"r":null},"a":3}');
    expect(answer.body.errors.map(pathOf).sort()).toEqual(
      ['/a', '/a', '/args/q', '/args/r', '/b', '/kind', '/name'].sort(),
    );
    for (const item of answer.body.errors) {
      expect(item.code).toBe('api::invalid-body');
      expect(item.message).toMatch(/^\/[\w/]+ \w/);
      expect(Object.keys(item).filter((key) => !['code', 'message', 'help'].includes(key))).toEqual([]);
    }
  });

  it('bounds the list of problems of a hostile body', async () => {
    const bodyOf = (length: number) => Object.fromEntries(Array.from({ length }, (_, n) => [`x${n}`, 1]));
    const answer = await post(`${url}/v1/echo`, bodyOf(300));
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveLength(101);
    expect(answer.body.errors[100].message).toMatch(/more/);
    const larger = await post(`${url}/v1/echo`, bodyOf(20_000));
    expect([larger.status, larger.body.errors]).toEqual([
      400,
      [{ code: 'api::invalid-body', message: 'the body has 20000 entries; at most 3 fit' }],
    ]);
  });

  it('refuses a name that is given twice, also one written with an escape, and names it', async () => {
    const answer = await post(`${url}/v1/echo`, '{"name":"a:b","args":{"x":1,"\\u0078":2}}');
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      { code: 'api::invalid-body', message: '/args/x occurs twice in the body' },
    ]);
  });

  it('does not take colons and quotes inside text for names', async () => {
    const body = { name: 'a:"b":{[,', args: { 'x:"y"': ':' } };
    expect((await post(`${url}/v1/echo`, body)).body).toEqual(body);
  });

  it('exchange.U17 says how long a connection stays open without a request, and keeps it for at least as long', async () => {
    const client = await rawConnection(Number(new URL(url).port));
    // Not from when the answer is seen: a process that stands still sees it late.
    const asked = performance.now();
    client.send('GET /v1/targets/sat1/thing HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const said = await until(() => /keep-alive: timeout=(\d+)/i.exec(client.received())?.[1]);
    await until(() => client.closed(), { timeoutMs: 60_000, what: 'the end of an idle connection' });
    expect((performance.now() - asked) / 1_000).toBeGreaterThan(Number(said));
  });

  it('MC-LIM-022 refuses a body above 1 MiB with 413 api::too-large and takes one just below', async () => {
    const envelope = JSON.stringify({ name: '' }).length;
    const fits = await post(`${url}/v1/echo`, { name: 'x'.repeat(1024 * 1024 - envelope) });
    expect(fits.status).toBe(200);
    const answer = await post(`${url}/v1/echo`, { name: 'x'.repeat(1024 * 1024 - envelope + 1) });
    expect(answer.status).toBe(413);
    expect(codesOf(answer)).toEqual(['api::too-large']);
  });

  it('uws/server.U9 a head above 16 KiB is 431 in the form of the service; far above, the page of the web server', async () => {
    const answer = async (bytes: number): Promise<string> => {
      const client = await rawConnection(frontEnd.port);
      client.send(`GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\nCookie: ${'c'.repeat(bytes)}\r\n\r\n`);
      await until(() => client.closed() || client.received().includes('</html>'));
      client.destroy();
      return client.received();
    };
    const ours = await answer(17_000);
    expect(ours).toMatch(/^HTTP\/1.1 431 Request Header Fields Too Large\r\n/);
    const { errors } = JSON.parse(ours.slice(ours.indexOf('\r\n\r\n')));
    expect(errors).toMatchObject([{ code: 'api::head-too-large', help: expect.any(String) }]);
    // Nobody is asked: what the native server says to a head that it does not take is fixed in it.
    const theirs = await answer(70_000);
    expect(theirs).toMatch(/^HTTP\/1.1 431 /);
    expect(theirs).not.toContain('api::');
  });

  it('body-collector.U21 refused-body.U26 a client that sends all of a body before it reads finds the 413, and can go on', async () => {
    const size = 8 * 1024 * 1024;
    const length = `Host: localhost\r\nContent-Length: ${size}\r\n\r\n`;
    const own = await unhurried();
    const client = await blindConnection(own.port);
    await client.sendAll(Buffer.from(`POST /v1/echo HTTP/1.1\r\n${length}`), Buffer.alloc(size, 0x20));
    await client.sendAll(Buffer.from('GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    await until(() => client.received().includes('api::unknown-route'));
    expect(client.received()).toMatch(/^HTTP\/1.1 413 [\s\S]*api::too-large/);
    client.destroy();
    await own.close();
  });

  it('body-collector.U21 so does one that sends it in chunks', async () => {
    const own = await unhurried();
    const client = await blindConnection(own.port);
    const chunk = Buffer.from(`80000\r\n${' '.repeat(0x80000)}\r\n`);
    const head = 'POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
    await client.sendAll(
      Buffer.from(head),
      ...Array.from({ length: 16 }, () => chunk),
      Buffer.from('0\r\n\r\n'),
    );
    await until(() => client.received().includes('api::too-large'));
    expect(client.received()).toMatch(/^HTTP\/1.1 413 /);
    client.destroy();
    await own.close();
  });

  it('refused-body.U26 an endless body is cut off: 413 where it is read, and no more than the bound is taken', async () => {
    const client = await blindConnection(frontEnd.port);
    const chunk = Buffer.from(`100000\r\n${' '.repeat(0x100000)}\r\n`);
    const head = 'POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunks = REFUSED_BODY_BYTES / 0x100000 + 64;
    await client
      .sendAll(Buffer.from(head), ...Array.from({ length: chunks }, () => chunk))
      .catch(() => undefined);
    await until(() => client.closed());
  });

  it('MC-LIM-022 refuses a chunked body above 1 MiB while it is still coming', async () => {
    const client = await rawConnection(frontEnd.port);
    client.send('POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    for (let sent = 0; sent < 17; sent += 1) client.send(`10000\r\n${'y'.repeat(65_536)}\r\n`);
    await until(() => client.received().includes('api::too-large'));
    await until(() => client.closed());
    expect(client.received()).toMatch(/^HTTP\/1.1 413 /);
  });
});

describe('a route that takes no body', () => {
  const order = (method: string, body?: string, more = ''): ReturnType<typeof call> =>
    call(`${url}/v1/targets/sat1/order${more}`, { method, ...(body !== undefined && { body }) });

  it.each(['POST', 'PUT', 'DELETE'])(
    'MC-GEN-006 MC-GEN-007 http/check.C2 refuses a %s with one, whatever is in it, and does nothing',
    async (method) => {
      const before = ordered;
      for (const body of [
        'zz',
        '[]',
        '{',
        '{"a":1}',
        '{"reason":"typo"',
        '{}{}',
        ' ',
        `${' '.repeat(64)}{}`,
      ]) {
        const answer = await order(method, body);
        expect([answer.status, codesOf(answer)]).toEqual([400, ['api::invalid-body']]);
        expect(answer.body.errors[0].message).toBe('this route takes no body');
      }
      expect(ordered).toBe(before);
      expect((await order(method)).status).toBe(200);
      expect((await order(method, '')).status).toBe(200);
      expect((await order(method, '{}')).status).toBe(200);
      expect((await order(method, '{ }\n')).status).toBe(200);
      expect(ordered).toBe(before + 4);
    },
  );

  it.each([
    ['', '', 200],
    ['Content-Length: 0\r\n', '', 200],
    ['Transfer-Encoding: chunked\r\n', '0\r\n\r\n', 200],
    ['Transfer-Encoding: chunked\r\n', '1\r\nz\r\n0\r\n\r\n', 400],
  ])('http/check.C2 with %j and %j answers %d', async (headers, body, status) => {
    const client = await rawConnection(frontEnd.port);
    client.send(`POST /v1/targets/sat1/order HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n${body}`);
    await until(() => isAnswered(client.received()));
    expect(client.received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    client.destroy();
  });

  it('MC-GEN-027 http/check.C2 refuses it behind a bad token and a bad path, and beside a bad query', async () => {
    const token = { method: 'POST', body: 'zz', headers: { authorization: 'Bearer x' } };
    expect(codesOf(await call(`${url}/v1/targets/a.b/order`, token))).toEqual(['auth::no-provider']);
    const path = await call(`${url}/v1/targets/a.b/order`, { method: 'POST', body: 'zz' });
    expect(codesOf(path)).toEqual(['api::invalid-target']);
    expect((await order('POST', 'zz', '?a=1')).body.errors).toHaveLength(2);
  });

  it('plain.U28 a client that sends a large one before it reads finds the refusal, and can go on', async () => {
    const size = 8 * 1024 * 1024;
    const own = await unhurried();
    const client = await blindConnection(own.port);
    const head = `POST /v1/targets/sat1/order HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${size}\r\n\r\n`;
    await client.sendAll(Buffer.from(head), Buffer.alloc(size, 0x20));
    await client.sendAll(Buffer.from('GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    await until(() => client.received().includes('api::unknown-route'));
    expect(client.received()).toMatch(/^HTTP\/1.1 400 [\s\S]*takes no body/);
    client.destroy();
    await own.close();
  });

  it('plain.U28 an endless one is cut off behind the refusal', async () => {
    const before = ordered;
    const client = await blindConnection(frontEnd.port);
    const chunk = Buffer.from(`100000\r\n${' '.repeat(0x100000)}\r\n`);
    const head =
      'POST /v1/targets/sat1/order HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunks = REFUSED_BODY_BYTES / 0x100000 + 64;
    await client
      .sendAll(Buffer.from(head), ...Array.from({ length: chunks }, () => chunk))
      .catch(() => undefined);
    await until(() => client.closed());
    expect(ordered).toBe(before);
  });
});

describe('routes and parameters', () => {
  it.each([
    ['GET', '/v1/nothing'],
    ['GET', '/v2/echo'],
    ['GET', '/'],
    ['POST', '/v1/echo/'],
    ['GET', '/v1/ECHO'],
  ])('MC-GEN-019 MC-ERR-006 answers %s %s with 404 api::unknown-route', async (method, path) => {
    const answer = await call(url + path, { method });
    expect(answer.status).toBe(404);
    expect(codesOf(answer)).toEqual(['api::unknown-route']);
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    'MC-GEN-025 answers %s of a path that only takes POST with 404 api::unknown-route',
    async (method) => {
      const answer = await call(`${url}/v1/echo`, { method });
      expect(answer.status).toBe(404);
      expect(codesOf(answer)).toEqual(['api::unknown-route']);
    },
  );

  it('answers HEAD as GET without its body', async () => {
    const answer = await call(`${url}/v1/targets/sat1/thing`, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.body).toBe('');
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(10);
  });

  it.each(['sat%201', 'sat.1', '%zz', 'caf%C3%A9', 'a%2Fb', '*'])(
    'MC-GEN-010 MC-ERR-009 refuses target %s in a path with 404 api::invalid-target',
    async (target) => {
      const answer = await call(`${url}/v1/targets/${target}/thing`);
      expect(answer.status).toBe(404);
      expect(codesOf(answer)).toEqual(['api::invalid-target']);
    },
  );

  it('decodes a path parameter once', async () => {
    expect((await call(`${url}/v1/targets/%73at-1_A/thing`)).body.params).toEqual({ target: 'sat-1_A' });
  });

  it.each([
    ['a value that is none', 'count=x', 'count'],
    ['an empty value', 'count=', 'count'],
    ['a value given twice', 'count=1&count=1', 'count'],
    ['an unknown parameter', 'limit=1', 'limit'],
    ['a name of the prototype', '__proto__=1', '__proto__'],
  ])('MC-GEN-026 refuses %s with 400 api::invalid-body naming the parameter', async (_what, query, name) => {
    const answer = await call(`${url}/v1/targets/sat1/thing?${query}`);
    expect(answer.status).toBe(400);
    expect(codesOf(answer)).toEqual(['api::invalid-body']);
    expect(answer.body.errors[0].message).toContain(name);
  });

  it('reads the values of a query', async () => {
    expect((await call(`${url}/v1/targets/sat1/thing?count=17`)).body.query).toEqual({ count: 17 });
    expect((await call(`${url}/v1/targets/sat1/thing`)).body.query).toEqual({});
  });

  it('MC-GEN-027 checks authentication before the path, and the path before the query', async () => {
    const bearer = { headers: { authorization: 'Bearer x' } };
    expect(codesOf(await call(`${url}/v1/targets/a.b/thing?count=x`, bearer))).toEqual(['auth::no-provider']);
    expect(codesOf(await call(`${url}/v1/targets/a.b/thing?count=x`))).toEqual(['api::invalid-target']);
    expect(codesOf(await call(`${url}/v1/unknown`, bearer))).toEqual(['api::unknown-route']);
  });
});

describe('identity', () => {
  it('MC-AUTH-002 takes the declared identity and its roles', async () => {
    const headers = { 'x-mcs-user': ' ada ', 'x-mcs-role': 'operator, supervisor,,' };
    const { caller } = (await call(`${url}/v1/targets/sat1/thing`, { headers })).body;
    expect(caller).toEqual({ kind: 'declared', name: 'ada', roles: ['operator', 'supervisor'] });
  });

  it('is anonymous without a declared name', async () => {
    const headers = { 'x-mcs-role': 'supervisor' };
    expect((await call(`${url}/v1/targets/sat1/thing`, { headers })).body.caller).toEqual({
      kind: 'anonymous',
    });
  });

  it('MC-AUTH-016 MC-AUTH-027 MC-ERR-024 lets a token decide alone: 401 auth::no-provider', async () => {
    const headers = { authorization: 'Bearer eyJ', 'x-mcs-user': 'ada' };
    const answer = await call(`${url}/v1/targets/sat1/thing`, { headers });
    expect(answer.status).toBe(401);
    expect(codesOf(answer)).toEqual(['auth::no-provider']);
  });

  it('http/identity.I3 refuses a name that no header of the bus may carry', async () => {
    const answer = await call(`${url}/v1/targets/sat1/thing`, { headers: { 'x-mcs-user': 'a\tb' } });
    expect(answer.status).toBe(400);
    expect(codesOf(answer)).toEqual(['api::invalid-body']);
  });

  it.each([
    ['X-Mcs-Role', { 'x-mcs-user': 'ada', 'x-mcs-role': 'a\tb' }],
    ['X-Mcs-User', { 'x-mcs-user': 'a'.repeat(256) }],
    ['X-Mcs-User', { 'x-mcs-user': 'alarm sat1.battery.1.undervoltage' }],
  ])('http/identity.I3 I5 refuses in %s what a token could not say either', async (header, headers) => {
    const answer = await call(`${url}/v1/targets/sat1/thing`, { headers: headers as Record<string, string> });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(`header ${header}`);
  });

  it('leaves another scheme to a proxy', async () => {
    const headers = { authorization: 'Basic eDp5', 'x-mcs-user': 'ada' };
    expect((await call(`${url}/v1/targets/sat1/thing`, { headers })).body.caller.name).toBe('ada');
  });
});

describe('the server', () => {
  it('uws/server.U8 refuses a port that is taken instead of sharing it', async () => {
    const taken = serveRoutes({
      host: '127.0.0.1',
      port: frontEnd.port,
      ports: layerPorts(),
      routes,
      follows: [],
    });
    await expect(taken).rejects.toThrow(/cannot listen/);
  });

  it.each([undefined, '', '4096', 'x'])(
    'uws/server.U9 does not start with UWS_HTTP_MAX_HEADERS_SIZE %s',
    (value) => {
      expect(() => checkEnvironment(value)).toThrow(/UWS_HTTP_MAX_HEADERS_SIZE/);
    },
  );

  it('lets a request under way finish when it closes', async () => {
    const own = await serveLayer(routes);
    const before = waiting;
    const answer = call(`${own.url}/v1/slow`);
    await until(() => waiting > before);
    const closing = own.close();
    released();
    expect((await answer).status).toBe(200);
    await closing;
    await expect(call(`${own.url}/v1/slow`)).rejects.toThrow();
  });
});

describe('defects', () => {
  it('answers 500 api::internal, hides the reason and logs it under the same identifier', async () => {
    const answer = await call(`${url}/v1/broken`);
    expect(answer.status).toBe(500);
    expect(codesOf(answer)).toEqual(['api::internal']);
    const [request] = /[0-9A-Z]{26}/.exec(answer.body.errors[0].message)!;
    expect(JSON.stringify(answer.body)).not.toContain('secret');
    const line = ports.log.lines.find(({ fields }) => (fields as { request?: string }).request === request);
    expect(line?.level).toBe('error');
  });

  it('gives the true reason and logs when a route answers with a code it does not declare', async () => {
    expect((await call(`${url}/v1/undeclared`)).status).toBe(409);
    expect(takeViolations()).toEqual(['undeclared 409: a status that is not described']);
    expect(ports.log.lines.some(({ message }) => message.includes('does not declare'))).toBe(true);
  });
});

describe('connections', () => {
  const head = 'POST /v1/echo HTTP/1.1\r\nHost: localhost\r\n';

  it.each(['/v1/echo', '/v1/nothing'])(
    'serves nothing that is smuggled behind two differing content lengths to %s',
    async (path) => {
      const client = await rawConnection(frontEnd.port);
      const smuggled = 'GET /v1/targets/sat1/thing HTTP/1.1\r\nHost: localhost\r\n\r\n';
      const lengths = `Content-Length: 3\r\nContent-Length: ${3 + smuggled.length}`;
      client.send(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${lengths}\r\n\r\nabc${smuggled}`);
      await until(() => client.closed());
      expect(client.received()).not.toContain('"params"');
    },
  );

  it('refuses two content lengths with 400 and closes', async () => {
    const client = await rawConnection(frontEnd.port);
    client.send(`${head}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc`);
    await until(() => client.closed());
    expect(client.received()).toMatch(/^HTTP\/1.1 400 /);
    expect(client.received()).toContain('content-length');
  });

  it.each(['Host: y', 'X-Mcs-User: a\r\nX-Mcs-User: b', 'Authorization: Bearer a\r\nAuthorization: Basic b'])(
    'refuses a repeated %j and closes',
    async (repeated) => {
      const client = await rawConnection(frontEnd.port);
      client.send(`GET /v1/targets/sat1/thing HTTP/1.1\r\nHost: localhost\r\n${repeated}\r\n\r\n`);
      await until(() => client.closed());
      expect(client.received()).toMatch(/^HTTP\/1.1 400 /);
      expect(client.received()).toContain('api::invalid-body');
    },
  );

  it.each([
    ['another origin', 'https://evil.example', false],
    ['no origin that can be named', 'null', false],
    ['another port of this machine', 'http://127.0.0.1:1', false],
    ['its own origin', '', true],
  ])('answers a page of %s accordingly (request-head.U11)', async (_what, origin, allowed) => {
    const own = `http://127.0.0.1:${frontEnd.port}`;
    const client = await rawConnection(frontEnd.port);
    const host = `Host: 127.0.0.1:${frontEnd.port}`;
    client.send(
      `GET /v1/targets/sat1/thing HTTP/1.1\r\n${host}\r\nOrigin: ${origin === '' ? own : origin}\r\n\r\n`,
    );
    await until(() => isAnswered(client.received()));
    if (allowed) expect(client.received()).not.toContain('api::foreign-origin');
    else expect(client.received()).toMatch(/^HTTP\/1.1 403 [\s\S]*api::foreign-origin/);
    client.destroy();
  });

  it('survives uploads that are cut, and answers the next request', async () => {
    for (let round = 0; round < 20; round += 1) {
      const client = await rawConnection(frontEnd.port);
      client.send(`${head}Content-Length: 100\r\n\r\n{"name":`);
      if (round % 2 === 0) await new Promise<void>((resolve) => void client.socket.end(() => resolve()));
      client.destroy();
    }
    expect((await post(`${url}/v1/echo`, { name: 'still here' })).status).toBe(200);
  });

  it('survives a client that goes while its handler works', async () => {
    const before = waiting;
    const client = await rawConnection(frontEnd.port);
    client.send('GET /v1/slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => waiting > before);
    client.destroy();
    await until(() => client.closed());
    // Behind this the server knows of it as well.
    expect((await post(`${url}/v1/echo`, { name: 'still here' })).status).toBe(200);
    released();
    expect((await post(`${url}/v1/echo`, { name: 'still here' })).status).toBe(200);
    await until(async () => (await ports.registry.metrics()).includes('operation="slow",status="0"'));
  });

  it('takes a header block of 12 kB, enough for an access token with roles', async () => {
    const headers = { authorization: `Bearer ${'x'.repeat(12_000)}` };
    expect((await call(`${url}/v1/targets/sat1/thing`, { headers })).status).toBe(401);
  });

  it('answers 431 to a header block beyond 16 KiB and goes on', async () => {
    const client = await rawConnection(frontEnd.port);
    client.send(`GET /v1/slow HTTP/1.1\r\nHost: localhost\r\nX-Fill: ${'x'.repeat(20_000)}\r\n\r\n`);
    await until(() => client.received().startsWith('HTTP/1.1 431') || client.closed());
    client.destroy();
    expect((await post(`${url}/v1/echo`, { name: 'x' })).status).toBe(200);
  });

  it('closes a connection that never finishes its head', { timeout: 40_000 }, async () => {
    const client = await rawConnection(frontEnd.port);
    client.send('GET /v1/slow HTTP/1.1\r\nHost:');
    await until(() => client.closed(), { timeoutMs: 30_000, what: 'the idle connection to be closed' });
  });

  it('writes nothing of a request into a header of the answer', async () => {
    const client = await rawConnection(frontEnd.port);
    client.send('GET /v1/x%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => client.received().includes('unknown-route'));
    expect(client.received().split('\r\n\r\n')[0]).not.toMatch(/set-cookie/i);
    client.destroy();
  });
});

describe('the port', () => {
  const serve = (port: number): Promise<FrontEnd> =>
    serveRoutes({ host: '127.0.0.1', port, ports: layerPorts(), routes, follows: [] });

  it.each(['chosen', 'drawn'])(
    'uws/server.U8 %s is free again at once for a process that is started again, while connections of the old one linger',
    async (how) => {
      const drawn = await serve(0);
      if (how === 'chosen') await drawn.close();
      const before = how === 'chosen' ? await serve(drawn.port) : drawn;
      for (let n = 0; n < 3; n += 1) {
        const connection = await rawConnection(before.port);
        // A body that is not read to its end: the server closes first, so the lingering side is its own.
        connection.send('POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\nx');
        await until(() => connection.closed(), { what: 'the server closing' });
      }
      await before.close();
      const after = await serve(before.port);
      expect(after.port).toBe(before.port);
      await after.close();
    },
  );

  it('uws/server.U8 belongs to one process: a second one is refused', async () => {
    const first = await serve(0);
    await expect(serve(first.port)).rejects.toThrow('is another process there?');
    await first.close();
  });
});
