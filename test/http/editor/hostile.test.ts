/** An editor that answers what it should not: nothing of it reaches a client as something else, nor any other route. */

import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FrontEnd } from '../../../http/serve.ts';
import { until } from '../../support/until.ts';
import { rawConnection } from '../fixture.ts';
import { ask, serveEditor } from './fixture.ts';

let server: Server;
let served: FrontEnd;
/** What it answers from now on, as bytes; then it ends. */
let answer = '';
/** First lines of what it was asked. */
const lines: string[] = [];

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      lines.push(data.toString('latin1').split('\r\n')[0]!);
      socket.end(answer, 'latin1');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  served = await serveEditor({
    editorUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`,
  });
});
afterAll(async () => {
  await served.close();
  server.close();
});

it.each([
  ['a status below 100', 'HTTP/1.1 042 X\r\nContent-Length: 0\r\n\r\n'],
  ['a status above 599', 'HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n'],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  ],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde'],
  ['a signed length', 'HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\nabc'],
  ['a bare CR in a header', 'HTTP/1.1 200 OK\r\nA: b\rX-C: d\r\nContent-Length: 0\r\n\r\n'],
  ['a NUL in a header', 'HTTP/1.1 200 OK\r\nA: b\u0000c\r\nContent-Length: 0\r\n\r\n'],
  ['a head without end', `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(20_000)}`],
])('MC-EDIT-003 %s: 502 editor::unreachable, and nothing of it', async (_what, bytes) => {
  answer = bytes;
  const said = await ask(served.url, '/v1/editor/a');
  expect([said.status, said.text]).toEqual([502, expect.stringContaining('editor::unreachable')]);
});

it('hints and trailers stay behind, and what follows an answer is no other answer', async () => {
  answer =
    'HTTP/1.1 103 Early Hints\r\nLink: </v1/tc>; rel=preload\r\n\r\n' +
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Mcs-User\r\n\r\n2;a=b\r\nok\r\n0\r\nX-Mcs-User: eve\r\n\r\n' +
    'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil';
  const client = await rawConnection(served.port);
  client.send('GET /v1/editor/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await until(() => client.received().includes('ok'), { what: 'the answer' });
  await until(() => client.closed() || client.received().endsWith('0\r\n\r\n'), { what: 'its end' });
  expect(client.received()).not.toMatch(/evil|eve|preload|103/);
});

it('nothing that a browser keeps for the whole origin, and no challenge for a credential that does not pass', async () => {
  const names = [
    'Accept-CH',
    'Critical-CH',
    'Set-Login',
    'Use-As-Dictionary',
    'Expect-CT',
    'Set-Cookie2',
    'WWW-Authenticate',
  ];
  answer = `HTTP/1.1 401 No\r\n${names.map((name) => `${name}: Basic\r\n`).join('')}X-Own: 1\r\nContent-Length: 0\r\n\r\n`;
  const { status, headers } = await ask(served.url, '/v1/editor/a');
  expect([status, headers['x-own']]).toEqual([401, '1']);
  expect(names.filter((name) => name.toLowerCase() in headers)).toEqual([]);
});

it('editor-path.P1 a path reaches it byte by byte, of a WebSocket too', async () => {
  answer = 'HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n';
  const path = `/v1/editor/a{b}|"<>\`^;c=d?q='{e}&f=%27`;
  const at = `GET /base/a{b}|"<>\`^;c=d?q='{e}&f=%27 HTTP/1.1`;
  lines.length = 0;
  expect((await ask(served.url, path)).status).toBe(403);
  const client = await rawConnection(served.port);
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';
  client.send(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${key}\r\n`,
  );
  await until(() => client.received().includes('\r\n\r\n'), { what: 'the answer' });
  expect(client.received()).toContain('403');
  expect(lines).toEqual([at, at]);
});
