/** Content stored for runs, on a real bus: what is kept, what is refused, and what is left behind. */

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, credsAuthenticator } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectStores } from '../../contract/bus/buckets.ts';
import { UPLOAD_BYTES, UPLOADS_AT_ONCE } from '../../contract/limits/transfer.ts';
import { uploadRoutes } from '../../http/routes/uploads.ts';
import { loseMessages } from '../support/lose-messages.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, blindConnection, codesOf, unhurriedClock } from './fixture.ts';
import { PROVIDER, startWorld, type World } from './world.ts';

const coverage = new Coverage(uploadRoutes);
let world: World;
let url: string;

const { TMPDIR } = process.env;
/** Where content is spooled: of this file alone, for others store content too, and some are killed over it. */
const spool = mkdtempSync(join(tmpdir(), 'mcs-spool-'));

beforeAll(async () => {
  process.env.TMPDIR = spool;
  world = await startWorld();
  url = `${world.url}/v1/uploads`;
});
afterAll(async () => {
  await world.stop();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  rmSync(spool, { recursive: true });
});

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const store = (content: Uint8Array, headers: Record<string, string> = {}): Promise<Answer> =>
  coverage.call(url, { method: 'POST', body: content as never, headers });
const stored = (hash: string): Promise<number | undefined> =>
  world.bus.objects(objectStores.uploads).size(hash);
/** Files that are open, of which no folder has the name. */
const spooled = (): string[] =>
  openFiles().filter((path) => path.startsWith(join(spool, 'mcs-upload-')) && path.endsWith(' (deleted)'));

function openFiles(): string[] {
  const folder = '/proc/self/fd';
  return readdirSync(folder).map((descriptor) => {
    try {
      return readlinkSync(join(folder, descriptor));
    } catch {
      return '';
    }
  });
}

async function positionOf(stream: string): Promise<number> {
  const authenticator = credsAuthenticator(readFileSync(world.nats.credentialsFile));
  const client = await connect({ servers: world.nats.url, authenticator });
  const { state } = await (await client.jetstreamManager()).streams.info(stream);
  await client.close();
  return state.last_seq;
}

/** A client that announces a body and sends the beginning of it. */
async function begun(bytes: number): Promise<net.Socket> {
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(`POST /v1/uploads HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\nbeginning`);
  return socket;
}

describe('POST /v1/uploads', () => {
  it('MC-UPL-001 MC-UPL-002 stores the body and answers its SHA-256 and size; the same body has the same hash', async () => {
    const content = Buffer.from('patch for the on-board computer');
    const first = await store(content);
    expect(first.status).toBe(201);
    expect(first.body).toEqual({ hash: hashOf(content), size: content.length });
    expect((await store(content)).body).toEqual(first.body);
    expect(await stored(first.body.hash)).toBe(content.length);
  });

  it('stores no bytes at all as what they are', async () => {
    const answer = await store(new Uint8Array(0));
    expect(answer.body).toEqual({ hash: hashOf(new Uint8Array(0)), size: 0 });
  });

  it('MC-UPL-008 MC-BUS-018 keeps it in the object store mcs_uploads, readable by any client of the bus', async () => {
    const content = Buffer.alloc(700_001, 'image ');
    const { body } = await store(content);
    const client = await connect({
      servers: world.nats.url,
      authenticator: credsAuthenticator(readFileSync(world.nats.credentialsFile)),
    });
    try {
      const objects = await client.jetstream().views.os('mcs_uploads');
      expect(hashOf((await objects.getBlob(body.hash))!)).toBe(body.hash);
    } finally {
      await client.close();
    }
  });

  it('MC-UPL-003 takes exactly 256 MiB', { timeout: 180_000 }, async () => {
    const content = Buffer.alloc(UPLOAD_BYTES, 7);
    const answer = await store(content);
    expect(answer.body).toEqual({ hash: hashOf(content), size: UPLOAD_BYTES });
    expect(await stored(answer.body.hash)).toBe(UPLOAD_BYTES);
  });

  it('MC-UPL-003 MC-UPL-004 MC-LIM-004 refuses a byte more before it is sent: 413 api::too-large', async () => {
    const socket = await begun(UPLOAD_BYTES + 1);
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString();
    });
    await until(() => answer.includes('api::too-large'), { what: 'the refusal' });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    coverage.saw(url, 'POST', { status: 413, body });
    socket.destroy();
  });

  it('refuses a byte more that was not announced, and keeps nothing of it', {
    timeout: 180_000,
  }, async () => {
    const own = await world.another(unhurriedClock);
    const client = await blindConnection(own.port);
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(1024 * 1024), Buffer.from('\r\n')]);
    await client.sendAll(
      Buffer.from('POST /v1/uploads HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'),
      ...Array.from({ length: UPLOAD_BYTES / (1024 * 1024) + 4 }, () => chunk),
      Buffer.from('0\r\n\r\n'),
    );
    await until(() => client.received().includes('api::too-large'), { what: 'the refusal' });
    expect(client.received()).toMatch(/^HTTP\/1.1 413 /);
    await until(() => spooled().length === 0, { what: 'the spooled beginning removed' });
    client.destroy();
    await own.close();
  });

  it('routes/uploads.L1 leaves nothing behind when the client goes, nor where the process is killed over it', async () => {
    const socket = await begun(1_000_000);
    await until(() => spooled().length === 1, { what: 'the content being spooled' });
    expect(readdirSync(spool).filter((name) => name.startsWith('mcs-upload-'))).toEqual([]);
    socket.destroy();
    await until(() => spooled().length === 0, { what: 'the spooled content removed' });
  });

  it('says what is the matter with the folder that content is spooled to: 503', async () => {
    process.env.TMPDIR = join(spool, 'removed');
    try {
      const answer = await store(Buffer.from('no place for it'));
      expect([answer.status, codesOf(answer)]).toEqual([503, ['api::unavailable']]);
      expect(answer.body.errors[0]).toMatchObject({
        message: `the folder of the service for temporary files, ${process.env.TMPDIR}, cannot be used (ENOENT)`,
        help: expect.stringContaining('TMPDIR'),
      });
    } finally {
      process.env.TMPDIR = spool;
    }
  });

  it('takes a bounded number at once and refuses the next: 503', async () => {
    const sockets = await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, () => begun(1_000_000)));
    await until(() => spooled().length === UPLOADS_AT_ONCE, { what: 'as many under way as may be' });
    const answer = await store(Buffer.from('one more'));
    expect([answer.status, codesOf(answer)]).toEqual([503, ['api::unavailable']]);
    for (const socket of sockets) socket.destroy();
    await until(() => spooled().length === 0, { what: 'all of them gone' });
    expect((await store(Buffer.from('one more'))).status).toBe(201);
  });
});

describe('GET /v1/uploads/{hash}', () => {
  const read = (hash: string): Promise<Answer> => coverage.call(`${url}/${hash}`);

  it('MC-UPL-002 says whether content is stored, so that it need not be sent again', async () => {
    const content = Buffer.from('asked for by its hash');
    expect(codesOf(await read(hashOf(content)))).toEqual(['upload::unknown']);
    await store(content);
    expect((await read(hashOf(content))).body).toEqual({ hash: hashOf(content), size: content.length });
  });

  it('MC-UPL-002 says that content is not stored of which the store has lost bytes, and it is stored again', async () => {
    const content = Buffer.alloc(300_000, 'lost ');
    const hash = hashOf(content);
    await store(content);
    const name = `OBJ_${objectStores.uploads.name}`;
    const last = await positionOf(name);
    await loseMessages(world.nats, { name }, [last - 2]);
    expect(codesOf(await read(hash))).toEqual(['upload::unknown']);
    expect((await store(content)).body).toEqual({ hash, size: content.length });
    expect((await read(hash)).status).toBe(200);
  });

  it('refuses what cannot be a hash as unknown', async () => {
    for (const hash of ['x', 'A'.repeat(64), '0'.repeat(63)]) {
      const answer = await read(hash);
      expect([answer.status, codesOf(answer)]).toEqual([404, ['upload::unknown']]);
    }
  });

  it('answers 503 while it is not known what is stored, and what every route answers', async () => {
    const hash = hashOf(Buffer.from('x'));
    expect(codesOf(await read(`${hash}?name=x`))).toEqual(['api::invalid-body']);
    const token = { headers: { authorization: 'Bearer x' } };
    const refusalTo = async (init?: object) => codesOf(await coverage.call(`${url}/${hash}`, init));
    expect(await refusalTo(token)).toEqual(['auth::no-provider']);
    world.missions.publish({
      ...world.mission,
      settings: { ...world.mission.settings, auth: { ...PROVIDER, required: true } },
    });
    expect(await refusalTo(token)).toEqual(['auth::invalid-token']);
    expect(await refusalTo()).toEqual(['auth::token-required']);
    world.missions.publish(world.mission);
    await world.nats.kill();
    await until(() => !world.bus.connected);
    expect(await refusalTo()).toEqual(['api::unavailable']);
    await world.nats.start();
    await until(() => world.bus.connected);
  });
});

describe('what every route answers', () => {
  it('refuses a query, 400, and whom it does not know where a token is required, before it reads anything', async () => {
    const query = await coverage.call(`${url}?name=x`, { method: 'POST', body: 'content' });
    expect([query.status, codesOf(query)]).toEqual([400, ['api::invalid-body']]);
    const token = await store(Buffer.from('x'), { authorization: 'Bearer x.y.z' });
    expect([token.status, codesOf(token)]).toEqual([401, ['auth::no-provider']]);
    world.missions.publish({
      ...world.mission,
      settings: { ...world.mission.settings, auth: { ...PROVIDER, required: true } },
    });
    try {
      const bad = await store(Buffer.from('x'), { authorization: 'Bearer x' });
      expect([bad.status, codesOf(bad)]).toEqual([401, ['auth::invalid-token']]);
      const refused = await store(Buffer.from('x'));
      expect([refused.status, codesOf(refused)]).toEqual([401, ['auth::token-required']]);
      expect(spooled()).toEqual([]);
    } finally {
      world.missions.publish(world.mission);
    }
  });

  it('has no status or code that no test above has seen', () => {
    expect(coverage.missing()).toEqual([]);
  });
});
