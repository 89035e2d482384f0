/** WebSockets through to a real editor: messages of both sides, how they end, and who is refused. */

import { randomBytes } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { EDITOR_MESSAGE_BYTES, EDITOR_PING_MS } from '../../../contract/limits/editor.ts';
import type { FrontEnd } from '../../../http/serve.ts';
import { until } from '../../support/until.ts';
import { realClock, swiftClock } from '../fixture.ts';
import { codesIn, type Editor, serveEditor, startEditor } from './fixture.ts';

let editor: Editor;
let frontEnd: FrontEnd;
let sockets: WebSocketServer;
let asked: IncomingMessage[] = [];
let joined: WebSocket[] = [];
let refuse: ((request: IncomingMessage) => string | undefined) | undefined;
/** What the editor says to an upgrade, on a connection that it leaves open. */
let say: ((socket: Duplex) => void) | undefined;

beforeAll(async () => {
  editor = await startEditor();
  sockets = new WebSocketServer({
    noServer: true,
    maxPayload: 2 * EDITOR_MESSAGE_BYTES,
    handleProtocols: (offered) => [...offered].at(-1) ?? false,
  });
  editor.server.on('upgrade', (request: IncomingMessage, socket, head) => {
    asked.push(request);
    if (say !== undefined) return say(socket);
    const refusal = refuse?.(request);
    if (refusal !== undefined) return void socket.end(refusal);
    sockets.handleUpgrade(request, socket, head, (each) => {
      each.on('error', () => undefined);
      joined.push(each);
    });
  });
  frontEnd = await serveEditor({ editorUrl: `${editor.url}/base` });
});
afterEach(() => {
  for (const each of joined) each.terminate();
  [asked, joined, refuse, say] = [[], [], undefined, undefined];
});
afterAll(async () => {
  await frontEnd.close();
  await editor.close();
});

interface Client {
  readonly socket: WebSocket;
  readonly messages: (string | Buffer)[];
  closed: { code: number; reason: string } | undefined;
  refused: { status: number; text: string } | undefined;
}

/** A client, once it is open or refused. */
async function open(
  path: string,
  { url = frontEnd.url, headers = {}, protocols = [] as string[] } = {},
): Promise<Client> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, protocols, { headers });
  const client: Client = { socket, messages: [], closed: undefined, refused: undefined };
  let isOpened = false;
  socket.on('open', () => {
    isOpened = true;
  });
  socket.on('message', (data: Buffer, isBinary) => client.messages.push(isBinary ? data : data.toString()));
  socket.on('close', (code, reason) => {
    client.closed = { code, reason: reason.toString() };
  });
  socket.on('error', () => undefined);
  socket.on('unexpected-response', (_request, response) => {
    let text = '';
    response.on('data', (data) => {
      text += data;
    });
    response.on('end', () => {
      client.refused = { status: response.statusCode!, text };
    });
  });
  // Not whether it is open now: it may be closed again by then.
  await until(() => isOpened || client.refused !== undefined, { what: 'an answer' });
  return client;
}

describe('a WebSocket to the editor', () => {
  it('MC-EDIT-004 carries messages of both sides, whole, of their kind and in order', async () => {
    const client = await open('/v1/editor/live?room=1', { protocols: ['a', 'b'] });
    expect(client.socket.protocol).toBe('b');
    expect(asked[0]!.url).toBe('/base/live?room=1');
    const got: (string | Buffer)[] = [];
    joined[0]!.on('message', (data: Buffer, isBinary) => got.push(isBinary ? data : data.toString()));
    const large = randomBytes(EDITOR_MESSAGE_BYTES);
    const messages = ['one', Buffer.from([0, 255]), '', large, 'zoë'];
    for (const message of messages) {
      client.socket.send(message);
      joined[0]!.send(message);
    }
    await until(() => got.length === 5 && client.messages.length === 5, { what: 'all messages' });
    for (const [index, message] of messages.entries()) {
      expect(Buffer.compare(Buffer.from(got[index]!), Buffer.from(message))).toBe(0);
      expect(Buffer.compare(Buffer.from(client.messages[index]!), Buffer.from(message))).toBe(0);
      expect([typeof got[index], typeof client.messages[index]]).toEqual([typeof message, typeof message]);
    }
    client.socket.close();
  });

  it('what the editor sends at once is there', async () => {
    const opening = open('/v1/editor/live');
    await until(() => joined.length === 1, { what: 'the editor to be joined' });
    joined[0]!.send('welcome');
    const client = await opening;
    await until(() => client.messages.includes('welcome'), { what: 'the greeting' });
    client.socket.close();
  });

  it.each([
    [1000, 'done'],
    [1001, ''],
    [4321, 'of its own'],
  ])('closes the other side with the code %i of either', async (code, reason) => {
    const byEditor = await open('/v1/editor/live');
    joined[0]!.close(code, reason);
    await until(() => byEditor.closed, { what: 'the client to be closed' });
    expect(byEditor.closed).toEqual({ code, reason });
    const byClient = await open('/v1/editor/live');
    let closed: unknown;
    joined[1]!.on('close', (got, why) => {
      closed = { code: got, reason: why.toString() };
    });
    byClient.socket.close(code, reason);
    await until(() => closed, { what: 'the editor to be closed' });
    expect(closed).toEqual({ code, reason });
  });

  it('a close without a code stays one', async () => {
    const client = await open('/v1/editor/live');
    joined[0]!.close();
    await until(() => client.closed, { what: 'the client to be closed' });
    expect(client.closed!.code).toBe(1005);
  });

  it('a side that goes without a word is cut at the other one', async () => {
    const client = await open('/v1/editor/live');
    joined[0]!.terminate();
    await until(() => client.closed, { what: 'the client to be cut' });
    expect(client.closed!.code).toBe(1006);
    const other = await open('/v1/editor/live');
    let code = 0;
    joined[1]!.on('close', (got) => {
      code = got;
    });
    other.socket.terminate();
    await until(() => code !== 0, { what: 'the editor to be cut' });
    expect(code).toBe(1006);
  });

  it('an editor is not read further while its client does not read, and loses nothing', async () => {
    const client = await open('/v1/editor/live');
    client.socket.pause();
    const piece = Buffer.alloc(1024 * 1024, 7);
    const count = 48;
    for (let sent = 0; sent < count; sent += 1) joined[0]!.send(piece);
    let before = -1;
    let heldFor = 0;
    await until(
      () => {
        heldFor = joined[0]!.bufferedAmount === before ? heldFor + 1 : 0;
        before = joined[0]!.bufferedAmount;
        return heldFor > 40;
      },
      { what: 'the editor to be held back' },
    );
    expect(before).toBeGreaterThan(piece.length);
    client.socket.resume();
    await until(() => client.messages.length === count, { what: 'all messages' });
    client.socket.close();
  });

  it('an editor that does not take what its client sends ends both, and nothing is left out', async () => {
    const client = await open('/v1/editor/live');
    joined[0]!.pause();
    const piece = Buffer.alloc(4 * 1024 * 1024, 7);
    for (let sent = 0; sent < 40 && client.closed === undefined; sent += 1) {
      client.socket.send(piece);
      await until(() => client.socket.bufferedAmount === 0 || client.closed !== undefined, {
        what: 'it to be sent',
      });
    }
    await until(() => client.closed, { what: 'the client to be closed' });
    expect(client.closed!.code).toBe(1013);
  });

  it('bridge.B5 many small messages at once are no reason to end it where the editor takes them', async () => {
    const client = await open('/v1/editor/live');
    let got = 0;
    joined[0]!.on('message', () => {
      got += 1;
    });
    const count = 100_000;
    for (let sent = 0; sent < count; sent += 1) client.socket.send('.');
    await until(() => got === count || client.closed, { what: 'all of them' });
    expect([got, client.closed]).toEqual([count, undefined]);
    client.socket.close();
  });

  it('a message that is too large ends both sides', async () => {
    const client = await open('/v1/editor/live');
    joined[0]!.send(Buffer.alloc(EDITOR_MESSAGE_BYTES + 1));
    await until(() => client.closed, { what: 'the client to be closed' });
    const other = await open('/v1/editor/live');
    let isClosed = false;
    joined[1]!.on('close', () => {
      isClosed = true;
    });
    other.socket.send(Buffer.alloc(EDITOR_MESSAGE_BYTES + 1));
    await until(() => isClosed && other.closed, { what: 'both to be closed' });
  });

  it('an editor that answers no ping is gone', async () => {
    const clock = swiftClock(60);
    const served = await serveEditor({ editorUrl: editor.url }, { clock });
    const client = await open('/v1/editor/live', { url: served.url });
    joined[0]!.pause();
    await until(() => client.closed, { what: 'the client to be cut', timeoutMs: EDITOR_PING_MS });
    expect(client.closed!.code).toBe(1006);
    await served.close();
  });

  it('the service closes with 1001 when it ends', async () => {
    const served = await serveEditor({ editorUrl: editor.url });
    const client = await open('/v1/editor/live', { url: served.url });
    await served.close();
    await until(() => client.closed, { what: 'the client to be closed' });
    expect(client.closed!.code).toBe(1001);
  });
});

interface Answered {
  readonly asked: ClientRequest;
  readonly status: number;
  text: string;
}

/** Asks for a WebSocket as a client that reads whatever answer comes; resolves with its head. */
function askToOpen(url: string): Promise<Answered> {
  const { hostname, port } = new URL(url);
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path: '/v1/editor/live', headers, agent: false }, (response) => {
      const answered: Answered = { asked, status: response.statusCode!, text: '' };
      response.on('data', (piece: Buffer) => {
        answered.text += piece.toString();
      });
      response.on('error', () => undefined);
      resolve(answered);
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Whether the other side has ended a connection that this one leaves open. */
function untilOver(socket: Duplex): { isOver: boolean } {
  const held = { isOver: false };
  const over = (): void => {
    held.isOver = true;
    socket.destroy();
  };
  socket.on('end', over).on('error', over).on('close', over).resume();
  return held;
}

describe('an answer of the editor that opens no WebSocket', () => {
  const limits = { socketsPerAddress: 1 };

  it('forwarded-socket.H3 keeps its place while it lasts, and ends at the editor when its client goes', async () => {
    const served = await serveEditor({ editorUrl: editor.url }, { limits });
    let held = { isOver: false };
    say = (socket) => {
      held = untilOver(socket);
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: begins\n\n');
    };
    const endless = await askToOpen(served.url);
    await until(() => endless.text.includes('begins'), { what: 'the beginning' });
    expect((await askToOpen(served.url)).status).toBe(503);
    endless.asked.on('error', () => undefined).destroy();
    await until(() => held.isOver, { what: 'the connection to the editor to end' });
    say = undefined;
    const client = await open('/v1/editor/live', { url: served.url });
    expect(client.refused).toBeUndefined();
    client.socket.close();
    await served.close();
  });

  it.each([
    '204 No Content',
    '304 Not Modified',
    '200 OK\r\nContent-Length: 0',
    '403 Forbidden\r\nContent-Length: 2\r\n\r\nno',
  ])('forwarded-socket.H3 %j is over with its last byte, at the editor too', async (head) => {
    const served = await serveEditor({ editorUrl: editor.url }, { limits });
    for (let round = 0; round < 2; round += 1) {
      let held = { isOver: false };
      say = (socket) => {
        held = untilOver(socket);
        socket.write(head.includes('\r\n\r\n') ? `HTTP/1.1 ${head}` : `HTTP/1.1 ${head}\r\n\r\n`);
      };
      expect((await askToOpen(served.url)).status).toBe(Number(head.slice(0, 3)));
      await until(() => held.isOver, { what: 'the connection to the editor to end' });
    }
    await served.close();
  });
});

describe('a WebSocket that is refused', () => {
  it('MC-EDIT-001 MC-EDIT-003 404 without an editor, 502 where it is away', async () => {
    const without = await serveEditor({});
    const { refused } = await open('/v1/editor/live', { url: without.url });
    expect([refused!.status, codesIn(refused!)]).toEqual([404, ['editor::disabled']]);
    await without.close();
    const gone = await startEditor();
    const away = await serveEditor({ editorUrl: gone.url });
    await gone.close();
    const other = await open('/v1/editor/live', { url: away.url });
    expect([other.refused!.status, codesIn(other.refused!)]).toEqual([502, ['editor::unreachable']]);
    await away.close();
  });

  it('has the answer of an editor that opens none', async () => {
    refuse = () => 'HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\nConnection: close\r\n\r\nnot today';
    const { refused } = await open('/v1/editor/live');
    expect(refused).toEqual({ status: 403, text: 'not today' });
  });

  it('by a token that is not good, a page of another origin, a path that leads elsewhere, a way back here', async () => {
    const tokens = {
      verify: async (token: string) =>
        token === 'good'
          ? { ok: true, value: { name: 'ada', roles: ['operator'], expiresAt: realClock.now() + 60_000 } }
          : { ok: false, faults: [{ code: 'auth::invalid-token', message: 'not this one' }] },
      onChange: () => () => undefined,
    };
    const served = await serveEditor(
      { editorUrl: editor.url, auth: { required: true } },
      { tokens: tokens as never },
    );
    const refusedBy = async (path: string, headers = {}) => {
      const { refused } = await open(path, { url: served.url, headers });
      return [refused!.status, ...codesIn(refused!)];
    };
    expect(await refusedBy('/v1/editor/live')).toEqual([401, 'auth::token-required']);
    expect(await refusedBy('/v1/editor/live?token=bad')).toEqual([401, 'auth::invalid-token']);
    expect(await refusedBy('/v1/editor/live', { origin: 'https://evil.example' })).toEqual([
      403,
      'api::foreign-origin',
    ]);
    expect(await refusedBy('/v1/editor/a%2fb?token=good')).toEqual([400, 'api::invalid-body']);
    const via = { via: '1.1 mission-control-editor' };
    expect(await refusedBy('/v1/editor/live?token=good', via)).toEqual([502, 'editor::unreachable']);
    expect(asked).toEqual([]);
    const client = await open('/v1/editor/live?a=1&token=good&b', { url: served.url });
    expect(asked[0]!.url).toBe('/live?a=1&b');
    expect(JSON.stringify(asked[0]!.rawHeaders)).not.toContain('good');
    expect(asked[0]!.headers).toMatchObject({
      'x-mcs-identity': 'verified',
      'x-mcs-user': 'ada',
      'x-mcs-role': 'operator',
    });
    client.socket.close();
    await served.close();
  });

  it('is closed with 4401 when the token ends that opened it', async () => {
    const expiresAt = realClock.now() + 1;
    const clock = swiftClock(30);
    const tokens = {
      verify: async () => ({ ok: true, value: { name: 'ada', roles: [], expiresAt } }),
      onChange: () => () => undefined,
    };
    const served = await serveEditor({ editorUrl: editor.url }, { tokens: tokens as never, clock });
    const client = await open('/v1/editor/live?token=x', { url: served.url });
    await until(() => client.closed, { what: 'the client to be closed' });
    expect(client.closed!.code).toBe(4401);
    await served.close();
  });

  it('http/follow.F5 is closed with 4401 when the token counts no more that opened it', async () => {
    let [counts, changed] = [true, (): void => undefined];
    const tokens = {
      verify: async () =>
        counts
          ? { ok: true, value: { name: 'ada', roles: [], expiresAt: realClock.now() + 600_000 } }
          : { ok: false, faults: [{ code: 'auth::invalid-token', message: 'not this one' }] },
      onChange: (listener: () => void) => {
        changed = listener;
        return () => undefined;
      },
    };
    const served = await serveEditor({ editorUrl: editor.url }, { tokens: tokens as never });
    const client = await open('/v1/editor/live?token=x', { url: served.url });
    counts = false;
    changed();
    await until(() => client.closed, { what: 'the client to be closed' });
    expect(client.closed!.code).toBe(4401);
    await served.close();
  });
});
