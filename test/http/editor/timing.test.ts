/**
 * Requests to the editor with both sides sending in pieces of any size at any moment, and either going away at any
 * byte. G: an answer that looks whole is the one the editor gave, and a body that looks whole is the one the client
 * sent; nothing stays open behind it.
 */

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FrontEnd } from '../../../http/serve.ts';
import { until } from '../../support/until.ts';
import { ask, type Editor, serveEditor, startEditor } from './fixture.ts';

const LIMIT = 400_000;
let editor: Editor;
let frontEnd: FrontEnd;
beforeAll(async () => {
  editor = await startEditor();
  frontEnd = await serveEditor(
    { editorUrl: editor.url, editorMaxBytes: LIMIT },
    { limits: { forwarded: 2 } },
  );
});
afterAll(async () => {
  await frontEnd.close();
  await editor.close();
});

interface Sending {
  /** Bytes and the pause before them, ms. */
  readonly pieces: readonly (readonly [bytes: number, delayMs: number])[];
  readonly isSized: boolean;
  /** Goes away before this piece. */
  readonly goesAt: number | undefined;
}

const sending = fc.record({
  pieces: fc.array(
    fc.tuple(fc.constantFrom(0, 1, 17, 4_096, 70_000, 150_000), fc.integer({ min: 0, max: 3 })),
    {
      maxLength: 5,
    },
  ),
  isSized: fc.boolean(),
  goesAt: fc.option(fc.nat({ max: 5 }), { nil: undefined, freq: 3 }),
});
/** When the editor begins to answer: at once, or behind the body. */
const cases = fc.record({ up: sending, down: sending, answersAtOnce: fc.boolean() });

const bytesOf = ({ pieces }: Sending): number => pieces.reduce((sum, [bytes]) => sum + bytes, 0);
const hashOf = ({ pieces }: Sending): string => {
  const hash = createHash('sha256');
  for (const [index, [bytes]] of pieces.entries()) hash.update(Buffer.alloc(bytes, index));
  return hash.digest('hex');
};

/** Whether it was sent whole. */
async function send(
  { pieces, goesAt }: Sending,
  to: { write(piece: Buffer): boolean; end(): void; destroy(): void; readonly destroyed: boolean },
): Promise<boolean> {
  for (const [index, [bytes, delayMs]] of pieces.entries()) {
    if (delayMs > 0) await pause(delayMs);
    if (to.destroyed) return false;
    if (index === goesAt) {
      to.destroy();
      return false;
    }
    if (bytes > 0) to.write(Buffer.alloc(bytes, index));
  }
  to.end();
  return true;
}

/** What the editor has seen of one request. */
interface Seen {
  asked: boolean;
  wholeBody: string | undefined;
  ended: boolean;
}

function editorThat({ down, answersAtOnce }: { down: Sending; answersAtOnce: boolean }, seen: Seen) {
  return (incoming: IncomingMessage, response: ServerResponse): void => {
    seen.asked = true;
    const hash = createHash('sha256');
    const answer = (): void => {
      if (down.isSized) response.setHeader('content-length', bytesOf(down));
      response.on('error', () => undefined);
      void send(down, response);
    };
    incoming.on('data', (piece: Buffer) => void hash.update(piece));
    incoming.on('end', () => {
      seen.wholeBody = hash.digest('hex');
      if (!answersAtOnce) answer();
    });
    response.on('close', () => {
      seen.ended = true;
    });
    if (answersAtOnce) answer();
  };
}

interface Got {
  readonly status: number;
  /** Undefined: the answer was cut. */
  readonly hash: string | undefined;
  readonly text: string;
}

/** What the client has of it in the end; undefined: no answer. */
function clientOf(path: string, up: Sending): Promise<Got | undefined> {
  return new Promise((resolve) => {
    const sized = { 'content-length': `${bytesOf(up)}` };
    const headers = up.isSized ? sized : { 'transfer-encoding': 'chunked' };
    const { port } = new URL(frontEnd.url);
    const asked = request(
      { port, method: 'POST', path: `/v1/editor${path}`, headers, agent: false },
      (response) => {
        const pieces: Buffer[] = [];
        const done = (isWhole: boolean) => (): void => {
          const whole = Buffer.concat(pieces);
          const hash = isWhole ? createHash('sha256').update(whole).digest('hex') : undefined;
          resolve({ status: response.statusCode!, hash, text: whole.subarray(0, 200).toString() });
        };
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', done(true));
        response.on('error', done(false));
      },
    );
    asked.on('error', () => resolve(undefined));
    asked.on('close', () => resolve(undefined));
    void send(up, asked);
  });
}

describe('G whatever the moment', () => {
  it('what looks whole is whole, and nothing stays open', { timeout: 60_000 }, async () => {
    let answered = 0;
    // By the path: a request whose client has gone may reach the editor during the next one.
    const answering = new Map<string, ReturnType<typeof editorThat>>();
    const all: Seen[] = [];
    editor.answer((incoming, response) => answering.get(incoming.url!)!(incoming, response));
    await fc.assert(
      fc.asyncProperty(cases, async (each) => {
        const seen: Seen = { asked: false, wholeBody: undefined, ended: false };
        const path = `/${all.length}`;
        all.push(seen);
        answering.set(path, editorThat(each, seen));
        const got = await clientOf(path, each.up);
        if (seen.asked) await until(() => seen.ended, { what: 'the editor to be left alone' });
        if (seen.wholeBody !== undefined) expect(seen.wholeBody).toBe(hashOf(each.up));
        if (got?.hash === undefined) return;
        if (got.status === 413) expect(bytesOf(each.up)).toBeGreaterThan(LIMIT);
        else if (got.status === 502) expect(each.down.goesAt).toBeDefined();
        else expect([got.status, got.hash]).toEqual([200, hashOf(each.down)]);
        answered += 1;
      }),
      { numRuns: 100 },
    );
    expect(answered).toBeGreaterThan(10);
    await until(() => all.every(({ asked, ended }) => !asked || ended), { what: 'every request to end' });
    // Two places are all there are: each was given back.
    editor.answer((_request, response) => response.end('still here'));
    expect((await ask(frontEnd.url, '/v1/editor/a')).text).toBe('still here');
  });
});
