/** objects.O3 of object stores, on a bus that says of a description what age the test wants. */

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Assets } from '../../bus/assets.ts';
import type { JetStream } from '../../bus/jetstream.ts';
import { openObjects } from '../../bus/objects.ts';

const TTL_MS = 3_600_000;
const CONTENT = Buffer.from('content');
const HASH = createHash('sha256').update(CONTENT).digest('hex');

const DESCRIPTION = { name: HASH, nuid: 'n1', size: CONTENT.length, chunks: 1 };

/** A store whose only object was described so long ago, and what is written to it. */
function storeWith(ageMs: number, text = JSON.stringify(DESCRIPTION), ttlMs = TTL_MS) {
  const written: string[] = [];
  const data = Buffer.from(text).toString('base64');
  const time = new Date(Date.now() - ageMs).toISOString();
  const jetstream = {
    retrying: (_: unknown, attempt: (left: () => number) => unknown) => attempt(() => 1_000),
    ask: async () => ({ message: { subject: 's', seq: 1, data, time } }),
    connection: { largest: undefined },
    read: async () => ({ state: { subjects: { '$O.o.C.n1': 1 } } }),
    publish: async (subject: string) => ({ stream: 'OBJ_o', seq: written.push(subject.split('.')[2]!) }),
  } as unknown as JetStream;
  const handle = { ensure: async () => ({ stream: 'OBJ_o' }) };
  const assets = { objects: () => handle, ttlMs: () => ttlMs } as unknown as Assets;
  return { written, store: openObjects({ jetstream, assets }, { name: 'o', ttlMs: TTL_MS }) };
}

async function* pieces(): AsyncIterable<Uint8Array> {
  yield CONTENT;
}

it.each(['{"name":', 'null', '{"size":"all"}'])(
  'an object whose description cannot be read is not there: %s',
  async (text) => {
    const { store } = storeWith(0, text);
    expect(await store.size(HASH)).toBeUndefined();
  },
);

describe('content that is stored again', () => {
  it('objects.O3 is written once more past half its time, its pieces before its description', async () => {
    const { store, written } = storeWith(TTL_MS / 2 + 1_000);
    expect(await store.put(HASH, pieces())).toBe(CONTENT.length);
    expect(written).toEqual(['C', 'M']);
  });

  it('objects.O3 is kept for as long as the installation states, which may be shorter than declared', async () => {
    const { store, written } = storeWith(TTL_MS / 4, undefined, TTL_MS / 3);
    expect(await store.put(HASH, pieces())).toBe(CONTENT.length);
    expect(written).toEqual(['C', 'M']);
  });

  it('objects.O3 has to be stored again past half its time, and is there until it is gone', async () => {
    const sizes = async (ageMs: number) => {
      const { store } = storeWith(ageMs);
      return [await store.wholeSize(HASH), await store.wholeSize(HASH, { lasting: true })];
    };
    expect(await sizes(TTL_MS / 2 - 60_000)).toEqual([CONTENT.length, CONTENT.length]);
    expect(await sizes(TTL_MS / 2 + 1_000)).toEqual([CONTENT.length, undefined]);
  });

  it('objects.O3 stays as it is before that', async () => {
    const { store, written } = storeWith(TTL_MS / 2 - 60_000);
    expect(await store.put(HASH, pieces())).toBe(CONTENT.length);
    expect(written).toEqual([]);
  });
});
