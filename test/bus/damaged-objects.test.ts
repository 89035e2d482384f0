/** Objects whose descriptions are damaged, and objects of which the store has lost pieces, on a real server. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, credsAuthenticator, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { objectStores } from '../../contract/bus/buckets.ts';
import { ContentGone } from '../../contract/outage.ts';
import type { Objects } from '../../ports/bus.ts';
import { loseMessages } from '../support/lose-messages.ts';
import { startNats, type TestNats } from '../support/nats.ts';

const CONTENT = Buffer.alloc(300_000, 'content ');
const HASH = createHash('sha256').update(CONTENT).digest('hex');
const { files, uploads } = objectStores;

let nats: TestNats;
let bus: NatsBus;
let client: NatsConnection;
let store: Objects;
beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  store = bus.objects(files);
  await store.size('sat1/1/1');
  const authenticator = credsAuthenticator(readFileSync(nats.credentialsFile));
  client = await connect({ servers: nats.url, authenticator });
});
afterAll(async () => {
  await client.close();
  await nats.stop();
});

async function* pieces(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}

/** Writes what stands as the description of an object. */
async function describedAs(name: string, description: string | object): Promise<void> {
  const key = Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  const text = typeof description === 'string' ? description : JSON.stringify({ name, ...description });
  await client.jetstream().publish(`$O.${files.name}.M.${key}`, Buffer.from(text));
}

async function read(name: string, from = 0): Promise<Buffer | undefined> {
  const content = await store.read(name, { from });
  if (content === undefined) return undefined;
  const read: Uint8Array[] = [];
  for await (const piece of content.pieces) read.push(piece);
  return Buffer.concat(read);
}

const OPTIONS = { max_chunk_size: 131_072 };

describe('a damaged description', () => {
  it.each([
    ['of nothing else', { size: 10 }],
    ['a number for the name of its pieces', { size: 10, chunks: 1, nuid: 7, options: OPTIONS }],
    ['a wildcard for it', { size: 10, chunks: 1, nuid: '>', options: OPTIONS }],
    ['a line break in it', { size: 10, chunks: 1, nuid: 'a\r\nPUB x 0', options: OPTIONS }],
    ['less than no bytes', { size: -10, chunks: 1, nuid: 'abc', options: OPTIONS }],
    ['a text for its size', { size: '10', chunks: 1, nuid: 'abc', options: OPTIONS }],
    ['no number of pieces', { size: 10, nuid: 'abc', options: OPTIONS }],
    ['garbage', '\u0000{{'],
  ])('objects.O7 is none, and is replaced: %s', async (_, description) => {
    await describedAs('sat1/1/1', description);
    expect([await store.size('sat1/1/1'), await read('sat1/1/1')]).toEqual([undefined, undefined]);
    await store.replace('sat1/1/1', pieces(CONTENT));
    expect((await read('sat1/1/1'))?.equals(CONTENT)).toBe(true);
  });

  it('objects.O7 takes nothing of other objects with it when it is removed', async () => {
    await store.replace('sat1/2/1', pieces(CONTENT));
    for (const nuid of ['>', '*']) {
      await describedAs('sat1/3/1', { size: 10, chunks: 1, nuid, options: OPTIONS });
      await store.remove('sat1/3/1');
      await store.replace('sat1/3/1', pieces(CONTENT));
    }
    expect((await read('sat1/2/1'))?.equals(CONTENT)).toBe(true);
  });

  it.each([
    ['a number', 7],
    ['texts', ['1', '2', '3']],
    ['too few', [1]],
  ])(
    'objects.O7 objects.O5 finds the pieces in their order where their places are none: %s',
    async (_, positions) => {
      await store.replace('sat1/4/1', pieces(CONTENT));
      const jsm = await client.jetstreamManager();
      const { subjects } = (
        await jsm.streams.info(`OBJ_${files.name}`, { subjects_filter: `$O.${files.name}.C.*` })
      ).state;
      const nuids = Object.keys(subjects!).map((each) => each.split('.')[3]!);
      const description = { size: CONTENT.length, chunks: 3, options: OPTIONS, positions };
      const found: (Buffer | undefined)[] = [];
      for (const nuid of nuids) {
        await describedAs('sat1/5/1', { ...description, nuid });
        found.push(await read('sat1/5/1', 200_000));
      }
      for (const bytes of found) expect(bytes?.equals(CONTENT.subarray(200_000))).toBe(true);
    },
  );
});

describe('an object of which pieces are lost', () => {
  const places = async (): Promise<number[]> => {
    const jsm = await client.jetstreamManager();
    const { state } = await jsm.streams.info(`OBJ_${uploads.name}`);
    return [state.last_seq - 3, state.last_seq - 2, state.last_seq - 1];
  };

  it('objects.O7 is not whole, and is stored when it is stored again', async () => {
    const objects = bus.objects(uploads);
    await objects.put(HASH, pieces(CONTENT));
    const [, middle] = await places();
    expect(await objects.wholeSize(HASH)).toBe(CONTENT.length);
    await loseMessages(nats, { name: `OBJ_${uploads.name}` }, [middle!]);
    expect([await objects.size(HASH), await objects.wholeSize(HASH)]).toEqual([CONTENT.length, undefined]);
    const rest = async (): Promise<void> => {
      for await (const _ of (await objects.read(HASH))!.pieces);
    };
    await expect(rest()).rejects.toThrow(ContentGone);
    expect(await objects.put(HASH, pieces(CONTENT))).toBe(CONTENT.length);
    expect(await objects.wholeSize(HASH)).toBe(CONTENT.length);
    await rest();
  });

  it('objects.O7 is whole where it has no bytes', async () => {
    await store.replace('sat1/6/1', pieces(Buffer.of()));
    expect([await store.wholeSize('sat1/6/1'), await store.wholeSize('sat1/6/2')]).toEqual([0, undefined]);
  });
});
