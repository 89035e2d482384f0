/** Content read over connections that break, from a server that the test breaks. */

import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { download } from '../../cli/content-download.ts';
import { contentOf, sha256Of } from '../http/transfer-world.ts';

const WHOLE = contentOf(300_000);
const ETAG = `"${sha256Of(WHOLE)}"`;

let folder: string;
let server: Server;
let api: string;
/** What was asked for, and how many bytes are sent before the connection is cut. */
let asked: { range: string | undefined; ifRange: string | undefined }[];
let cuts: number[];
let etag: string;
/** Requests are answered when so many are there, behind what the test does then. */
let together: number;
let whenTogether: () => Promise<void>;
let waiting: (() => void)[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-download-'));
  server = createServer(async (request, response) => {
    const { range } = request.headers;
    const ifRange = request.headers['if-range'] as string | undefined;
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    const status = range === undefined ? 200 : 206;
    const headers = { etag, 'content-length': `${WHOLE.length - from}` };
    if (request.method === 'HEAD') return void response.writeHead(200, headers).end();
    asked.push({ range, ifRange });
    if (asked.length < together) await new Promise<void>((resolve) => waiting.push(resolve));
    else if (asked.length === together) {
      await whenTogether();
      for (const resume of waiting) resume();
    }
    response.writeHead(status, headers);
    const cut = cuts.shift();
    if (cut === undefined) return void response.end(WHOLE.subarray(from));
    response.write(WHOLE.subarray(from, from + cut), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  [asked, cuts, etag] = [[], [], ETAG];
  [together, whenTogether, waiting] = [1, async () => undefined, []];
});

const output = (name: string): string => join(folder, name);
const get = (name: string, signal = new AbortController().signal) =>
  download({
    service: { api, user: undefined, roles: undefined, token: undefined },
    path: '/content',
    output: output(name),
    signal,
    there: () => undefined,
  });
const part = (name: string): string => join(folder, `.${name}.${ETAG.slice(1, 17)}.part`);

describe('content that is saved', () => {
  it('content-download.N2 continues behind what came, of the very content, through every loss', async () => {
    cuts = [100_000, 50_000];
    expect(await get('through')).toMatchObject({ ok: true, bytes: WHOLE.length, wasThere: false });
    expect((await readFile(output('through'))).equals(WHOLE)).toBe(true);
    expect(asked.length).toBe(3);
    expect(asked.every(({ ifRange }) => ifRange === ETAG)).toBe(true);
    const from = asked.map(({ range }) => Number(/\d+/.exec(range!)![0]));
    expect(from[0]).toBe(0);
    expect(from[1]).toBeGreaterThan(0);
    expect(from[2]).toBeGreaterThan(from[1]!);
  });

  it('content-download.N1 continues behind what an earlier call left, and leaves nothing beside it', async () => {
    await writeFile(part('again'), WHOLE.subarray(0, 123_456));
    expect(await get('again')).toMatchObject({ ok: true });
    expect(asked.map(({ range }) => range)).toEqual(['bytes=123456-']);
    expect((await readFile(output('again'))).equals(WHOLE)).toBe(true);
    expect((await readdir(folder)).filter((name) => name.includes('again'))).toEqual(['again']);
  });

  it('content-download.N1 is not there under its name where it was interrupted or is not what was said', async () => {
    cuts = [1_000];
    const ended = new AbortController();
    const reading = get('interrupted', ended.signal);
    const stopped = reading.catch(() => 'stopped');
    while (asked.length === 0) await new Promise(setImmediate);
    ended.abort();
    expect(await stopped).not.toMatchObject({ ok: true });
    expect((await readdir(folder)).includes('interrupted')).toBe(false);
    await writeFile(part('wrong'), Buffer.alloc(1_000, 1));
    expect(await get('wrong')).toEqual({
      ok: false,
      said: 'what came has another SHA-256 than the service says',
    });
    expect((await readdir(folder)).filter((name) => name.includes('wrong'))).toEqual([]);
    expect(await get('wrong')).toMatchObject({ ok: true });
  });

  it('is not read again where it is there already', async () => {
    await writeFile(output('there'), WHOLE);
    expect(await get('there')).toMatchObject({ ok: true, wasThere: true });
    expect(asked).toEqual([]);
    await writeFile(output('there'), Buffer.alloc(WHOLE.length));
    expect(await get('there')).toMatchObject({ ok: true, wasThere: false });
    expect((await readFile(output('there'))).equals(WHOLE)).toBe(true);
  });

  it('content-download.N4 is right when two calls save it at once, and both say so', async () => {
    together = 2;
    const both = await Promise.all([get('twice'), get('twice')]);
    expect(both).toMatchObject([{ ok: true }, { ok: true }]);
    expect((await readFile(output('twice'))).equals(WHOLE)).toBe(true);
    expect((await readdir(folder)).filter((name) => name.includes('twice'))).toEqual(['twice']);
  });

  it('content-download.N4 what another call has begun meanwhile is not taken for the whole content', async () => {
    whenTogether = async () => {
      await rename(part('theirs'), output('moved'));
      await writeFile(part('theirs'), WHOLE.subarray(0, 10));
    };
    expect(await get('theirs')).toMatchObject({ ok: false });
    expect((await readFile(part('theirs'))).length).toBe(10);
    expect((await readdir(folder)).includes('theirs')).toBe(false);
  });
});
