/** Bodies whose length nobody knows before their end, on real sockets (chunked-sender.U23 to U25). */

import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import Type from 'typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineRoute } from '../../http/route.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { until } from '../support/until.ts';
import { serveLayer } from './fixture.ts';

const PIECE = 64 * 1024;
const PIECES = 384;
const WHOLE = Buffer.alloc(PIECES * PIECE);
for (let at = 0; at < WHOLE.length; at += 4) WHOLE.writeUInt32LE((at * 2_654_435_761) >>> 0, at);

const seen = { pieces: 0, ended: 0, gone: false };
beforeEach(() => Object.assign(seen, { pieces: 0, ended: 0, gone: false }));

async function* piecesOf(count: number, breaksAt = Number.POSITIVE_INFINITY): AsyncIterable<Uint8Array> {
  try {
    for (let n = 0; n < count; n += 1) {
      if (n >= breaksAt) throw new Error('the store is away');
      await new Promise(setImmediate);
      seen.pieces += 1;
      yield WHOLE.subarray(n * PIECE, (n + 1) * PIECE);
    }
  } finally {
    seen.ended += 1;
  }
}

const BODIES: Readonly<Record<string, () => AsyncIterable<Uint8Array>>> = {
  whole: () => piecesOf(PIECES),
  empty: () => piecesOf(0),
  broken: () => piecesOf(PIECES, 3),
};

const route = defineRoute({
  method: 'GET',
  path: '/v1/rows/:name',
  operationId: 'rows',
  summary: 'rows',
  params: {
    name: { accepts: () => true, schema: Type.String(), code: 'api::unknown-route', expected: 'a name' },
  },
  abortable: true,
  replies: { 200: Type.String() },
  errors: [],
  handle({ params, gone }) {
    gone?.addEventListener('abort', () => {
      seen.gone = true;
    });
    const stream = { bytes: undefined, pieces: BODIES[params.name]! };
    return { ok: true, value: { status: 200, contentType: 'text/csv', stream } };
  },
});

let frontEnd: FrontEnd;
beforeAll(async () => {
  frontEnd = await serveLayer([route]);
});
afterAll(() => frontEnd.close());

const get = (name: string, method = 'GET') => fetch(`${frontEnd.url}/v1/rows/${name}`, { method });

/** A client that reads nothing until it is asked to. */
async function slowClient(): Promise<Socket> {
  const socket = connect(Number(new URL(frontEnd.url).port), '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.pause();
  socket.write('GET /v1/rows/whole HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await until(() => seen.pieces > 0);
  return socket;
}

/** Resolves when nothing more is read for a client that takes nothing. */
async function rests(): Promise<void> {
  let before = -1;
  let restsFor = 0;
  await until(() => {
    restsFor = before === seen.pieces ? restsFor + 1 : 0;
    before = seen.pieces;
    return restsFor > 20;
  });
}

/** Bytes of one connection that the kernel holds: not yet acknowledged to its sender, and not yet read by its reader. */
function inKernel(socket: Socket): number {
  const port = (value: string | undefined) => Number.parseInt(value?.split(':')[1] ?? '', 16);
  let bytes = 0;
  for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
    const [, local, remote, , queues] = line.trim().split(/\s+/);
    const [ours, theirs, [sent, received]] = [port(local), port(remote), queues?.split(':') ?? []];
    if (ours === socket.remotePort && theirs === socket.localPort) bytes += Number.parseInt(sent ?? '', 16);
    if (ours === socket.localPort && theirs === socket.remotePort)
      bytes += Number.parseInt(received ?? '', 16);
  }
  return bytes;
}

describe('a body in chunks', () => {
  it('comes whole, and the connection serves the next request', async () => {
    for (const _ of [1, 2]) {
      const answer = await get('whole');
      expect(Buffer.from(await answer.arrayBuffer()).equals(WHOLE)).toBe(true);
      expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    }
    expect((await (await get('empty')).arrayBuffer()).byteLength).toBe(0);
    expect(seen.ended).toBe(3);
  });

  it('is left out of the answer to HEAD, which names no length', async () => {
    const head = await get('whole', 'HEAD');
    expect([head.status, head.headers.get('content-length'), seen.pieces]).toEqual([200, null, 0]);
    expect((await get('empty')).status).toBe(200);
  });

  it('chunked-sender.U23 is read no faster than its client takes it, and held nowhere', async () => {
    const socket = await slowClient();
    await rests();
    expect(seen.pieces).toBeLessThan(PIECES);
    // A client that takes a little, again and again: what is read for it stays what the kernel took, and a piece.
    let received = 0;
    let sips = 40;
    socket.on('data', (data) => {
      received += data.length;
      if (sips > 0) socket.pause();
    });
    for (; sips > 0; sips -= 1) {
      const at = received;
      socket.resume();
      await until(() => received > at);
    }
    await rests();
    expect(seen.pieces).toBeLessThan(PIECES);
    // One piece here, one in uWebSockets.js, and what the client's socket read while it was paused.
    expect(seen.pieces * PIECE - received - inKernel(socket)).toBeLessThan(4 * PIECE);
    socket.resume();
    await until(() => received > WHOLE.length);
    await until(() => seen.ended === 1);
    expect(seen.pieces).toBe(PIECES);
    socket.destroy();
  });

  it('chunked-sender.U25 is not read on when its client has gone, who is seen to go', async () => {
    const socket = await slowClient();
    socket.destroy();
    await until(() => seen.ended === 1 && seen.gone);
    expect(seen.pieces).toBeLessThan(PIECES);
  });

  it('chunked-sender.U24 is cut, and not ended, where the rest cannot be read', async () => {
    const answer = await get('broken');
    expect(answer.status).toBe(200);
    await expect(answer.arrayBuffer()).rejects.toThrow();
    expect(seen.ended).toBe(1);
  });
});
