/** Parts and versions of content (served-content.V1, V2), and how it leaves on real sockets (content-sender.U20 to U22). */

import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import Type from 'typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineRoute } from '../../http/route.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { type Conditions, contentReply, type ServedContent } from '../../http/served-content.ts';
import { until } from '../support/until.ts';
import { layerPorts, serveLayer } from './fixture.ts';

const PIECE = 64 * 1024;
const WHOLE = Buffer.alloc(24 * 1024 * 1024);
for (let at = 0; at < WHOLE.length; at += 4) WHOLE.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
const SHA256 = createHash('sha256').update(WHOLE).digest('hex');

/** What was read of the content, and whether the reading was ended. */
const seen = { pieces: 0, ended: 0 };
beforeEach(() => {
  seen.pieces = 0;
  seen.ended = 0;
});

function contentOf(bytes: Buffer, failsAt = Number.POSITIVE_INFINITY): ServedContent {
  return {
    bytes: bytes.length,
    sha256: SHA256,
    fileName: 'sat1-7-2.bin',
    async *read(start, end) {
      try {
        for (let at = start; at < end; at += PIECE) {
          if (at >= failsAt) throw new Error('the store is away');
          await new Promise(setImmediate);
          seen.pieces += 1;
          yield bytes.subarray(at, Math.min(end, at + PIECE));
        }
      } finally {
        seen.ended += 1;
      }
    },
  };
}

const CONTENTS: Readonly<Record<string, ServedContent>> = {
  whole: contentOf(WHOLE),
  empty: contentOf(Buffer.alloc(0)),
  broken: contentOf(WHOLE, 3 * PIECE),
};

describe('a reply of content', () => {
  const replyTo = (conditions: Conditions) => {
    const reply = contentReply(contentOf(Buffer.alloc(1_000)), conditions);
    if (!reply.ok) return reply.faults.map(({ code }) => code);
    const { status, headers = {}, stream } = reply.value;
    return [status, headers['content-range'], stream?.bytes];
  };
  const etag = `"${SHA256}"`;

  it.each<[string, Conditions, unknown]>([
    ['nothing asked', {}, [200, undefined, 1_000]],
    ['from a byte on', { range: 'bytes=990-' }, [206, 'bytes 990-999/1000', 10]],
    ['a part', { range: 'bytes=0-0' }, [206, 'bytes 0-0/1000', 1]],
    ['a part past the end', { range: 'bytes=900-5000' }, [206, 'bytes 900-999/1000', 100]],
    ['the last bytes', { range: 'bytes=-10' }, [206, 'bytes 990-999/1000', 10]],
    ['more last bytes than there are', { range: 'bytes=-5000' }, [206, 'bytes 0-999/1000', 1_000]],
    ['nothing of it', { range: 'bytes=1000-' }, ['api::unsatisfiable-range']],
    ['the last none', { range: 'bytes=-0' }, ['api::unsatisfiable-range']],
    ['several parts', { range: 'bytes=0-1,4-5' }, [200, undefined, 1_000]],
    ['a part that ends before it begins', { range: 'bytes=5-4' }, [200, undefined, 1_000]],
    ['another unit', { range: 'rows=1-2' }, [200, undefined, 1_000]],
    ['no range', { range: 'bytes=' }, [200, undefined, 1_000]],
    ['a part of this version', { range: 'bytes=1-2', ifRange: etag }, [206, 'bytes 1-2/1000', 2]],
    ['a part of another version', { range: 'bytes=1-2', ifRange: '"x"' }, [200, undefined, 1_000]],
    ['what it has', { ifNoneMatch: etag }, [304, undefined, 1_000]],
    ['one of those it has', { ifNoneMatch: `"x", W/${etag}` }, [304, undefined, 1_000]],
    ['anything', { ifNoneMatch: ' * ' }, [304, undefined, 1_000]],
    [
      'what bears the mark of a weak one inside',
      { ifNoneMatch: `"W/${etag.slice(1)}` },
      [200, undefined, 1_000],
    ],
    ['a part, with spaces', { range: ' bytes=0-0 ' }, [206, 'bytes 0-0/1000', 1]],
    ['a part of what is no bytes', { range: 'kilobytes=0-0' }, [200, undefined, 1_000]],
    ['what is not it', { ifNoneMatch: '"x"' }, [200, undefined, 1_000]],
  ])('to who asks for %s', (_, conditions, expected) => {
    expect(replyTo(conditions)).toEqual(expected);
  });

  it('says what may be asked of it, and why nothing of a part is there', () => {
    const whole = contentReply(contentOf(Buffer.alloc(1_000)));
    expect(whole.ok && whole.value.headers).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
    });
    const none = contentReply(contentOf(Buffer.alloc(1_000)), { range: 'bytes=1000-' });
    expect(none.ok ? [] : none.faults).toMatchObject([
      {
        message: expect.stringContaining('1000 bytes: none of them'),
        help: expect.stringContaining('without a Range'),
      },
    ]);
  });

  it('has no name that could end its header', () => {
    expect(() => contentReply({ ...contentOf(WHOLE), fileName: 'a"\r\nx: y' })).toThrow('not a file name');
  });
});

describe('content on a socket', () => {
  const route = defineRoute({
    method: 'GET',
    path: '/v1/content/:name',
    operationId: 'content',
    summary: 'content',
    params: {
      name: { accepts: () => true, schema: Type.String(), code: 'api::unknown-route', expected: 'a name' },
    },
    replies: { 200: Type.String() },
    errors: ['api::unsatisfiable-range'],
    handle: ({ params, conditions }) => contentReply(CONTENTS[params.name]!, conditions),
  });
  let frontEnd: FrontEnd;
  const ports = layerPorts();
  beforeAll(async () => {
    frontEnd = await serveLayer([route], [], ports);
  });
  afterAll(() => frontEnd.close());

  const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${frontEnd.url}/v1/content/${name}`, { method, headers });

  it('comes whole, with its length, its version, and a name to save it as', async () => {
    const answer = await get('whole');
    const body = Buffer.from(await answer.arrayBuffer());
    expect(answer.status).toBe(200);
    expect(body.equals(WHOLE)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-length': `${WHOLE.length}`,
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="sat1-7-2.bin"',
      'x-content-type-options': 'nosniff',
      etag: `"${SHA256}"`,
    });
    expect(seen.ended).toBe(1);
  });

  it('comes in the part that is asked for, and the connection serves the next request', async () => {
    const range = { range: `bytes=${PIECE - 1}-${PIECE}` };
    for (const _ of [1, 2]) {
      const answer = await get('whole', range);
      expect([answer.status, answer.headers.get('content-range')]).toEqual([
        206,
        `bytes ${PIECE - 1}-${PIECE}/${WHOLE.length}`,
      ]);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(WHOLE.subarray(PIECE - 1, PIECE + 1));
    }
    expect((await get('whole', { range: `bytes=${WHOLE.length}-` })).status).toBe(416);
  });

  it('is left out of the answer to HEAD and to who has it, with its length', async () => {
    const head = await get('whole', {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, `${WHOLE.length}`]);
    const known = await get('whole', { 'if-none-match': `"${SHA256}"` });
    expect([known.status, (await known.arrayBuffer()).byteLength]).toEqual([304, 0]);
    const empty = await get('empty');
    expect([empty.status, empty.headers.get('content-length')]).toEqual([200, '0']);
    expect(seen.pieces).toBe(0);
  });

  it('content-sender.U20 is read no faster than its client takes it', async () => {
    const socket = connect(Number(new URL(frontEnd.url).port), '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.pause();
    socket.write('GET /v1/content/whole HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await until(() => seen.pieces > 0);
    // What the kernel takes on both sides is bounded: the reading comes to rest before the end.
    let before = -1;
    await until(() => {
      const rests = before === seen.pieces;
      before = seen.pieces;
      return rests;
    });
    expect(seen.pieces).toBeLessThan(WHOLE.length / PIECE);
    let received = 0;
    socket.on('data', (data) => {
      received += data.length;
    });
    socket.resume();
    await until(() => received > WHOLE.length);
    expect(seen).toEqual({ pieces: WHOLE.length / PIECE, ended: 1 });
    socket.destroy();
  });

  it('content-sender.U22 is not read on when its client has gone', async () => {
    const socket = connect(Number(new URL(frontEnd.url).port), '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.pause();
    socket.write('GET /v1/content/whole HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await until(() => seen.pieces > 0);
    socket.destroy();
    await until(() => seen.ended === 1);
    expect(seen.pieces).toBeLessThan(WHOLE.length / PIECE);
  });

  it('content-sender.U21 is cut, and not ended, where the rest cannot be read', async () => {
    const answer = await get('broken');
    expect(answer.status).toBe(200);
    await expect(answer.arrayBuffer()).rejects.toThrow();
    expect(seen.ended).toBe(1);
  });
});
