/** A socket read by lines and counted bytes: in any pieces, within bounds, to its end. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { IIOD_LINE_BYTES, IIOD_UNREAD_BYTES } from '../../contract/limits/bench.ts';
import { ByteStream } from '../../radio/iio/byte-stream.ts';
import { until } from '../support/until.ts';

const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function pair(): Promise<{ stream: ByteStream; near: Socket; far: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  far.on('error', () => undefined);
  const [near] = (await once(server, 'connection')) as [Socket];
  ends.push(
    () => server.close(),
    () => near.destroy(),
    () => far.destroy(),
  );
  return { stream: new ByteStream(near), near, far };
}

describe('a stream of bytes', () => {
  it('gives lines and counted bytes, in whatever pieces they come', async () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 30 });
    const { stream, far } = await pair();
    const said = 'first\r\n\0\n\nbytes\nsecond\n';
    await fc.assert(
      fc.asyncProperty(pieces, async (sizes) => {
        for (let at = 0, turn = 0; at < said.length; turn += 1) {
          const size = sizes[turn % sizes.length]!;
          far.write(said.slice(at, at + size));
          at += size;
        }
        expect(await stream.line()).toBe('first');
        expect((await stream.bytes(2)).toString()).toBe('\0\n');
        expect(await stream.line()).toBe('');
        await stream.skip(6);
        expect((await stream.bytes(0)).length).toBe(0);
        expect(await stream.line()).toBe('second');
        expect(stream.unread).toBe(0);
      }),
      { seed: 20_261_121, numRuns: 100 },
    );
  });

  it('byte-stream.B1 takes no more than its bound until somebody reads on', async () => {
    const { stream, near, far } = await pair();
    const sent = Buffer.alloc(16 * IIOD_UNREAD_BYTES, 'abcdefg');
    far.write(sent);
    await until(() => near.isPaused());
    expect(stream.unread).toBeLessThan(2 * IIOD_UNREAD_BYTES);
    expect(Buffer.compare(await stream.bytes(sent.length), sent)).toBe(0);
    expect(near.isPaused()).toBe(false);
  });

  it('byte-stream.B1 refuses a line longer than a line may be, whole or not', async () => {
    for (const end of ['', '\n']) {
      const { stream, far } = await pair();
      far.write(`${'x'.repeat(IIOD_LINE_BYTES + 1)}${end}`);
      await expect(stream.line()).rejects.toThrow(`more than ${IIOD_LINE_BYTES} bytes`);
    }
    const { stream, far } = await pair();
    far.write(`${'x'.repeat(IIOD_LINE_BYTES)}\n`);
    expect((await stream.line()).length).toBe(IIOD_LINE_BYTES);
  });

  it('byte-stream.B2 hands out what came before the end, and reports the end to whoever wants more', async () => {
    const { stream, far } = await pair();
    far.end('line\nrest');
    await stream.ended;
    expect(await stream.line()).toBe('line');
    await expect(stream.bytes(5)).rejects.toThrow('closed');
    await expect(stream.write('x')).rejects.toThrow('closed');
  });

  it('byte-stream.B2 reports the end to whoever waits', async () => {
    const { stream, far } = await pair();
    const waiting = expect(stream.line()).rejects.toThrow('closed');
    far.end();
    await waiting;
  });

  it('has one reader', async () => {
    const { stream } = await pair();
    const first = stream.line().catch(() => undefined);
    expect(() => stream.line()).toThrow('two readers');
    stream.destroy(new Error('enough'));
    await first;
  });
});
