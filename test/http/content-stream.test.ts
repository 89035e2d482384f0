/** When the socket of an upload is read, and when not (content-stream.U13, U15). */

import type { HttpResponse } from 'uWebSockets.js';
import { describe, expect, it } from 'vitest';
import { ContentStream } from '../../http/uws/content-stream.ts';

const MEBIBYTE = 1024 * 1024;

/** A response that hands over what the test sends and notes what is done to its socket. */
function response() {
  const done: string[] = [];
  let take: (data: ArrayBuffer, isLast: boolean) => void = () => undefined;
  const res = {
    onData: (taker: typeof take) => {
      take = taker;
    },
    pause: () => done.push('pause'),
    resume: () => done.push('resume'),
  } as unknown as HttpResponse;
  const send = (bytes: number, isLast = false) => take(new ArrayBuffer(bytes), isLast);
  return { done, send, content: new ContentStream(res, 100 * MEBIBYTE) };
}

async function readAll(content: ContentStream): Promise<number> {
  let bytes = 0;
  for await (const piece of content.pieces()) bytes += piece.length;
  return bytes;
}

describe('content that arrives faster than it is read', () => {
  it('content-stream.U13 holds its client back until half of it is read', async () => {
    const { done, send, content } = response();
    send(MEBIBYTE);
    send(MEBIBYTE);
    expect(done).toEqual(['pause']);
    const reading = readAll(content);
    await new Promise(setImmediate);
    expect(done).toEqual(['pause', 'resume']);
    send(1, true);
    expect(await reading).toBe(2 * MEBIBYTE + 1);
    // Behind the last byte it is not read until the answer.
    expect(done).toEqual(['pause', 'resume', 'pause']);
    content.settle();
    expect(done).toEqual(['pause', 'resume', 'pause', 'resume']);
  });

  it('content-stream.U15 leaves the socket alone after the last byte until there is an answer', async () => {
    const { done, send, content } = response();
    send(2 * MEBIBYTE);
    send(1, true);
    expect(await readAll(content)).toBe(2 * MEBIBYTE + 1);
    expect(done).toEqual(['pause']);
    content.settle();
    expect(done).toEqual(['pause', 'resume']);
  });

  it('touches the socket of a client that has gone no more', async () => {
    const { done, send, content } = response();
    send(2 * MEBIBYTE);
    content.abort();
    await expect(readAll(content)).rejects.toThrow('the client disconnected');
    content.settle();
    expect(done).toEqual(['pause']);
  });
});
