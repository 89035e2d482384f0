/** Content on its way from this machine to the service, against a server that says what a service may say. */

import { createHash } from 'node:crypto';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalContent, readContent, storeContent } from '../../cli/upload-content.ts';
import { UPLOAD_BYTES } from '../../contract/limits/transfer.ts';

const CONTENT = Buffer.alloc(3_000_000, 'a patch of some length ');
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const signal = new AbortController().signal;
let folder: string;
let path: string;
let server: Server;
let seen: { readonly request: string; readonly headers: IncomingMessage['headers']; bytes: number }[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-content-'));
  path = join(folder, 'patch');
  await writeFile(path, CONTENT);
  server = createServer((request, response) => {
    const one = { request: `${request.method} ${request.url}`, headers: request.headers, bytes: 0 };
    seen.push(one);
    if (request.method === 'GET') return answer(request, response);
    request.on('data', (piece: Buffer) => {
      one.bytes += piece.length;
    });
    request.on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  seen = [];
});

const UNKNOWN = { errors: [{ code: 'upload::unknown', message: 'no content is stored' }] };

function says(get: [number, object], post: [number, object]): void {
  answer = (request, response) => {
    const [status, body] = request.method === 'GET' ? get : post;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

async function store(content: LocalContent, there: (bytes: number) => void = () => undefined) {
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service = { api, user: 'ada', roles: undefined, token: undefined };
  return storeContent(content, { service, signal, there });
}

const local = { path: '', hash: SHA256, bytes: CONTENT.length };

describe('content that is stored', () => {
  it('MC-UPL-001 MC-UPL-002 is read for its hash and sent as it is, with its length', async () => {
    const read = await readContent(path, signal);
    expect(read).toEqual({ ok: true, value: { path, hash: SHA256, bytes: CONTENT.length } });
    says([404, UNKNOWN], [201, { hash: SHA256, size: CONTENT.length }]);
    let last = 0;
    expect(await store({ ...local, path }, (bytes) => (last = bytes))).toEqual({ ok: true, value: 'stored' });
    expect(seen.map(({ request }) => request)).toEqual([`GET /v1/uploads/${SHA256}`, 'POST /v1/uploads']);
    expect([seen[1]!.bytes, last]).toEqual([CONTENT.length, CONTENT.length]);
    expect(seen[1]!.headers).toMatchObject({ 'content-length': `${CONTENT.length}`, 'x-mcs-user': 'ada' });
  });

  it('MC-UPL-002 is not sent again where it is stored', async () => {
    says([200, { hash: SHA256, size: CONTENT.length }], [500, {}]);
    expect(await store({ ...local, path })).toEqual({ ok: true, value: 'stored' });
    expect(seen).toHaveLength(1);
  });

  it('is refused in the words of the service', async () => {
    says([503, { errors: [{ code: 'api::unavailable', message: 'the bus is away' }] }], [201, {}]);
    expect(await store({ ...local, path })).toEqual({ ok: false, said: 'api::unavailable: the bus is away' });
    says([404, UNKNOWN], [413, { errors: [{ code: 'api::too-large', message: 'too large' }] }]);
    expect(await store({ ...local, path })).toEqual({ ok: false, said: 'api::too-large: too large' });
    says([404, UNKNOWN], [201, { hash: 'other', size: 1 }]);
    expect(await store({ ...local, path })).toMatchObject({ said: `${path} was changed while it was read` });
  });

  it('says that the same command tries again where the service goes away meanwhile', async () => {
    answer = (request, response) => {
      if (request.method === 'GET') response.writeHead(404).end(JSON.stringify(UNKNOWN));
      else request.socket.destroy();
    };
    await expect(store({ ...local, path })).rejects.toThrow('the same command tries again');
  });

  it('MC-UPL-003 is refused here where the service would refuse it', async () => {
    const large = join(folder, 'large');
    await writeFile(large, '');
    await truncate(large, UPLOAD_BYTES + 1);
    expect(await readContent(large, signal)).toMatchObject({
      ok: false,
      said: expect.stringContaining('at most 256 MiB'),
    });
    expect(await readContent(folder, signal)).toEqual({ ok: false, said: `${folder} is not a file` });
  });
});
