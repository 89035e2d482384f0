/**
 * Bodies that come slowly, on real sockets, for longer than the ten seconds in which uWebSockets.js wants 160 KiB
 * (content-stream.U19).
 */

import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineRoute } from '../../http/route.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { until } from '../support/until.ts';
import { bodyOf, type Editor, serveEditor, startEditor } from './editor/fixture.ts';
import { isAnswered, rawConnection, serveLayer } from './fixture.ts';

const UWS_MS = 14_000;
const replies = { 200: Type.Object({ bytes: Type.Integer() }) };

const common = { method: 'POST', summary: 'takes a body', replies, errors: [] } as const;
const wanted = defineRoute({
  ...common,
  path: '/v1/wanted',
  operationId: 'wanted',
  content: { maxBytes: 1_000_000 },
  async handle({ content }) {
    let bytes = 0;
    for await (const piece of content!.pieces()) bytes += piece.length;
    return { ok: true, value: { status: 200, body: { bytes } } };
  },
});
const unwanted = defineRoute({
  ...common,
  path: '/v1/unwanted',
  operationId: 'unwanted',
  content: { maxBytes: 1_000_000 },
  handle: () => ({ ok: true, value: { status: 200, body: { bytes: 0 } } }),
});
const json = defineRoute({
  ...common,
  path: '/v1/json',
  operationId: 'json',
  body: Type.String({ maxLength: 1_000_000 }),
  handle: ({ body }) => ({ ok: true, value: { status: 200, body: { bytes: body.length } } }),
});

let editor: Editor;
let frontEnd: FrontEnd;
let forwarding: FrontEnd;
beforeAll(async () => {
  frontEnd = await serveLayer([wanted, unwanted, json]);
  editor = await startEditor();
  editor.answer(async (incoming, response) => {
    response.end(JSON.stringify({ bytes: (await bodyOf(incoming)).length }));
  });
  forwarding = await serveEditor({ editorUrl: editor.url });
});
afterAll(async () => {
  await Promise.all([frontEnd.close(), forwarding.close()]);
  await editor.close();
});

/** A body of which a little comes five times in a second, until it is closed or its last second has passed. */
async function trickle(path: string, ms: number) {
  const { url } = path.startsWith('/v1/editor/') ? forwarding : frontEnd;
  const client = await rawConnection(Number(new URL(url).port));
  client.send(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n"\r\n`);
  const began = performance.now();
  let next = 0;
  let bytes = 1;
  await until(
    () => {
      const passed = performance.now() - began;
      if (passed >= next && passed <= ms) {
        client.send('1\r\nx\r\n');
        next = passed + 200;
        bytes += 1;
      }
      return client.closed() || passed > UWS_MS;
    },
    { timeoutMs: UWS_MS + 10_000 },
  );
  return { ...client, bytes };
}

describe.concurrent('a body that comes slowly', () => {
  it.each(['/v1/wanted', '/v1/editor/wanted'])(
    'content-stream.U19 is taken whole while it is wanted: %s',
    { timeout: 60_000 },
    async (path) => {
      const { closed, received, bytes, send, destroy } = await trickle(path, UWS_MS);
      expect(closed()).toBe(false);
      send('0\r\n\r\n');
      await until(() => isAnswered(received()) && received().includes(`{"bytes":${bytes}}`));
      destroy();
    },
  );

  it('content-stream.U19 is cut when nothing more comes of it', { timeout: 60_000 }, async () => {
    const { closed, received } = await trickle('/v1/wanted', 1_000);
    expect([closed(), received()]).toEqual([true, '']);
  });

  it.each(['/v1/unwanted', '/v1/json'])(
    'content-stream.U19 is cut where it is not content, or nobody wants it: %s',
    { timeout: 60_000 },
    async (path) => {
      const { closed, received } = await trickle(path, UWS_MS);
      expect([closed(), received()]).toEqual([true, '']);
    },
  );
});
