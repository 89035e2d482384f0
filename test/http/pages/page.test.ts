/** Static pages on real sockets: what is served, what is not, and with which headers. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePages } from '../../../http/pages/console.ts';
import { definePage } from '../../../http/pages/page.ts';
import { type FrontEnd, serveRoutes } from '../../../http/serve.ts';
import { until } from '../../support/until.ts';
import { layerPorts, rawConnection } from '../fixture.ts';

let attempts = 0;
const ports = layerPorts();
const flaky = definePage({
  path: '/flaky.js',
  contentType: 'text/javascript; charset=utf-8',
  body: () => {
    attempts += 1;
    if (attempts === 1) throw new Error('it does not bundle');
    return Buffer.from('1');
  },
});
const own = definePage({
  path: '/own',
  contentType: 'text/html',
  body: () => Buffer.from('x'),
  csp: "default-src 'self'",
});
let frontEnd: FrontEnd;
let url: string;

beforeAll(async () => {
  frontEnd = await serveRoutes({
    host: '127.0.0.1',
    port: 0,
    ports,
    routes: [],
    follows: [],
    pages: [...consolePages, flaky, own],
  });
  url = frontEnd.url;
});
afterAll(() => frontEnd.close());

describe('pages of the console', () => {
  it.each([
    ['/console', '/'],
    ['/console/', '/'],
    ['/inspect/', '/inspect'],
  ])('pages/page.P5 %s leads to %s, which is a page', async (path, to) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(url + path, { method, redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([308, to]);
    }
    const found = await fetch(url + path);
    expect([found.status, found.url]).toEqual([200, url + to]);
    expect(found.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it.each([
    ['/inspect', 'text/html; charset=utf-8'],
    ['/console/inspect.js', 'text/javascript; charset=utf-8'],
    ['/console/theme.js', 'text/javascript; charset=utf-8'],
    ['/console/style.css', 'text/css; charset=utf-8'],
    ['/console/inspect.css', 'text/css; charset=utf-8'],
    ['/console/icon.svg', 'image/svg+xml'],
  ])(
    'pages/page.P2 serves %s as %s, under a policy without foreign or inline script',
    async (path, contentType) => {
      const answer = await fetch(url + path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe(contentType);
      const policy = answer.headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      expect((await answer.text()).length).toBeGreaterThan(100);
    },
  );

  it('bundles one script without imports, source map or names of this machine', async () => {
    const script = await (await fetch(`${url}/console/inspect.js`)).text();
    expect(script).not.toMatch(/^import /m);
    expect(script).not.toContain('sourceMappingURL');
    expect(script).not.toContain(process.cwd());
  });

  it('has no script, style or handler in its document', async () => {
    const document = await (await fetch(`${url}/inspect`)).text();
    expect(document).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=/);
    expect(document).not.toMatch(/(src|href)="(?!\/console\/|#)/);
  });

  it('answers 304 without a body to who has it, also through a proxy that weakens the tag', async () => {
    const etag = (await fetch(`${url}/console/style.css`)).headers.get('etag')!;
    for (const named of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await fetch(`${url}/console/style.css`, { headers: { 'if-none-match': named } });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect(again.headers.get('etag')).toBe(etag);
    }
    const other = await fetch(`${url}/console/style.css`, { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });

  it.each([
    ['a 304', 'GET', 'HTTP/1.1 304'],
    ['an answer to HEAD', 'HEAD', 'HTTP/1.1 200'],
  ])('keeps a connection usable after %s', async (_what, method, answer) => {
    const connection = await rawConnection(frontEnd.port);
    const named = method === 'GET' ? 'If-None-Match: *\r\n' : '';
    const request = `${method} /console/style.css HTTP/1.1\r\nHost: localhost\r\n${named}\r\n`;
    connection.send(request);
    await until(() => connection.received().includes(answer));
    connection.send(request);
    await until(() => connection.received().split(answer).length === 3);
    expect(connection.received()).not.toContain('--bg');
    connection.destroy();
  });

  it('answers HEAD with the length and no body', async () => {
    const answer = await fetch(`${url}/inspect`, { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(1000);
  });

  it.each([
    '/console/inspect',
    '/console/theme.ts',
    '/console/../package.json',
    '/console/%2e%2e/package.json',
    '/console/..%2fpackage.json',
    '/console/style.css/../../package.json',
    '/console//etc/passwd',
    '/inspect/inspect.html',
    '/package.json',
  ])('serves nothing that is not listed: %s', async (path) => {
    const connection = await rawConnection(frontEnd.port);
    connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    await until(() => connection.received().includes('\r\n\r\n'));
    expect(connection.received()).toMatch(/^HTTP\/1.1 404/);
    connection.destroy();
  });

  it('refuses other methods and pages of other origins', async () => {
    expect((await fetch(`${url}/inspect`, { method: 'POST', body: 'x' })).status).toBe(404);
    expect((await fetch(`${url}/inspect`, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  });
});

describe('a page', () => {
  it('pages/page.P3 whose body cannot be made answers 500, says why in the log, and is tried again', async () => {
    const failed = await fetch(`${url}/flaky.js`);
    expect(failed.status).toBe(500);
    expect(await failed.text()).not.toContain('bundle');
    expect(
      ports.log.lines.some(({ fields }) => String((fields as { err?: unknown }).err).includes('bundle')),
    ).toBe(true);
    expect((await fetch(`${url}/flaky.js`)).status).toBe(200);
    expect((await fetch(`${url}/flaky.js`)).status).toBe(200);
    expect(attempts).toBe(2);
  });

  it('may have a policy of its own', async () => {
    expect((await fetch(`${url}/own`)).headers.get('content-security-policy')).toBe("default-src 'self'");
  });

  it.each(['/a/../b', '/:any', '/*', 'a', '/a b', '', '//', '/a/'])(
    'is refused under the path %j',
    (path) => {
      expect(() => definePage({ path, contentType: 'text/plain', body: () => new Uint8Array() })).toThrow(
        TypeError,
      );
    },
  );
});
