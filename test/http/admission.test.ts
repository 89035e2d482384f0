/** What one address may hold of a server: connections, WebSockets, unfinished bodies, places for uploads. */

import Type from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { UPLOAD_GRACE_MS, UPLOAD_SLOWEST_BYTES_PER_S } from '../../contract/limits/transfer.ts';
import { defineFollow } from '../../http/follow.ts';
import { defineRoute } from '../../http/route.ts';
import { type FrontEnd, serveRoutes } from '../../http/serve.ts';
import { UploadSlots } from '../../http/upload-slots.ts';
import type { AdmissionLimits } from '../../http/uws/admission.ts';
import { until } from '../support/until.ts';
import { layerPorts, post, rawConnection } from './fixture.ts';

const Text = Type.Object({ text: Type.String() }, { title: 'Text' });
const echo = defineRoute({
  method: 'POST',
  path: '/v1/echo',
  operationId: 'echo',
  summary: 'echo',
  body: Text,
  replies: { 200: Text },
  errors: [],
  handle: ({ body }) => ({ ok: true, value: { status: 200, body } }),
});
const watched = defineFollow({
  path: '/v1/watch',
  operationId: 'watch',
  summary: 'watch',
  policy: 'log',
  message: Text,
  errors: [],
  open: async () => ({ ok: true, value: { stop: async () => undefined } }),
});

let frontEnd: FrontEnd;
afterEach(() => frontEnd.close());

async function serve(limits: Partial<AdmissionLimits>) {
  const ports = layerPorts();
  const table = { host: '127.0.0.1', port: 0, ports, routes: [echo], follows: [watched], limits };
  frontEnd = await serveRoutes(table);
  return ports;
}

async function begun() {
  const client = await rawConnection(frontEnd.port);
  client.send('POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\n{"text"');
  return client;
}

describe('unfinished bodies of one address', () => {
  it('are bounded; a body that comes whole is always taken, and an end makes room', async () => {
    await serve({ bodiesPerAddress: 2 });
    const first = [await begun(), await begun()];
    let refused = await begun();
    await until(() => refused.received().includes('503'));
    expect(refused.received()).toContain('api::too-many-requests');
    expect((await post(`${frontEnd.url}/v1/echo`, { text: 'whole' })).status).toBe(200);
    // One ends with its answer, the other one because its client goes.
    first[0]!.send(':"ab"}');
    await until(() => first[0]!.received().includes('200 OK'));
    first[1]!.destroy();
    for (let room = 0; room < 2; ) {
      const client = await begun();
      client.send(':"ab"}');
      await until(() => / (200|503) /.test(client.received()));
      if (client.received().includes(' 200 ')) room += 1;
      client.destroy();
    }
    refused.destroy();
    refused = await begun();
    refused.destroy();
  });

  it('of everybody are bounded, and the bound is logged once', async () => {
    const { log } = await serve({ bodies: 1 });
    const first = await begun();
    for (let times = 0; times < 3; times += 1) {
      const refused = await begun();
      await until(() => refused.received().includes('503'));
      refused.destroy();
    }
    first.destroy();
    expect(log.lines.filter(({ message }) => message.includes('unfinished bodies')).length).toBeLessThan(2);
  });
});

describe('WebSockets of one address', () => {
  const open = async (): Promise<WebSocket | number> => {
    const socket = new WebSocket(`${frontEnd.url.replace(/^http/, 'ws')}/v1/watch`);
    return new Promise((resolve) => {
      socket.on('open', () => resolve(socket));
      socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
      socket.on('error', () => undefined);
    });
  };

  it('are bounded, and one that closes makes room', async () => {
    await serve({ socketsPerAddress: 2 });
    const sockets = [await open(), await open()];
    expect(await open()).toBe(503);
    (sockets[0] as WebSocket).close();
    await until(async () => {
      const again = await open();
      if (typeof again === 'number') return false;
      again.terminate();
      return true;
    });
    (sockets[1] as WebSocket).terminate();
  });
});

describe('connections', () => {
  it('beyond what the process can hold are closed at once, and the others are served', async () => {
    const { log } = await serve({ connections: 4 });
    const clients: Awaited<ReturnType<typeof rawConnection>>[] = [];
    for (let count = 0; count < 8; count += 1) clients.push(await rawConnection(frontEnd.port));
    await until(() => clients.filter((client) => client.closed()).length >= 4);
    const living = clients.find((client) => !client.closed())!;
    living.send('POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\n{"text":"ab"}');
    await until(() => living.received().includes('200 OK'));
    for (const client of clients) client.destroy();
    // WebSockets that ended are no connections any more.
    for (let round = 0; round < 10; round += 1) {
      const socket = new WebSocket(`${frontEnd.url.replace(/^http/, 'ws')}/v1/watch`);
      socket.on('error', () => undefined);
      await new Promise<void>((resolve) => {
        socket.on('open', () => socket.terminate());
        socket.on('close', () => resolve());
      });
    }
    await until(
      async () =>
        (await post(`${frontEnd.url}/v1/echo`, { text: 'later' }).catch(() => undefined))?.status === 200,
    );
    expect(log.lines.filter(({ message }) => message.includes('connections')).length).toBeLessThan(2);
  });
});

describe('places for uploads', () => {
  const start = (): void => undefined;

  it('are given to another one by the slowest that has trickled for long, and by nobody else', async () => {
    await serve({});
    const slots = new UploadSlots(2);
    const given: string[] = [];
    const trickle = slots.take(0, () => given.push('trickle'))!;
    const steady = slots.take(0, () => given.push('steady'))!;
    const later = UPLOAD_GRACE_MS + 1;
    trickle.took(10);
    expect(slots.take(UPLOAD_GRACE_MS, start)).toBeUndefined();
    steady.took((UPLOAD_SLOWEST_BYTES_PER_S * later) / 1_000);
    expect(slots.take(later, start)).toBeDefined();
    expect([given, trickle.isGivenUp, steady.isGivenUp]).toEqual([['trickle'], true, false]);
    // Neither the steady one nor the new one gives up.
    expect(slots.take(later, start)).toBeUndefined();
    // What gave its place up takes none away when it ends.
    trickle.release();
    expect(slots.take(later, start)).toBeUndefined();
    steady.release();
    expect(slots.take(later, start)).toBeDefined();
  });
});
