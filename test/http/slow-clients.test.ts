/**
 * Clients that read slowly, or nothing (slow-client.U28, U29): on real sockets for longer than the ten seconds after
 * which uWebSockets.js ends a response by itself.
 */

import type { HttpResponse } from 'uWebSockets.js';
import { connect, type Socket } from 'node:net';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWER_OFFER_MS, ANSWER_STALLED_MS } from '../../contract/limits/connection.ts';
import { defineRoute } from '../../http/route.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { ChunkedSender } from '../../http/uws/chunked-sender.ts';
import { ContentSender } from '../../http/uws/content-sender.ts';
import { SlowClient } from '../../http/uws/slow-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { until } from '../support/until.ts';
import { layerPorts, serveLayer, swiftClock } from './fixture.ts';

const PIECE = 64 * 1024;
/** More than the kernel holds. */
const WHOLE = Buffer.alloc(24 * 1024 * 1024 + 1);
for (let at = 0; at < WHOLE.length - 4; at += 4) WHOLE.writeUInt32LE((at * 2_654_435_761) >>> 0, at);

/** Answers whose reading was ended. */
const ended: string[] = [];

async function* piecesFor(name: string): AsyncIterable<Uint8Array> {
  try {
    for (let at = 0; at < WHOLE.length; at += PIECE) yield WHOLE.subarray(at, at + PIECE);
  } finally {
    ended.push(name);
  }
}

const route = defineRoute({
  method: 'GET',
  path: '/v1/rows/:name',
  operationId: 'rows',
  summary: 'rows',
  params: {
    name: { accepts: () => true, schema: Type.String(), code: 'api::unknown-route', expected: 'a name' },
  },
  replies: { 200: Type.String() },
  errors: [],
  handle({ params: { name } }) {
    const stream = {
      bytes: name!.startsWith('sized') ? WHOLE.length : undefined,
      pieces: () => piecesFor(name!),
    };
    return { ok: true, value: { status: 200, contentType: 'text/csv', stream } };
  },
});

/** As much, in one answer. */
const LIST = { rows: Array.from({ length: 24 * 1024 }, (_, n) => `${n}`.padStart(1_020)) };
const list = defineRoute({
  method: 'GET',
  path: '/v1/list',
  operationId: 'list',
  summary: 'list',
  replies: { 200: Type.Unknown() },
  errors: [],
  handle: () => ({ ok: true, value: { status: 200, body: LIST } }),
});

let frontEnd: FrontEnd;
let swift: FrontEnd;
beforeAll(async () => {
  frontEnd = await serveLayer([route, list]);
  // A minute in fifteen seconds, which is still longer than uWebSockets.js waits.
  swift = await serveLayer([route], [], { ...layerPorts(), clock: swiftClock(4) });
});
afterAll(() => Promise.all([frontEnd.close(), swift.close()]));

interface Client {
  readonly socket: Socket;
  readonly received: () => Buffer;
  readonly bytes: () => number;
  /** The last seven bytes that it received. */
  readonly tail: () => string;
  readonly closed: () => boolean;
}

async function client(of: FrontEnd, name: string): Promise<Client> {
  const socket = connect(Number(new URL(of.url).port), '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.pause();
  const pieces: Buffer[] = [];
  let isClosed = false;
  let bytes = 0;
  let tail = '';
  socket.on('data', (data) => {
    pieces.push(data);
    bytes += data.length;
    tail = (tail + data.toString('latin1', Math.max(0, data.length - 7))).slice(-7);
  });
  socket.on('close', () => {
    isClosed = true;
  });
  socket.on('error', () => undefined);
  socket.write(`GET /v1/${name} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  return {
    socket,
    received: () => Buffer.concat(pieces),
    bytes: () => bytes,
    tail: () => tail,
    closed: () => isClosed,
  };
}

/** Reads at most 64 KiB each second, for so long. */
async function sip({ socket }: Client, ms: number): Promise<void> {
  const end = performance.now() + ms;
  let next = 0;
  const stop = (): void => void socket.pause();
  socket.on('data', stop);
  await until(() => {
    if (performance.now() >= next) {
      next = performance.now() + 1_000;
      socket.resume();
    }
    return performance.now() > end;
  });
  socket.off('data', stop);
  socket.resume();
}

function bodyOf(received: Buffer): Buffer {
  return received.subarray(received.indexOf('\r\n\r\n') + 4);
}

function hasBody({ bytes, received }: Client, length: number): boolean {
  return bytes() > length && bodyOf(received()).length >= length;
}

function fromChunks(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const line = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, line), 16);
    if (!(size > 0)) break;
    pieces.push(body.subarray(line + 2, line + 2 + size));
    at = line + 4 + size;
  }
  return Buffer.concat(pieces);
}

describe('a client that reads slowly', () => {
  it.concurrent('slow-client.U28 gets all of content', { timeout: 60_000 }, async () => {
    const slow = await client(frontEnd, 'rows/sized');
    await sip(slow, 13_000);
    await until(() => slow.closed() || hasBody(slow, WHOLE.length));
    expect(bodyOf(slow.received()).equals(WHOLE)).toBe(true);
    expect(ended).toContain('sized');
    slow.socket.destroy();
  });

  it.concurrent('slow-client.U28 gets all of a body in chunks, each byte once', {
    timeout: 60_000,
  }, async () => {
    const slow = await client(frontEnd, 'rows/chunked');
    await sip(slow, 13_000);
    await until(() => slow.tail() === '\r\n0\r\n\r\n' || slow.closed());
    expect(fromChunks(bodyOf(slow.received())).equals(WHOLE)).toBe(true);
    expect(ended).toContain('chunked');
    slow.socket.destroy();
  });

  it.concurrent('exchange.U18 gets all of a long list', { timeout: 60_000 }, async () => {
    const slow = await client(frontEnd, 'list');
    await sip(slow, 13_000);
    const text = JSON.stringify(LIST);
    await until(() => slow.closed() || hasBody(slow, text.length));
    expect(bodyOf(slow.received()).toString()).toBe(text);
    slow.socket.destroy();
  });

  it.concurrent('slow-client.U29 is cut where it reads nothing, and what it held is given back', {
    timeout: 60_000,
  }, async () => {
    const names = ['sized-unread', 'chunked-unread'];
    const silent = await Promise.all(names.map((name) => client(swift, `rows/${name}`)));
    const began = performance.now();
    await until(() => names.every((name) => ended.includes(name)), { timeoutMs: 40_000 });
    expect(performance.now() - began).toBeGreaterThan(ANSWER_STALLED_MS / 4 - 1_000);
    for (const each of silent) each.socket.resume();
    await until(() => silent.every((each) => each.closed()));
    for (const each of silent) expect(each.bytes()).toBeLessThan(WHOLE.length);
  });
});

/** A response whose socket has room for so many bytes, and what was done with it. */
function response(room: number) {
  const done: (string | number)[] = [];
  const kernel = { room, waiting: 0, taken: 0, writable: (): unknown => undefined };
  const take = (bytes: number): number => {
    const taken = Math.min(kernel.room, bytes);
    kernel.room -= taken;
    kernel.taken += taken;
    return taken;
  };
  const res = {
    onWritable: (writable: (offset: number) => boolean) => {
      kernel.writable = () => writable(kernel.taken);
    },
    getWriteOffset: () => kernel.taken,
    cork: (write: () => void) => {
      write();
      kernel.waiting -= take(kernel.waiting);
    },
    tryEnd: (piece: Uint8Array, bytes: number) => {
      done.push(piece.length);
      return [take(piece.length) === piece.length, kernel.taken === bytes];
    },
    write: (piece: Uint8Array) => {
      done.push(piece.length);
      kernel.waiting += piece.length;
      kernel.waiting -= take(kernel.waiting);
      return kernel.waiting === 0;
    },
    end: () => done.push('end'),
    pause: () => done.push('pause'),
    resume: () => done.push('resume'),
    close: () => done.push('close'),
  } as unknown as HttpResponse;
  return { res, kernel, done: () => done.splice(0) };
}

const turn = (): Promise<unknown> => new Promise(setImmediate);
const SENDING = { head: () => undefined, sent: () => undefined, broken: () => undefined };

function slowly(room: number, isPaused = false) {
  const clock = new ManualClock(0);
  const { res, kernel, done } = response(room);
  const slow = new SlowClient(res, { clock, isPaused: () => isPaused });
  async function* pieces(lengths: readonly number[]): AsyncIterable<Uint8Array> {
    for (const length of lengths) yield Buffer.alloc(length);
  }
  return {
    clock,
    kernel,
    done,
    async sized(...lengths: number[]) {
      const bytes = lengths.reduce((sum, length) => sum + length, 0);
      const sender = new ContentSender(res, { bytes, pieces: () => pieces(lengths) }, SENDING, slow);
      void sender.send();
      await turn();
      return sender;
    },
    async chunked(...lengths: number[]) {
      const sender = new ChunkedSender(
        res,
        { bytes: undefined, pieces: () => pieces(lengths) },
        SENDING,
        slow,
      );
      void sender.send();
      await turn();
      return sender;
    },
    async offered() {
      clock.advance(ANSWER_OFFER_MS);
      await turn();
    },
  };
}

const OFFERS = ANSWER_STALLED_MS / ANSWER_OFFER_MS;

describe('what waits for a client', () => {
  it('content-sender.U23 ends with a byte by itself, behind what was taken', async () => {
    const { sized, kernel, done, offered, clock } = slowly(12);
    await sized(10, 10);
    expect(done()).toEqual([10, 9]);
    kernel.room = 7;
    await offered();
    expect(done()).toEqual(['pause', 'resume', 7, 1]);
    kernel.room = 1;
    await offered();
    expect(done()).toEqual(['pause', 'resume', 1]);
    expect(clock.waiting).toBe(0);
  });

  it('content-sender.U23 a body of one piece is given whole', async () => {
    const { sized, done, clock } = slowly(10);
    await sized(10);
    expect([done(), clock.waiting]).toEqual([[10], 0]);
  });

  it('chunked-sender.U26 is gone before the answer is ended', async () => {
    const { chunked, kernel, done, offered, clock } = slowly(5);
    await chunked(10, 100);
    // What was written first waits, and is asked for with single bytes.
    expect(done()).toEqual([10]);
    await offered();
    expect(done()).toEqual(['pause', 'resume', 1]);
    kernel.room = 7;
    kernel.writable();
    await turn();
    // All but what it is asked with, and the first of that.
    expect(done()).toEqual([1, 34]);
    kernel.room = 34;
    await offered();
    expect(done()).toEqual(['pause', 'resume', 1]);
    kernel.room = 1_000;
    await offered();
    expect(done()).toEqual(['pause', 'resume', 1, 62, 'end']);
    expect(clock.waiting).toBe(0);
  });

  it('chunked-sender.U23 goes as soon as there is room, though its source is idle', async () => {
    const { res, kernel, done } = response(5);
    const slow = new SlowClient(res, { clock: new ManualClock(0), isPaused: () => false });
    let go: () => void = () => undefined;
    async function* pieces(): AsyncIterable<Uint8Array> {
      yield Buffer.alloc(10);
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      yield Buffer.alloc(20);
    }
    void new ChunkedSender(res, { bytes: undefined, pieces }, SENDING, slow).send();
    await turn();
    kernel.room = 100;
    kernel.writable();
    expect(kernel.waiting).toBe(0);
    go();
    await turn();
    expect(done()).toEqual([10, 20, 'end']);
  });

  it.each(['sized', 'chunked'] as const)(
    'slow-client.U29 a client that takes none of a %s answer is cut after a minute, and not before',
    async (kind) => {
      const slowing = slowly(5);
      const { kernel, done, offered } = slowing;
      const sender = await slowing[kind](20_000, 20_000);
      for (let n = 1; n < OFFERS; n += 1) await offered();
      expect(done()).not.toContain('close');
      // Something is taken at the last moment.
      kernel.room = 30_000;
      for (let n = 0; n < OFFERS; n += 1) await offered();
      expect(done()).not.toContain('close');
      await offered();
      await offered();
      expect(done()).toContain('close');
      sender.abort();
      expect(slowing.clock.waiting).toBe(0);
    },
  );

  it('slow-client.U28 a connection that is not to be read is not', async () => {
    const { sized, done, offered } = slowly(5, true);
    await sized(10);
    done();
    await offered();
    expect(done()).toEqual(['pause', 4]);
  });

  it('slow-client.U29 a source that takes its time is not counted to its client', async () => {
    const clock = new ManualClock(0);
    const { res, kernel, done } = response(5);
    const slow = new SlowClient(res, { clock, isPaused: () => false });
    async function* pieces(): AsyncIterable<Uint8Array> {
      yield Buffer.alloc(10);
      await new Promise(() => undefined);
    }
    for (const sender of [
      new ContentSender(res, { bytes: 100, pieces }, SENDING, slow),
      new ChunkedSender(res, { bytes: undefined, pieces }, SENDING, slow),
    ]) {
      void sender.send();
      await turn();
      kernel.room = 1_000;
      for (let n = 0; n < 3 * OFFERS; n += 1) {
        clock.advance(ANSWER_OFFER_MS);
        await turn();
      }
      expect(done()).not.toContain('close');
      sender.abort();
      kernel.room = 5;
    }
  });
});
