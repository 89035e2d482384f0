/**
 * The head of a request to the editor, on real sockets: which credentials pass, what the editor knows of who calls, and
 * heads that two readers could take for different requests.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FrontEnd } from '../../../http/serve.ts';
import { until } from '../../support/until.ts';
import { isAnswered, memoryLog, rawConnection, realClock } from '../fixture.ts';
import { ask, codesIn, type Editor, serveEditor, startEditor } from './fixture.ts';

const GOOD = 'a-good-token';
/** A provider that knows one token. */
const tokens = {
  verify: async (token: string) =>
    token === GOOD
      ? {
          ok: true as const,
          value: { name: 'zoë@example.org', roles: ['operator', 'a,b'], expiresAt: realClock.now() + 60_000 },
        }
      : {
          ok: false as const,
          faults: [{ code: 'auth::invalid-token' as const, message: 'not this one' }] as const,
        },
  onChange: () => () => undefined,
  stop: () => undefined,
};

let editor: Editor;
let frontEnd: FrontEnd;
const log = memoryLog();
beforeAll(async () => {
  editor = await startEditor();
  frontEnd = await serveEditor({ editorUrl: editor.url }, { tokens: tokens as never, log });
});
afterEach(() => {
  editor.answer((_request, response) => response.end());
  editor.asked.length = 0;
});
afterAll(async () => {
  await frontEnd.close();
  await editor.close();
});

const at = (path: string, how?: Parameters<typeof ask>[2]) => ask(frontEnd.url, `/v1/editor/${path}`, how);

describe('MC-EDIT-004 what the editor gets of a head', () => {
  it('no credential that is not meant for it', async () => {
    const secrets = {
      authorization: `Bearer ${GOOD}`,
      'proxy-authorization': 'Basic c2VjcmV0',
      cookie: 'session=secret; mcs_editor_own=1; mcs_session=secret; XSRF=secret; mcs_editor_two="a b"',
      'x-api-key': 'secret',
      'x-auth-request-access-token': 'secret',
      'x-forwarded-access-token': 'secret',
      'x-amzn-oidc-data': 'secret',
      'cf-access-jwt-assertion': 'secret',
      'remote-user': 'secret',
      referer: 'http://localhost/inspect?token=secret',
      'x-anything': 'secret',
    };
    await at('a?token=secret&x=1&%74oken=secret&TOKEN=2&token', { headers: secrets });
    const [asked] = editor.asked;
    expect(JSON.stringify(asked!.rawHeaders)).not.toMatch(/secret|c2VjcmV0|a-good-token/);
    expect(asked!.url).toBe('/a?x=1&TOKEN=2');
    expect(asked!.headers.cookie).toBe('own=1; two="a b"');
    await at('a', { headers: { cookie: 'session=secret' } });
    expect(editor.asked.at(-1)!.headers).not.toHaveProperty('cookie');
  });

  it('who calls, by this service alone', async () => {
    const forged = {
      'x-mcs-user': 'eve',
      'x-mcs-role': 'supervisor',
      'x-mcs-identity': 'verified',
      'x-mcs-other': '1',
    };
    const asCaller = async (headers: Record<string, string>) => {
      await at('a', { headers });
      const names = ['identity', 'user', 'role', 'other'].map((name) => [
        name,
        editor.asked.at(-1)!.headers[`x-mcs-${name}`],
      ]);
      return Object.fromEntries(names.filter(([, value]) => value !== undefined));
    };
    expect(await asCaller({})).toEqual({ identity: 'anonymous' });
    expect(await asCaller({ 'x-mcs-identity': 'verified' })).toEqual({ identity: 'anonymous' });
    expect(await asCaller(forged)).toEqual({ identity: 'declared', user: 'eve', role: 'supervisor' });
    expect(await asCaller({ ...forged, authorization: `Bearer ${GOOD}` })).toEqual({
      identity: 'verified',
      user: 'zo%C3%AB%40example.org',
      role: 'operator,a%2Cb',
    });
  });

  it('where the request came from, by this service alone, and its own host', async () => {
    await at('a', {
      headers: {
        host: 'localhost:1234',
        forwarded: 'for=6.6.6.6',
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-host': 'evil',
        'x-forwarded-proto': 'https',
        'x-forwarded-prefix': '/evil',
        'x-forwarded-port': '1',
        'x-real-ip': '6.6.6.6',
        via: '1.1 somebody',
      },
    });
    const { headers } = editor.asked[0]!;
    const about = Object.entries(headers).filter(([name]) => /forwarded|real-ip|via|^host$/.test(name));
    expect(Object.fromEntries(about)).toEqual({
      host: new URL(editor.url).host,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'localhost:1234',
      'x-forwarded-proto': 'http',
      'x-forwarded-prefix': '/v1/editor',
      via: '1.1 mission-control-editor',
    });
  });

  it('nothing of one connection, nor what its header Connection names', async () => {
    await at('a', {
      headers: {
        connection: 'close, X-Editor-Hop',
        'x-editor-hop': '1',
        'x-editor-own': '2',
        te: 'trailers',
        'keep-alive': 'timeout=5',
        'proxy-connection': 'keep-alive',
        upgrade: 'h2c',
        'http2-settings': 'x',
        expect: '100-continue',
        accept: 'text/html',
        'if-none-match': '"1"',
        'x-csrf-token': 'its own',
      },
    });
    const { headers } = editor.asked[0]!;
    expect(headers).toMatchObject({
      'x-editor-own': '2',
      accept: 'text/html',
      'if-none-match': '"1"',
      'x-csrf-token': 'its own',
    });
    for (const name of [
      'x-editor-hop',
      'te',
      'keep-alive',
      'proxy-connection',
      'upgrade',
      'http2-settings',
      'expect',
    ])
      expect(headers[name]).toBeUndefined();
  });
});

/** What this service says of its own connection. */
const OURS = ['date', 'uwebsockets', 'connection', 'keep-alive'];

describe('what the client gets of an answer', () => {
  it('nothing of one connection, and nothing that holds for the whole service', async () => {
    editor.answer((_request, response) => {
      response.writeHead(200, {
        connection: 'close, x-hop',
        'x-hop': '1',
        'x-own': '2',
        'keep-alive': 'timeout=99',
        'proxy-authenticate': 'Basic',
        'service-worker-allowed': '/',
        'clear-site-data': '"*"',
        'strict-transport-security': 'max-age=1',
        'access-control-allow-origin': '*',
        'alt-svc': 'h3=":1"',
        'x-mcs-user': 'eve',
        'content-length': '0',
      });
      response.end();
    });
    const { headers } = await at('a');
    const own = Object.keys(headers).filter((name) => !OURS.includes(name));
    expect(own.toSorted()).toEqual(['content-length', 'x-own']);
    expect(headers['keep-alive'] ?? '').not.toContain('99');
    expect(headers.connection ?? '').not.toContain('x-hop');
  });

  it('cookies for the paths of the editor, under names of their own, which come back to it', async () => {
    editor.answer((_request, response) => {
      response.setHeader('set-cookie', [
        'session=1; Path=/; Domain=example.org; HttpOnly; SameSite=Strict',
        '__Host-a=b=c; path = /; Secure; Max-Age=9',
        'no cookie',
      ]);
      response.end();
    });
    expect((await at('a')).headers['set-cookie']).toEqual([
      'mcs_editor_session=1; HttpOnly; SameSite=Strict; Path=/v1/editor/',
      'mcs_editor___Host-a=b=c; Secure; Max-Age=9; Path=/v1/editor/',
    ]);
  });

  it.each([
    ['/below?x=1', '/v1/editor/below?x=1'],
    ['', '/v1/editor/'],
    ['?x', '/v1/editor?x'],
  ])('a redirect to its own address with %j becomes one to where clients reach it', async (rest, place) => {
    editor.answer((_request, response) => response.writeHead(302, { location: editor.url + rest }).end());
    expect((await at('a')).headers.location).toBe(place);
    editor.answer((_request, response) => response.writeHead(302, { location: `${editor.url}0/x` }).end());
    expect((await at('a')).headers.location).toBe(`${editor.url}0/x`);
  });
});

/** What a client receives that sends the bytes, once it is refused; undefined where it is cut without an answer. */
async function refusalOf(
  bytes: string | Buffer,
): Promise<{ status: number; code: string | undefined } | undefined> {
  const client = await rawConnection(frontEnd.port);
  client.send(bytes);
  await until(() => isAnswered(client.received()) || client.closed(), { what: 'an answer, or none' });
  client.destroy();
  if (client.received() === '') return undefined;
  const [, status] = /^HTTP\/1.1 (\d+)/.exec(client.received())!;
  const [, code] = /"code":"([^"]+)"/.exec(client.received()) ?? [];
  return { status: Number(status), code };
}

const head = (line: string, headers: string, body = ''): string =>
  `${line} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n${body}`;
const post = (headers: string, body = ''): string => head('POST /v1/editor/a', headers, body);
const SMUGGLED = 'GET /v1/editor/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('a head that two readers could take for different requests', () => {
  it.each([
    ['two lengths', post('Content-Length: 3\r\nContent-Length: 5\r\n', 'abc')],
    ['the same length twice', post('Content-Length: 3\r\nContent-Length: 3\r\n', 'abc')],
    ['an empty length', post('Content-Length: \r\n')],
    ['another transfer encoding', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')],
    [
      'two transfer encodings',
      post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', '0\r\n\r\n'),
    ],
    ['a list of transfer encodings', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n')],
    ['two hosts', head('GET /v1/editor/a', 'Host: other\r\n')],
  ])('%s: refused with 400 api::invalid-body, and nothing behind it is done', async (_what, bytes) => {
    expect(await refusalOf(bytes)).toEqual({ status: 400, code: 'api::invalid-body' });
    // In one piece with what is behind it the connection is cut at once.
    expect([undefined, 400]).toContain((await refusalOf(bytes + SMUGGLED))?.status);
    expect(editor.asked).toEqual([]);
  });

  it.each([
    [
      'a length and a transfer encoding',
      post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    ],
    [
      'a transfer encoding and a length',
      post('Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', '0\r\n\r\n'),
    ],
    ['a signed length', post('Content-Length: +3\r\n', 'abc')],
    ['a list of lengths', post('Content-Length: 3, 3\r\n', 'abc')],
    [
      'a chunk that is too long',
      post('Transfer-Encoding: chunked\r\n', '10000000000000003\r\nabc\r\n0\r\n\r\n'),
    ],
    ['extensions of chunks', post('Transfer-Encoding: chunked\r\n', '3;x=y\r\nabc\r\n0\r\n\r\n')],
  ])('%s: refused with 400 by the transport, and never whole at the editor', async (_what, bytes) => {
    let wasWhole = false;
    editor.answer(
      (request) =>
        void request.resume().on('end', () => {
          wasWhole = true;
        }),
    );
    expect(await refusalOf(bytes)).toEqual({ status: 400, code: undefined });
    expect(wasWhole).toBe(false);
  });

  it.each([
    ['lines that end with a bare LF', 'GET /v1/editor/a HTTP/1.1\nHost: localhost\n\n'],
    ['a bare LF in a header', head('GET /v1/editor/a', 'A: b\nTransfer-Encoding: chunked\r\n')],
    ['a bare CR in a header', head('GET /v1/editor/a', 'A: b\rTransfer-Encoding: chunked\r\n')],
    ['a folded header', head('GET /v1/editor/a', 'A: b\r\n folded\r\n')],
    ['a header folded by a tab', head('GET /v1/editor/a', 'A: b\r\n\tfolded\r\n')],
    ['a space before the colon', post('Transfer-Encoding : chunked\r\n', '0\r\n\r\n')],
    ['a NUL in a header', head('GET /v1/editor/a', 'A: b\u0000c\r\n')],
    ['a header without a colon', head('GET /v1/editor/a', 'Abc\r\n')],
  ])('%s: never reaches the editor', async (_what, bytes) => {
    const client = await rawConnection(frontEnd.port);
    client.send(bytes);
    // The HTTP library waits for the rest of what it cannot read, for seconds: what comes behind it is there alone.
    expect((await at('behind')).status).toBe(200);
    expect(editor.asked.map(({ url }) => url)).toEqual(['/behind']);
    if (client.received() !== '') expect(client.received()).toMatch(/^HTTP\/1.1 505 /);
    client.destroy();
  });
});

describe('a path that leads elsewhere', () => {
  const paths = [
    '/v1/editor/..',
    '/v1/editor/../targets',
    '/v1/editor/a/../../targets',
    '/v1/editor/./a',
    '/v1/editor/a/.',
    '/v1/editor/..;/a',
    '/v1/editor/%2e%2e/a',
    '/v1/editor/%2E./a',
    '/v1/editor/.%2e/a',
    '/v1/editor/%252e%252e/a',
    '/v1/editor/a%2fb',
    '/v1/editor/a%252Fb',
    '/v1/editor/a%5cb',
    '/v1/editor/a\\b',
    '/v1/editor//a',
    '/v1/editor/a//b',
    '/v1/editor/a%00b',
    '/v1/editor/a%0d%0aHost:x',
    '/v1/editor/a%7f',
    '/v1/editor/a%2500',
    '/v1/editor/a%',
    '/v1/editor/a%zz',
    '/v1/editor/a#b',
    '/v1/editor/a?b#c',
    '/v1/editor/é',
  ];
  it.each(paths)('%s: refused with 400 api::invalid-body, says why, and reaches nothing', async (path) => {
    const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(await refusalOf(bytes)).toEqual({ status: 400, code: 'api::invalid-body' });
    expect(editor.asked).toEqual([]);
  });

  it.each(['/v1/editor/a\u0000b', '/v1/editor/a b', 'http://localhost/v1/editor/a'])(
    '%j: refused by the transport',
    async (path) => {
      expect(await refusalOf(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)).toMatchObject({
        status: 505,
      });
      expect(editor.asked).toEqual([]);
    },
  );

  it.each(['/v1//editor/a', '//v1/editor/a', '/v1/%65ditor/a', '/V1/editor/a', '/v1/editorial/a'])(
    '%s: not below the editor',
    async (path) => {
      expect(await refusalOf(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)).toEqual({
        status: 404,
        code: 'api::unknown-route',
      });
      expect(editor.asked).toEqual([]);
    },
  );

  it.each(['...', 'a..b', '..a', '.hidden', 'a.b.', 'a;b=..', '%25', '%C3%A9', "!$&'()*+,=:@~-_"])(
    '%s passes as it is',
    async (path) => {
      expect((await at(path)).status).toBe(200);
      expect(editor.asked[0]!.url).toBe(`/${path}`);
    },
  );
});

describe('a request that comes back', () => {
  it('is refused once, by 502 editor::unreachable, where the address leads to this service', async () => {
    const settings = { auth: { required: true }, editorUrl: '', editorMaxBytes: 1_000 };
    const missions = { current: { settings } as never, at: async () => undefined, onChange: () => () => {} };
    const looping = await serveEditor({}, { missions, tokens: tokens as never });
    settings.editorUrl = `${looping.url}/v1/editor`;
    const said = await ask(looping.url, '/v1/editor/a', { headers: { authorization: `Bearer ${GOOD}` } });
    expect([said.status, codesIn(said)]).toEqual([502, ['editor::unreachable']]);
    expect(said.text).toContain('leads back');
    await looping.close();
  });
});

describe('who may use the editor', () => {
  it('whoever may call any route: a token where tokens are required, and a good one', async () => {
    const served = await serveEditor(
      { editorUrl: editor.url, auth: { required: true } },
      { tokens: tokens as never },
    );
    const as = async (headers: Record<string, string>) => {
      const said = await ask(served.url, '/v1/editor/a', { headers });
      return [said.status, ...(said.text === '' ? [] : codesIn(said))];
    };
    expect(await as({})).toEqual([401, 'auth::token-required']);
    expect(await as({ 'x-mcs-user': 'ada' })).toEqual([401, 'auth::token-required']);
    expect(await as({ authorization: 'Bearer other' })).toEqual([401, 'auth::invalid-token']);
    expect(editor.asked).toEqual([]);
    expect(await as({ authorization: `Bearer ${GOOD}` })).toEqual([200]);
    await served.close();
  });

  it('no page of another origin, no other host', async () => {
    const page = await at('a', { headers: { origin: 'https://evil.example' } });
    expect([page.status, codesIn(page)]).toEqual([403, ['api::foreign-origin']]);
    const host = await at('a', { headers: { host: 'evil.example' } });
    expect([host.status, codesIn(host)]).toEqual([403, ['api::foreign-host']]);
    expect(editor.asked).toEqual([]);
  });
});
