/** Content that is about to be used past half of its time (objects.O9), on a real server and an hour ahead of it. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, credsAuthenticator, type NatsConnection } from 'nats';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import type { ObjectsDefinition } from '../../contract/bus/buckets.ts';
import type { Objects } from '../../ports/bus.ts';
import { loseMessages } from '../support/lose-messages.ts';
import { startNats, type TestNats } from '../support/nats.ts';

const KEPT_MS = 3_600_000;
const CONTENT = Buffer.alloc(300_000, 'content ');
const PIECES = 3;
const HASH = createHash('sha256').update(CONTENT).digest('hex');

let nats: TestNats;
let bus: NatsBus;
let client: NatsConnection;
let definition: ObjectsDefinition;
let store: Objects;
let count = 0;
beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  const authenticator = credsAuthenticator(readFileSync(nats.credentialsFile));
  client = await connect({ servers: nats.url, authenticator });
});
afterAll(async () => {
  await client.close();
  await nats.stop();
});
beforeEach(async () => {
  definition = { name: `mcs_kept${++count}`, ttlMs: KEPT_MS };
  store = bus.objects(definition);
  await store.put(HASH, pieces(CONTENT));
});

async function* pieces(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}

/** What it answers when the content is that old. */
async function aged<Answer>(ageMs: number, ask: () => Promise<Answer>): Promise<Answer> {
  const real = Date.now.bind(Date);
  const now = vi.spyOn(Date, 'now').mockImplementation(() => real() + ageMs);
  try {
    return await ask();
  } finally {
    now.mockRestore();
  }
}

async function stored(): Promise<{ readonly pieces: number; readonly last: number }> {
  const { streams } = await client.jetstreamManager();
  const subjects_filter = `$O.${definition.name}.C.*`;
  const { state } = await streams.info(`OBJ_${definition.name}`, { subjects_filter });
  const counts = Object.values(state.subjects ?? {}) as number[];
  return { pieces: counts.reduce((sum, each) => sum + each, 0), last: state.last_seq };
}

const OLD_MS = KEPT_MS / 2 + 60_000;

describe('content that is about to be used', () => {
  it('objects.O9 is left as it is before half of its time is over', async () => {
    const before = await stored();
    expect(await aged(KEPT_MS / 2 - 60_000, () => store.keep(HASH))).toBe(CONTENT.length);
    expect(await stored()).toEqual(before);
  });

  it('objects.O9 is written once more behind that, from what is stored, and once for all who use it now', async () => {
    const { last } = await stored();
    // What is written meanwhile is of now: only the first one finds it old.
    const age = vi
      .spyOn(Date, 'now')
      .mockImplementation(() => performance.timeOrigin + performance.now() + OLD_MS);
    const first = store.keep(HASH);
    const others = [store.keep(HASH), store.keep(HASH)];
    expect(await first).toBe(CONTENT.length);
    age.mockRestore();
    expect(await Promise.all(others)).toEqual([CONTENT.length, CONTENT.length]);
    expect(await stored()).toEqual({ pieces: 2 * PIECES, last: last + PIECES + 1 });
    const read: Uint8Array[] = [];
    for await (const piece of (await store.read(HASH))!.pieces) read.push(piece);
    expect(Buffer.concat(read).equals(CONTENT)).toBe(true);
  });

  it('objects.O9 is not there where bytes are lost or nothing is stored', async () => {
    const { last } = await stored();
    await loseMessages(nats, { name: `OBJ_${definition.name}` }, [last - 2]);
    expect(await aged(OLD_MS, () => store.keep(HASH))).toBeUndefined();
    expect(await store.keep(HASH)).toBeUndefined();
    expect(await store.keep('0'.repeat(64))).toBeUndefined();
  });

  it('objects.O9 is not there where its bytes are others, and nothing is left of the attempt', async () => {
    const other = createHash('sha256').update('other').digest('hex');
    const key = Buffer.from(HASH).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
    const { streams } = await client.jetstreamManager();
    const { message } = {
      message: await streams.getMessage(`OBJ_${definition.name}`, {
        last_by_subj: `$O.${definition.name}.M.${key}`,
      }),
    };
    const { positions, ...description } = JSON.parse(Buffer.from(message.data).toString());
    const name = Buffer.from(other).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
    const body = JSON.stringify({ ...description, positions, name: other });
    await client.jetstream().publish(`$O.${definition.name}.M.${name}`, Buffer.from(body));
    expect(await aged(OLD_MS, () => store.keep(other))).toBeUndefined();
    expect((await stored()).pieces).toBe(PIECES);
  });

  it('objects.O9 stays for as long as it has where the store takes no more', async () => {
    const { streams } = await client.jetstreamManager();
    const name = `OBJ_${definition.name}`;
    const { config, state } = await streams.info(name);
    await streams.update(name, { ...config, max_bytes: state.bytes, discard: 'new' as never });
    expect(await aged(OLD_MS, () => store.keep(HASH))).toBe(CONTENT.length);
    expect((await stored()).pieces).toBe(PIECES);
  });
});
