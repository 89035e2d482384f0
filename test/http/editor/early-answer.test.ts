/**
 * An editor that answers and breaks its connection while a body is on its way to it, on real sockets: the answer is in
 * the kernel, unread, when the next piece of the body is written and fails.
 */

import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Content } from '../../../http/content.ts';
import { type Answered, askEditor, type EditorAnswer } from '../../../http/editor/upstream.ts';
import { realClock } from '../../../supervision/clock.ts';

/** Asks with a body of two pieces: the second is written in the turn in which the editor answered and broke off. */
async function askOneThatBreaks(bytes: string): Promise<Answered> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(bytes);
      socket.resetAndDestroy();
      server.emit('broke-off');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const brokeOff = once(server, 'broke-off');
  const content: Content = {
    async *pieces() {
      yield Buffer.from('first');
      await brokeOff;
      yield Buffer.from('second');
    },
    giveUp: () => undefined,
  };
  try {
    return await askEditor({
      base: new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}`),
      method: 'POST',
      path: '/a',
      headers: { 'transfer-encoding': 'chunked' },
      content,
      clock: realClock,
      gone: new AbortController().signal,
    });
  } finally {
    server.close();
  }
}

async function textOf(answer: EditorAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.pieces()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('upstream.S5 an answer from before the connection broke', () => {
  it.each([
    ['with a length', 'HTTP/1.1 507 X\r\nContent-Length: 4\r\n\r\nfull', 'full'],
    ['in chunks', 'HTTP/1.1 507 X\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfull\r\n0\r\n\r\n', 'full'],
    ['without content', 'HTTP/1.1 204 X\r\n\r\n', ''],
  ])('early-answer.A1 is read to its end, %s', async (_what, bytes, text) => {
    const answered = await askOneThatBreaks(bytes);
    if (answered.kind !== 'answer') throw new Error(JSON.stringify(answered));
    expect(answered.status).toBe(Number(bytes.slice(9, 12)));
    expect(await textOf(answered)).toBe(text);
  });

  it('is cut off where the end of that connection is its only end', async () => {
    const answered = await askOneThatBreaks('HTTP/1.1 507 X\r\n\r\nfull');
    if (answered.kind !== 'answer') throw new Error(JSON.stringify(answered));
    await expect(textOf(answered)).rejects.toThrow('before the end of its answer');
  });

  it.each([
    ['nothing', ''],
    ['a part of its head', 'HTTP/1.1 507 X\r\nContent-Le'],
  ])('early-answer.A2 %s is none: unreachable, at once', async (_what, bytes) => {
    expect(await askOneThatBreaks(bytes)).toEqual({
      kind: 'unreachable',
      why: 'it closed the connection without an answer',
    });
  });
});
