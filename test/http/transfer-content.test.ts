/**
 * The content of transfers on a real bus and real sockets: as a whole, and while it arrives. No transfer manager is
 * there: its records, parts and contents are written here as it writes them.
 */

import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { credsAuthenticator, connect as natsClient } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { objectStores } from '../../contract/bus/buckets.ts';
import { ByteRanges } from '../../contract/byte-ranges.ts';
import { readChunkMessage } from '../../contract/chunk-message.ts';
import { contentObject, partObject, type StoredTransfer } from '../../contract/transfer.ts';
import { transferContentFollows, transferContentRoutes } from '../../http/routes/transfer-content.ts';
import { loseMessages } from '../support/lose-messages.ts';
import { storedTransfer, wholeTransfer } from '../support/transfers.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, codesOf } from './fixture.ts';
import { contentOf, sha256Of, startTransferWorld, type TransferWorld } from './transfer-world.ts';
import { PROVIDER } from './world.ts';

const coverage = new Coverage(transferContentRoutes, transferContentFollows);
const MEBIBYTE = 1024 * 1024;
const WHOLE = contentOf(3 * MEBIBYTE + 17);
const SHA256 = sha256Of(WHOLE);

let world: TransferWorld;
let url: string;
beforeAll(async () => {
  world = await startTransferWorld();
  url = world.url;
  const transfer = await world.record(wholeTransfer(SHA256, { file_id: '1', size: WHOLE.length }));
  await world.storeWhole(transfer, WHOLE);
});
afterAll(() => world.stop());

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/**
 * Bytes of buffers that somebody still has. Those that were collected are counted until a thread of V8 has given them
 * back, so it is asked for until it is less.
 */
function heldBytes(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

const said = (answer: Answer): [number, string[]] => [answer.status, codesOf(answer)];
const pathOf = (file: string, what = 'content'): string => `${url}/v1/transfers/sat1/${file}/2/${what}`;
const read = (file: string, headers: Record<string, string> = {}): Promise<Answer> =>
  coverage.call(pathOf(file), { headers });

describe('GET …/content', () => {
  it('streams the file, with its hash as version and a name that is safe', async () => {
    const response = await fetch(pathOf('1'));
    const body = Buffer.from(await response.arrayBuffer());
    expect(body.equals(WHOLE)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      etag: `"${SHA256}"`,
      'content-length': `${WHOLE.length}`,
      'content-disposition': 'attachment; filename="sat1-1-2"',
      'content-type': 'application/octet-stream',
      'accept-ranges': 'bytes',
    });
    coverage.saw(pathOf('1'), 'GET', { status: 200, body: '' });
    const head = await fetch(pathOf('1'), { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, `${WHOLE.length}`]);
  });

  it('answers a part, nothing where it is known, and 416 where nothing of it is in the part', async () => {
    const part = await fetch(pathOf('1'), { headers: { range: 'bytes=1000000-1000099' } });
    const bytes = Buffer.from(await part.arrayBuffer());
    expect([part.status, bytes.equals(WHOLE.subarray(1_000_000, 1_000_100))]).toEqual([206, true]);
    coverage.saw(pathOf('1'), 'GET', { status: 206, body: '' });
    expect((await read('1', { 'if-none-match': `"${SHA256}"` })).status).toBe(304);
    expect(said(await read('1', { range: `bytes=${WHOLE.length}-` }))).toEqual([
      416,
      ['api::unsatisfiable-range'],
    ]);
  });

  it('answers nothing of a file without bytes, and the content of an upload', async () => {
    const empty = await world.record(wholeTransfer(sha256Of(Buffer.of()), { file_id: '2', size: 0 }));
    const response = await fetch(pathOf('2'));
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '0']);
    await world.removeRecord(empty);
    const content = Buffer.from('what goes up');
    const source = sha256Of(content);
    async function* pieces() {
      yield content;
    }
    await world.bus.objects(objectStores.uploads).put(source, pieces());
    await world.record(storedTransfer({ file_id: '3', direction: 'upload', source, size: content.length }));
    expect((await coverage.call(`${pathOf('3')}?direction=upload`)).body).toBe('what goes up');
  });

  it.each([
    ['REQUESTED', {}],
    ['PARTIAL', { received: [[0, 10]] }],
    ['SUPERSEDED', { reason: 'new generation' }],
  ] as const)('refuses a file that is not there as a whole: %s', async (state, more) => {
    await world.record(
      storedTransfer({ file_id: '4', state, ...(more as Partial<StoredTransfer>), actor: {} }),
    );
    expect(said(await read('4'))).toEqual([409, ['transfer::incomplete']]);
  });

  it('refuses content that is not kept any more, and a transfer that is not known', async () => {
    await world.record(wholeTransfer(SHA256, { file_id: '5' }));
    expect(said(await read('5'))).toEqual([404, ['transfer::content-gone']]);
    expect(said(await read('99'))).toEqual([404, ['transfer::unknown']]);
    expect(said(await coverage.call(`${url}/v1/transfers/a.b/1/2/content`))).toEqual([
      404,
      ['api::invalid-target'],
    ]);
    expect(said(await coverage.call(`${pathOf('1')}?direction=down`))).toEqual([400, ['api::invalid-body']]);
  });

  it('refuses content of which the store has lost bytes before anything of it is sent', async () => {
    const content = contentOf(300_000, 4);
    const transfer = wholeTransfer(sha256Of(content), { file_id: '7', size: content.length });
    await storeWithout(transfer, content);
    await world.record(transfer);
    expect(said(await read('7'))).toEqual([404, ['transfer::content-gone']]);
  });

  it('transfer-content.T1 is read no faster than its client takes it', async () => {
    const large = contentOf(24 * MEBIBYTE, 9);
    const transfer = wholeTransfer(sha256Of(large), { file_id: '6', size: large.length });
    await world.storeWhole(transfer, large);
    await world.record(transfer);
    const before = heldBytes();
    const { port } = world.frontEnd;
    const sockets = Array.from({ length: 8 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.pause();
      socket.write(`GET /v1/transfers/sat1/6/2/content HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
      return socket;
    });
    for (let n = 0; n < 50; n += 1) expect((await fetch(`${url}/v1/transfers/sat1/6/2`)).status).toBe(200);
    // Eight times 24 MiB would be 192 MiB.
    await until(() => heldBytes() - before < 64 * MEBIBYTE);
    for (const socket of sockets) socket.destroy();
  });
});

/** Stores the whole file, of which the store loses the last piece. */
async function storeWithout(transfer: StoredTransfer, content: Buffer): Promise<void> {
  await world.storeWhole(transfer, content);
  const authenticator = credsAuthenticator(readFileSync(world.nats.credentialsFile));
  const client = await natsClient({ servers: world.nats.url, authenticator });
  const name = `OBJ_${objectStores.files.name}`;
  const { state } = await (await client.jetstreamManager()).streams.info(name);
  await client.close();
  await loseMessages(world.nats, { name }, [state.last_seq - 1]);
}

interface Reading {
  /** Bytes as they came, put where they belong. */
  readonly bytes: Buffer;
  readonly have: ByteRanges;
  readonly offsets: number[];
  readonly closed: () => [number, string] | undefined;
  readonly socket: WebSocket;
}

async function readAlong(file: string, size: number, query = ''): Promise<Reading> {
  const bytes = Buffer.alloc(size);
  const have = new ByteRanges();
  const offsets: number[] = [];
  let closed: [number, string] | undefined;
  const socket = new WebSocket(`${pathOf(file, 'chunks').replace(/^http/, 'ws')}${query}`);
  socket.on('message', (message: Buffer, isBinary) => {
    const { offset, data } = readChunkMessage(message)!;
    expect(isBinary).toBe(true);
    const end = offset + data.length;
    // Each byte once.
    expect(have.add(offset, end)).toEqual([[offset, end]]);
    bytes.set(data, offset);
    offsets.push(offset);
  });
  socket.on('close', (code, reason) => {
    closed = [code, reason.toString()];
  });
  await new Promise((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
  });
  return { bytes, have, offsets, closed: () => closed, socket };
}

/** What the transfer manager does with what arrived. */
async function keep(transfer: StoredTransfer, content: Buffer, from: number, to: number): Promise<void> {
  await world.storePart(transfer, from, content.subarray(from, to));
}

describe('GET (WS) …/chunks', () => {
  it('a picture is seen growing: what is there, then what arrives, by each of several readers and in either order', async () => {
    const size = 300_000;
    const content = contentOf(size, 3);
    let transfer = storedTransfer({ file_id: '10', size, state: 'PARTIAL', received: [[0, 100_000]] });
    // Two parts, of which a record knows one range.
    await keep(transfer, content, 0, 60_000);
    await keep(transfer, content, 60_000, 100_000);
    await world.record(transfer);
    const first = await readAlong('10', size);
    await until(() => first.have.covers(0, 100_000));
    await world.chunk(transfer, 200_000, content.subarray(200_000, 250_000));
    await until(() => first.have.covers(200_000, 250_000));
    // Another generation of the file, and bytes beyond its size.
    await world.chunk({ ...transfer, generation: 1 }, 100_000, Buffer.alloc(100_000));
    await world.chunk(transfer, 290_000, Buffer.concat([content.subarray(290_000), Buffer.alloc(5_000)]));
    await until(() => first.have.covers(290_000, size));
    const ordered = await readAlong('10', size, '?order=offset');
    await until(() => ordered.have.covers(0, 100_000));
    expect(ordered.have.count).toBe(1);
    await keep(transfer, content, 200_000, 250_000);
    await keep(transfer, content, 290_000, size);
    transfer = await world.record({
      ...transfer,
      received: [
        [0, 100_000],
        [200_000, 250_000],
        [290_000, size],
      ],
    });
    await world.chunk(transfer, 100_000, content.subarray(100_000, 200_000));
    await until(() => ordered.have.covers(0, 250_000) && first.have.covers(0, 250_000));
    expect(ordered.have.list()).toEqual([[0, 250_000]]);
    await world.storeWhole(transfer, content);
    await world.record(wholeTransfer(sha256Of(content), { file_id: '10', size, state: 'COMPLETE' }));
    await until(() => first.closed() !== undefined && ordered.closed() !== undefined);
    for (const reading of [first, ordered]) {
      expect(reading.closed()).toEqual([1000, 'COMPLETE']);
      expect(reading.bytes.equals(content)).toBe(true);
    }
    expect(ordered.offsets).toEqual([...ordered.offsets].sort((one, other) => one - other));
  });

  it('gives the bytes of a file that is whole, whatever became of its transfer', async () => {
    const reading = await readAlong('1', WHOLE.length, '?order=offset');
    await until(() => reading.closed() !== undefined);
    expect(reading.closed()).toEqual([1000, 'VERIFIED']);
    expect(reading.bytes.equals(WHOLE)).toBe(true);
  });

  it('stored-bytes.S1 stored-bytes.S2 finds the bytes again where parts were stored again, and when they leave', async () => {
    const size = 50_000;
    const content = contentOf(size, 5);
    const transfer = storedTransfer({ file_id: '11', size, state: 'PARTIAL', received: [[0, 30_000]] });
    await keep(transfer, content, 0, 10_000);
    await keep(transfer, content, 10_000, 30_000);
    await world.record(transfer);
    const first = await readAlong('11', size);
    await until(() => first.have.covers(0, 30_000));
    await keep(transfer, content, 0, 25_000);
    await world.bus.objects(objectStores.files).remove(partObject(transfer, 10_000));
    await keep(transfer, content, 25_000, 40_000);
    await world.record({ ...transfer, received: [[0, 40_000]] });
    await until(() => first.have.covers(0, 40_000));
    // Recorded, and not there: it is looked for again, and found in the whole file.
    await world.record({ ...transfer, received: [[0, size]] });
    await world.storeWhole(transfer, content);
    await world.record(
      wholeTransfer(sha256Of(content), { file_id: '11', size, state: 'CORRUPTED', reason: 'crc32 differs' }),
    );
    await until(() => first.closed() !== undefined);
    expect(first.closed()).toEqual([1000, 'CORRUPTED: crc32 differs']);
    expect(first.bytes.equals(content)).toBe(true);
  });

  it('ends a reading of a file that is whole and of which the store has lost bytes: 4410', async () => {
    const content = contentOf(300_000, 6);
    const partial = await world.record(storedTransfer({ file_id: '16', size: content.length }));
    const reading = await readAlong('16', content.length);
    await storeWithout(partial, content);
    await world.record(wholeTransfer(sha256Of(content), { file_id: '16', size: content.length }));
    await until(() => reading.closed() !== undefined, { what: 'the end of the reading' });
    expect(reading.closed()).toEqual([4410, 'the content is not kept any more']);
  });

  it('chunk-reader.C1 holds back a reader that takes nothing, not the others and not the transfer', async () => {
    const size = 16 * MEBIBYTE;
    const content = contentOf(size, 7);
    const transfer = await world.record(
      storedTransfer({ file_id: '12', size, state: 'PARTIAL', received: [] }),
    );
    const slow = await readAlong('12', size);
    slow.socket.pause();
    const fast = await readAlong('12', size);
    const before = heldBytes();
    for (let at = 0; at < size; at += 256 * 1024) {
      await world.chunk(transfer, at, content.subarray(at, at + 256 * 1024));
      await until(() => fast.have.covers(0, at + 256 * 1024));
    }
    await until(() => heldBytes() - before < 12 * MEBIBYTE);
    expect(slow.have.total).toBeLessThan(size / 2);
    await world.storeWhole(transfer, content);
    await world.record(wholeTransfer(sha256Of(content), { file_id: '12', size, state: 'COMPLETE' }));
    await until(() => fast.closed() !== undefined);
    expect(slow.closed()).toBeUndefined();
    slow.socket.resume();
    await until(() => slow.closed() !== undefined);
    for (const { bytes, closed } of [slow, fast])
      expect([closed(), bytes.equals(content)]).toEqual([[1000, 'COMPLETE'], true]);
  });

  it('ends where the transfer is superseded, and leaves nothing running where readers go', async () => {
    const transfer = await world.record(storedTransfer({ file_id: '13' }));
    const gone = await readAlong('13', transfer.size);
    gone.socket.terminate();
    await until(() => gone.closed() !== undefined);
    const reading = await coverage.open(pathOf('13', 'chunks'));
    await world.record({ ...transfer, state: 'SUPERSEDED', reason: 'new generation' });
    await until(() => reading.closed !== undefined);
    expect(reading.closed).toEqual({ code: 1000, reason: 'SUPERSEDED: new generation' });
    const metrics = async (): Promise<string> => (await coverage.call(`${url}/metrics`)).body;
    await until(async () => (await metrics()).includes('\nmcs_http_followers 0\n'));
  });

  it('refuses what is not known or not kept, and an order that there is none', async () => {
    const refused = async (file: string, query = '') =>
      said((await coverage.follow(`${pathOf(file, 'chunks')}${query}`)).refused!);
    expect(await refused('99')).toEqual([404, ['transfer::unknown']]);
    expect(await refused('1', '?order=size')).toEqual([400, ['api::invalid-body']]);
    const whole = await world.record(wholeTransfer(SHA256, { file_id: '14' }));
    expect(await world.bus.objects(objectStores.files).size(contentObject(whole))).toBeUndefined();
    expect(await refused('14')).toEqual([404, ['transfer::content-gone']]);
    const { refused: strange } = await coverage.follow(`${url}/v1/transfers/a.b/1/2/chunks`);
    expect(said(strange!)).toEqual([404, ['api::invalid-target']]);
  });
});

describe('every route', () => {
  const each = async (headers: Record<string, string>) => [
    said(await read('1', headers)),
    said((await coverage.follow(pathOf('1', 'chunks'), headers)).refused!),
  ];
  const alike = (status: number, code: string) => Array.from({ length: 2 }, () => [status, [code]]);

  it('MC-AUTH-001 asks for a token where one is required, and refuses a wrong one', async () => {
    const { mission, missions } = world;
    const bearer = { authorization: 'Bearer wrong' };
    expect(await each(bearer)).toEqual(alike(401, 'auth::no-provider'));
    missions.publish({
      ...mission,
      settings: { ...mission.settings, auth: { ...PROVIDER, required: true } },
    });
    expect(await each({})).toEqual(alike(401, 'auth::token-required'));
    expect(await each(bearer)).toEqual(alike(401, 'auth::invalid-token'));
    missions.publish(mission);
  });

  it('MC-GEN-017 answers 503 while the bus is away', async () => {
    await world.nats.kill();
    await until(() => !world.bus.connected);
    expect(await each({})).toEqual(alike(503, 'api::unavailable'));
    await world.nats.start();
    await until(() => world.bus.connected);
  });

  it('has no route, status or code that no test above has seen', () => {
    expect(coverage.missing()).toEqual([]);
  });
});
