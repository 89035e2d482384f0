/**
 * Both services behind a real nginx, with the configuration that `docs/operating.md` shows: what the services do not
 * speak themselves works there, and errors have the form of the interface.
 */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { noNginx, type RealNginx, startNginx } from '../support/real-nginx.ts';
import { until } from '../support/until.ts';
import { answers, bench, chunked, missionControl, type Service, text } from './changes.ts';
import { rawConnection } from './fixture.ts';

const GUIDE = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
const [, SHOWN = ''] = /```nginx\n(.*?)```/s.exec(GUIDE) ?? [];

const missing = noNginx();
// Where tests must not be left out, a machine without it fails.
const leftOut = missing !== undefined && process.env['CI'] === undefined;
if (leftOut) console.warn(`left out: ${missing}`);

describe.skipIf(leftOut).each([
  ['mission control', missionControl],
  ['the bench', bench],
])('%s behind nginx', (_name, start) => {
  let service: Service;
  let nginx: RealNginx;
  beforeAll(async () => {
    service = await start();
    nginx = await startNginx((port) =>
      SHOWN.replace('127.0.0.1:8400', `127.0.0.1:${service.port}`).replace(
        'listen 8080',
        `listen 127.0.0.1:${port}`,
      ),
    );
  });
  afterAll(async () => {
    await nginx.stop();
    await service.close();
  });

  /** What a client receives that sends the bytes in one piece, once so many answers are there. */
  async function received(bytes: string, count = 1): Promise<string> {
    const client = await rawConnection(nginx.port);
    client.send(bytes);
    await until(() => answers(client.received()).length >= count || client.closed(), { what: 'the answers' });
    client.destroy();
    return client.received();
  }

  const change = (): readonly [string, string] => service.changes['a JSON body']!;

  it.each([
    ['as it is', (request: string) => request],
    ['of HTTP/1.0', (request: string) => request.replace(' HTTP/1.1', ' HTTP/1.0')],
    [
      'of HTTP/1.0 without a host',
      (request: string) => request.replace(' HTTP/1.1\r\nHost: 127.0.0.1', ' HTTP/1.0'),
    ],
    [
      'with the whole URL in its first line',
      (request: string) => request.replace(' /', ' http://127.0.0.1/'),
    ],
  ])('a change %s is done once and answered', async (_what, changed) => {
    const before = service.begun().length;
    expect(answers(await received(changed(text(change()))))).toEqual(['HTTP/1.1 200']);
    expect(service.begun()).toHaveLength(before + 1);
  });

  it('a chunked body with a trailer is done once and answered', async () => {
    const before = service.begun().length;
    expect(answers(await received(chunked(change(), 'Checksum: 1\r\n')))).toEqual(['HTTP/1.1 200']);
    expect(service.begun()).toHaveLength(before + 1);
  });

  it('five changes in one piece are done in their order and all answered', async () => {
    const before = service.begun().length;
    const said = await received(text(change()).repeat(5), 5);
    expect(answers(said)).toEqual(Array.from({ length: 5 }, () => 'HTTP/1.1 200'));
    expect(service.begun()).toHaveLength(before + 5);
  });

  it('an access token of 12 kB passes', async () => {
    const said = await received(text(change(), `Authorization: Bearer ${'x'.repeat(12_000)}\r\n`));
    expect(answers(said)[0]).toMatch(/ (?:200|401)$/);
  });

  it('a WebSocket opens', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${nginx.port}${service.follow}`);
    let opened = false;
    socket.on('open', () => {
      opened = true;
    });
    socket.on('error', () => undefined);
    await until(() => opened, { what: 'the WebSocket to open' });
    socket.terminate();
  });

  it.each([
    [
      'a head that is no HTTP',
      400,
      'api::invalid-body',
      'GET /healthz\x01 HTTP/1.1\r\nHost 127.0.0.1\r\n\r\n',
    ],
    ['no host', 400, 'api::invalid-body', 'GET /healthz HTTP/1.1\r\n\r\n'],
    [
      'a head above 16 KiB',
      400,
      'api::invalid-body',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ],
    [
      'many headers of 16 KiB together',
      400,
      'api::invalid-body',
      `GET / HTTP/1.1\r\nHost: x\r\n${`X: ${'x'.repeat(1_000)}\r\n`.repeat(17)}\r\n`,
    ],
    [
      'a first line above 16 KiB',
      400,
      'api::invalid-body',
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
    [
      'a body above 256 MiB',
      413,
      'api::too-large',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n',
    ],
  ])('%s is refused in the form of the interface', async (_what, status, code, bytes) => {
    const said = await received(bytes);
    expect(answers(said)).toEqual([`HTTP/1.1 ${status}`]);
    expect(said).toMatch(/content-type: application\/json/i);
    expect(JSON.parse(said.slice(said.indexOf('\r\n\r\n'))).errors[0].code).toBe(code);
  });

  it('a service that is away is said in the form of the interface, and nothing is tried twice', async () => {
    await service.close();
    const said = await received(text(change()));
    expect(answers(said)).toEqual(['HTTP/1.1 503']);
    expect(JSON.parse(said.slice(said.indexOf('\r\n\r\n'))).errors[0].code).toBe('api::unavailable');
  });
});
