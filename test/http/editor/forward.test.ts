/** Requests to the editor, on real sockets: what reaches it, what comes back, and what happens when a side fails. */

import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FrontEnd } from '../../../http/serve.ts';
import { until } from '../../support/until.ts';
import { blindConnection, rawConnection, swiftClock, unhurriedClock } from '../fixture.ts';
import { ask, bodyOf, codesIn, type Editor, serveEditor, startEditor } from './fixture.ts';

const LIMIT = 3_000_000;
const MEGABYTE_CHUNK = Buffer.concat([
  Buffer.from('f4240\r\n'),
  Buffer.alloc(1_000_000),
  Buffer.from('\r\n'),
]);
let editor: Editor;
let frontEnd: FrontEnd;
beforeAll(async () => {
  editor = await startEditor();
  frontEnd = await serveEditor({ editorUrl: `${editor.url}/base/`, editorMaxBytes: LIMIT });
});
afterEach(() => {
  editor.answer((_request, response) => response.end());
  editor.asked.length = 0;
});
afterAll(async () => {
  await frontEnd.close();
  await editor.close();
});

/** A front end to which no client pauses in the middle of a body. */
const unhurried = (): Promise<FrontEnd> =>
  serveEditor({ editorUrl: editor.url, editorMaxBytes: LIMIT }, { clock: unhurriedClock });

const at = (path: string, how?: Parameters<typeof ask>[2]) => ask(frontEnd.url, `/v1/editor/${path}`, how);

describe('a request to the editor', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'MC-EDIT-004 passes with %s, path, query and body, and its answer as it is',
    async (method) => {
      let body: Promise<Buffer> | undefined;
      editor.answer((request, response) => {
        body = bodyOf(request);
        void body.then(() => {
          response.writeHead(418, { 'content-type': 'text/tea', 'content-length': 15, 'x-own': ['a', 'b'] });
          response.end('short and stout');
        });
      });
      const headers = { 'content-type': 'text/x', 'content-length': '9' };
      const said = await at('a/b%20c;d?x=%2F&x=2&&y', { method, body: 'some text', headers });
      expect(said).toMatchObject({ status: 418, text: 'short and stout' });
      expect(said.headers).toMatchObject({
        'content-type': 'text/tea',
        'x-own': 'a, b',
        'content-length': '15',
      });
      const [asked] = editor.asked;
      expect(asked).toMatchObject({ method, url: '/base/a/b%20c;d?x=%2F&x=2&&y' });
      expect(asked!.headers['content-type']).toBe('text/x');
      expect((await body!).toString()).toBe('some text');
    },
  );

  it('passes the root, and is not taken for it beside', async () => {
    expect((await at('')).status).toBe(200);
    expect(editor.asked[0]!.url).toBe('/base/');
    const beside = await ask(frontEnd.url, '/v1/editor');
    expect([beside.status, codesIn(beside)]).toEqual([404, ['api::unknown-route']]);
    expect(editor.asked).toHaveLength(1);
  });

  it.each(['TRACE', 'CONNECT', 'PROPFIND'])('with %s is a route that there is not', async (method) => {
    const client = await rawConnection(frontEnd.port);
    client.send(`${method} /v1/editor/a HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await until(() => client.received().includes('api::unknown-route'), { what: 'the refusal' });
    expect(editor.asked).toEqual([]);
    client.destroy();
  });

  it('HEAD has the length of its answer and no body; 204 and 304 have none', async () => {
    editor.answer(({ url }, response) => {
      response.writeHead(Number(url!.slice('/base/'.length)), { etag: '"1"' });
      response.end();
    });
    for (const status of [204, 304]) {
      const said = await at(`${status}`);
      expect(said).toMatchObject({ status, text: '' });
      expect(said.headers.etag).toBe('"1"');
      expect(said.headers['content-length']).toBeUndefined();
    }
    editor.answer((_request, response) => response.writeHead(200, { 'content-length': '12' }).end());
    const head = await at('x', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe('12');
    editor.answer((_request, response) => response.writeHead(200, { 'transfer-encoding': 'chunked' }).end());
    expect((await at('x', { method: 'HEAD' })).headers['content-length']).toBeUndefined();
  });

  it('large content passes both ways without a change, with and without a length', async () => {
    editor.answer((request, response) => {
      if (request.headers['content-length'] !== undefined)
        response.setHeader('content-length', request.headers['content-length']);
      void bodyOf(request).then((body) => response.end(body));
    });
    const body = randomBytes(LIMIT);
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
    for (const headers of [{ 'content-length': `${LIMIT}` }, { 'transfer-encoding': 'chunked' }]) {
      const said = await at('echo', { method: 'POST', body, headers });
      expect(hash(said.text)).toBe(hash(body.toString()));
    }
  });
});

describe('what streams', () => {
  it('an answer arrives while it is being written', async () => {
    let finish: () => void = () => undefined;
    editor.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
      finish = () => response.end('data: two\n\n');
    });
    const client = await rawConnection(frontEnd.port);
    client.send('GET /v1/editor/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => client.received().includes('data: one'), { what: 'the first event' });
    expect(client.received()).not.toContain('two');
    finish();
    await until(() => client.received().endsWith('0\r\n\r\n'), { what: 'the end' });
    expect(client.received()).toContain('data: two');
    client.destroy();
  });

  it('a body arrives while it is being sent', async () => {
    let had = '';
    editor.answer((request) =>
      request.on('data', (piece: Buffer) => {
        had += piece;
      }),
    );
    const client = await rawConnection(frontEnd.port);
    client.send('POST /v1/editor/up HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf-');
    await until(() => had === 'half-', { what: 'the first half' });
    client.send('whole');
    await until(() => had === 'half-whole', { what: 'the rest' });
    client.destroy();
  });

  it('an editor is not read further while its client does not read', async () => {
    const whole = 64 * 1024 * 1024;
    let given = 0;
    editor.answer((_request, response) => {
      const more = (): void => {
        while (given < whole) {
          given += 65_536;
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    const client = await rawConnection(frontEnd.port);
    client.socket.pause();
    client.send('GET /v1/editor/big HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let before = 0;
    let heldFor = 0;
    await until(
      () => {
        heldFor = given > 0 && given === before ? heldFor + 1 : 0;
        before = given;
        return heldFor > 40;
      },
      { what: 'the editor to be held back' },
    );
    expect(given).toBeLessThan(whole / 2);
    client.destroy();
  });

  it('a client is not read further while the editor does not take its body', async () => {
    const large = await serveEditor({ editorUrl: editor.url, editorMaxBytes: 1024 ** 3 });
    editor.answer((request) => request.pause());
    const client = await rawConnection(large.port);
    client.send('POST /v1/editor/up HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n');
    const piece = Buffer.alloc(1024 * 1024);
    let sent = 0;
    let heldFor = 0;
    await until(
      () => {
        heldFor = client.socket.writableNeedDrain ? heldFor + 1 : 0;
        if (heldFor === 0) client.send(piece);
        sent += heldFor === 0 ? 1 : 0;
        return heldFor > 40;
      },
      { what: 'the client to be held back' },
    );
    expect(sent).toBeLessThan(400);
    client.destroy();
    await large.close();
  });
});

describe('MC-EDIT-002 MC-ERR-116 a body larger than the editor takes', () => {
  it('is refused by its length, before it is sent, and the editor sees nothing of it', async () => {
    const client = await rawConnection(frontEnd.port);
    client.send(`POST /v1/editor/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`);
    await until(() => client.received().includes('editor::too-large'), { what: 'the refusal' });
    expect(client.received()).toMatch(/^HTTP\/1.1 413 /);
    await until(() => client.closed(), { what: 'the end of the connection' });
    expect(editor.asked).toEqual([]);
  });

  it('is refused at the first byte beyond where it is chunked, and never looks whole to the editor', async () => {
    let isWhole = false;
    let isBroken = false;
    editor.answer((request) => {
      request.resume();
      request.on('end', () => {
        isWhole = true;
      });
      request.on('error', () => {
        isBroken = true;
      });
    });
    const own = await unhurried();
    const client = await blindConnection(own.port);
    const head = 'POST /v1/editor/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
    await client.sendAll(Buffer.from(head), ...Array.from({ length: 8 }, () => MEGABYTE_CHUNK));
    // Before the client has sent the end of it.
    await until(() => isBroken, { what: 'the editor to see it broken off' });
    await client.sendAll(Buffer.from('0\r\n\r\n'));
    await until(() => client.received().includes('editor::too-large'), { what: 'the refusal' });
    expect(client.received()).toMatch(/^HTTP\/1.1 413 /);
    await client.sendAll(Buffer.from('GET /v1/editor HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    await until(() => client.received().includes('api::unknown-route'), { what: 'the answer behind it' });
    expect(isWhole).toBe(false);
    client.destroy();
    await own.close();
  });

  it('what the editor says to a body that it does not read is found by a client that sends all of it first', async () => {
    editor.answer((_request, response) => response.writeHead(507).end('the disk of the editor is full'));
    const own = await unhurried();
    const client = await blindConnection(own.port);
    const head = `POST /v1/editor/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${LIMIT}\r\n\r\n`;
    await client.sendAll(Buffer.from(head), Buffer.alloc(LIMIT));
    await until(() => client.received().includes('the disk of the editor is full'), { what: 'the answer' });
    expect(client.received()).toMatch(/^HTTP\/1.1 507 /);
    client.destroy();
    await own.close();
  });

  it('ends an answer that has begun, without its end', async () => {
    editor.answer((request, response) => {
      request.resume();
      response.write('begun');
    });
    const client = await rawConnection(frontEnd.port);
    client.send(
      'POST /v1/editor/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n',
    );
    await until(() => client.received().includes('begun'), { what: 'the answer to begin' });
    for (let sent = 0; sent < 4; sent += 1) client.send(MEGABYTE_CHUNK);
    await until(() => client.closed(), { what: 'the connection to be cut' });
    expect(client.received()).not.toContain('0\r\n\r\n');
  });

  it('exactly as large passes', async () => {
    editor.answer((request, response) => void bodyOf(request).then((body) => response.end(`${body.length}`)));
    expect((await at('a', { method: 'POST', body: Buffer.alloc(LIMIT) })).text).toBe(`${LIMIT}`);
  });
});

describe('an editor that is not there', () => {
  it('MC-EDIT-001 MC-ERR-115 is 404 editor::disabled where none is configured, whatever is asked and however large', async () => {
    const without = await serveEditor({});
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const said = await ask(without.url, '/v1/editor/a', { method, ...(method !== 'GET' && { body: 'x' }) });
      expect([said.status, codesIn(said)]).toEqual([404, ['editor::disabled']]);
    }
    await without.close();
  });

  /** The answer of a front end whose editor does this to each connection. */
  async function withEditor(connected: (socket: import('node:net').Socket) => void, clock = swiftClock(1)) {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      connected(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const served = await serveEditor(
      { editorUrl: `http://127.0.0.1:${port}`, editorMaxBytes: LIMIT },
      { clock },
    );
    return {
      served,
      async close() {
        await served.close();
        server.close();
      },
    };
  }

  it('MC-EDIT-003 MC-ERR-117 is 502 editor::unreachable where it refuses connections', async () => {
    const gone = await startEditor();
    const served = await serveEditor({ editorUrl: gone.url });
    await gone.close();
    const said = await ask(served.url, '/v1/editor/a');
    expect([said.status, codesIn(said)]).toEqual([502, ['editor::unreachable']]);
    expect(said.text).toContain('it refuses connections');
    expect(said.text).not.toContain(new URL(gone.url).port);
    await served.close();
  });

  it.each([
    [
      'closes without a word',
      (socket: import('node:net').Socket) => void socket.end(),
      'closed the connection',
    ],
    ['resets', (socket: import('node:net').Socket) => void socket.resetAndDestroy(), 'closed the connection'],
    [
      'answers what is not HTTP',
      (socket: import('node:net').Socket) => void socket.end('SSH-2.0\r\n\r\n'),
      'not HTTP',
    ],
    [
      'ends inside of its head',
      (socket: import('node:net').Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Le'),
      'closed the connection',
    ],
    [
      'changes the protocol unasked',
      (socket: import('node:net').Socket) =>
        void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      'changed the protocol',
    ],
  ])('MC-EDIT-003 is 502 where it %s', async (_what, connected, words) => {
    const { served, close } = await withEditor((socket) => socket.once('data', () => connected(socket)));
    const said = await ask(served.url, '/v1/editor/a');
    expect([said.status, codesIn(said)]).toEqual([502, ['editor::unreachable']]);
    expect(said.text).toContain(words);
    await close();
  });

  /** Answers of an editor that answers the first of a body and is gone, to clients that send all of it. */
  async function answersOfGone(how: 'destroy' | 'resetAndDestroy'): Promise<string[]> {
    const { served, close } = await withEditor(
      (socket) =>
        socket.once('data', () => {
          socket.write('HTTP/1.1 507 X\r\nContent-Length: 4\r\n\r\nfull');
          socket[how]();
        }),
      unhurriedClock,
    );
    const received: string[] = [];
    // Whether a write or the answer comes first is luck; of 16 some have a write first.
    for (let round = 0; round < 16; round += 1) {
      const client = await blindConnection(served.port);
      const head = `POST /v1/editor/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${LIMIT}\r\n\r\n`;
      await client.sendAll(Buffer.from(head), Buffer.alloc(LIMIT)).catch(() => undefined);
      await until(() => client.closed() || client.received().includes('full'), { what: 'the answer' });
      received.push(client.received());
      client.destroy();
    }
    await close();
    return received;
  }

  it.each(['destroy', 'resetAndDestroy'] as const)(
    'upstream.S5 what it answered before it closed without the rest of a body is passed on (%s)',
    async (how) => {
      for (const answer of await answersOfGone(how)) {
        expect(answer).toMatch(/^HTTP\/1.1 507 /);
        expect(answer).toContain('full');
      }
    },
  );

  it('MC-EDIT-003 is 502 where it is silent for too long', async () => {
    const { served, close } = await withEditor(() => undefined, swiftClock(30));
    const said = await ask(served.url, '/v1/editor/a', { method: 'POST', body: 'x' });
    expect([said.status, codesIn(said)]).toEqual([502, ['editor::unreachable']]);
    await close();
  });

  it.each([
    ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
  ])('MC-EDIT-003 cuts the connection where it ends in the middle of an answer %s', async (_what, bytes) => {
    const { served, close } = await withEditor((socket) =>
      socket.once('data', () => {
        socket.write(bytes);
        setImmediate(() => socket.end());
      }),
    );
    const client = await rawConnection(served.port);
    client.send('GET /v1/editor/a HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => client.closed(), { what: 'the connection to be cut' });
    expect(client.received()).not.toContain('\r\n0\r\n\r\n');
    expect(client.received()).not.toContain('editor::');
    await close();
  });

  it('MC-EDIT-003 upstream.S2 cuts the connection where that of an answer without an end of its own breaks', async () => {
    let editorSide: import('node:net').Socket | undefined;
    const { served, close } = await withEditor((socket) => {
      editorSide = socket;
      socket.once('data', () => void socket.write('HTTP/1.1 200 OK\r\n\r\nhalf'));
    });
    const client = await rawConnection(served.port);
    client.send('GET /v1/editor/a HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => client.received().includes('half'), { what: 'the half' });
    editorSide!.resetAndDestroy();
    await until(() => client.closed(), { what: 'the connection to be cut' });
    expect(client.received()).not.toContain('\r\n0\r\n\r\n');
    await close();
  });
});

describe('a client that goes', () => {
  it.each([
    ['before the answer', 'GET /v1/editor/a HTTP/1.1\r\nHost: localhost\r\n\r\n', false],
    [
      'behind a whole body',
      'POST /v1/editor/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc',
      false,
    ],
    [
      'inside of its body',
      'POST /v1/editor/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc',
      false,
    ],
    ['inside of the answer', 'GET /v1/editor/a HTTP/1.1\r\nHost: localhost\r\n\r\n', true],
  ])('%s is seen by the editor', async (_what, bytes, answers) => {
    let isGone = false;
    let isWhole = false;
    editor.answer((request, response) => {
      request.resume();
      request.on('end', () => {
        isWhole = true;
      });
      response.on('close', () => {
        isGone = true;
      });
      if (answers) response.write('begun');
    });
    const client = await rawConnection(frontEnd.port);
    client.send(bytes);
    await until(() => editor.asked.length === 1 && (!answers || client.received().includes('begun')), {
      what: 'the editor to be asked',
    });
    expect(isGone).toBe(false);
    client.destroy();
    await until(() => isGone, { what: 'the editor to see it go' });
    expect(isWhole).toBe(!bytes.includes('Length: 9'));
  });
});

describe('many at once', () => {
  it('more than may be under way of one address are refused, and places are given back', async () => {
    const served = await serveEditor({ editorUrl: editor.url }, { limits: { forwardedPerAddress: 2 } });
    const answers: (() => void)[] = [];
    editor.answer((_request, response) => void answers.push(() => response.end('there')));
    const waiting = [ask(served.url, '/v1/editor/1'), ask(served.url, '/v1/editor/2')];
    await until(() => answers.length === 2, { what: 'both to be under way' });
    const refused = await ask(served.url, '/v1/editor/3');
    expect([refused.status, codesIn(refused)]).toEqual([503, ['api::too-many-requests']]);
    for (const answer of answers) answer();
    expect((await Promise.all(waiting)).map(({ text }) => text)).toEqual(['there', 'there']);
    editor.answer((_request, response) => response.end('again'));
    expect((await ask(served.url, '/v1/editor/4')).text).toBe('again');
    await served.close();
  });
});
