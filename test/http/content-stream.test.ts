/** When the socket of an upload is read, and when not (content-stream.U13-U15). */

import type { HttpResponse } from 'uWebSockets.js';
import { describe, expect, it } from 'vitest';
import { REFUSED_BODY_BYTES, REFUSED_BODY_QUIET_MS } from '../../contract/limits/connection.ts';
import { ContentStream } from '../../http/uws/content-stream.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { realClock } from './fixture.ts';

const MEBIBYTE = 1024 * 1024;
const LIMIT = 100 * MEBIBYTE;

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
  return { done, send, content: new ContentStream(res, LIMIT) };
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
    await content.settle(realClock);
    expect(done).toEqual(['pause', 'resume', 'pause', 'resume']);
  });

  it('content-stream.U15 leaves the socket alone after the last byte until there is an answer', async () => {
    const { done, send, content } = response();
    send(2 * MEBIBYTE);
    send(1, true);
    expect(await readAll(content)).toBe(2 * MEBIBYTE + 1);
    expect(done).toEqual(['pause']);
    await content.settle(realClock);
    expect(done).toEqual(['pause', 'resume']);
  });

  it('touches the socket of a client that has gone no more', async () => {
    const { done, send, content } = response();
    send(2 * MEBIBYTE);
    content.abort();
    await expect(readAll(content)).rejects.toThrow('the client disconnected');
    await content.settle(realClock);
    expect(done).toEqual(['pause']);
  });
});

/** A stream that settles, and what it said if it has. */
function settling() {
  const clock = new ManualClock(0);
  const { send, done, content } = response();
  let closes: boolean | undefined;
  const settle = (): void => void content.settle(clock).then((said) => (closes = said));
  return { clock, send, done, content, settle, closes: () => closes };
}

/** What was set to run behind this turn has run. */
const turn = (): Promise<unknown> => new Promise(setImmediate);

describe('the rest of content that nobody wants', () => {
  it('content-stream.U14 refused-body.U26 is dropped to its end before the answer, and the connection goes on', async () => {
    const { send, done, content, settle, closes } = settling();
    send(LIMIT);
    send(1);
    await expect(readAll(content)).rejects.toThrow('more content than the route accepts');
    settle();
    send(10 * MEBIBYTE);
    await turn();
    expect([closes(), content.spent]).toEqual([undefined, false]);
    send(1, true);
    await turn();
    await turn();
    expect([closes(), content.spent]).toEqual([false, true]);
    expect(done.at(-1)).toBe('resume');
  });

  it('content-stream.U14 what waited for a reader that left is dropped, and its client is no longer held back', async () => {
    const { send, done, content, settle, closes } = settling();
    send(2 * MEBIBYTE);
    expect(done).toEqual(['pause']);
    settle();
    await turn();
    expect(done).toEqual(['pause', 'resume']);
    send(MEBIBYTE, true);
    await turn();
    await turn();
    expect([closes(), content.spent]).toEqual([false, true]);
  });

  it('content-stream.U14 what had come whole is not waited for', async () => {
    const { send, settle, closes } = settling();
    send(2 * MEBIBYTE, true);
    settle();
    await turn();
    await turn();
    expect(closes()).toBe(false);
  });

  it('refused-body.U26 is waited for no longer than a pause of its client', async () => {
    const { clock, send, settle, closes } = settling();
    send(1);
    settle();
    clock.advance(REFUSED_BODY_QUIET_MS - 1);
    await turn();
    await turn();
    send(1);
    clock.advance(REFUSED_BODY_QUIET_MS - 1);
    await turn();
    await turn();
    expect(closes()).toBeUndefined();
    clock.advance(1);
    await turn();
    await turn();
    expect(closes()).toBe(true);
  });

  it('refused-body.U27 a process that stood still reads what came meanwhile before it takes it for a pause', async () => {
    const { clock, send, settle, closes } = settling();
    settle();
    clock.advance(REFUSED_BODY_QUIET_MS);
    send(1);
    await turn();
    await turn();
    expect(closes()).toBeUndefined();
    send(1, true);
    await turn();
    await turn();
    expect(closes()).toBe(false);
  });

  it('refused-body.U26 is dropped up to a bound', async () => {
    const { send, settle, closes } = settling();
    settle();
    for (let sent = 0; sent < REFUSED_BODY_BYTES; sent += MEBIBYTE) send(MEBIBYTE);
    await turn();
    expect(closes()).toBeUndefined();
    send(1);
    await turn();
    expect(closes()).toBe(true);
  });

  it('is not waited for where its client goes', async () => {
    const { clock, send, done, content, settle, closes } = settling();
    send(2 * MEBIBYTE);
    settle();
    content.abort();
    await turn();
    expect(closes()).toBe(true);
    expect(done).toEqual(['pause', 'resume']);
    expect(clock.waiting).toBe(0);
  });
});
