/** A store that goes back under a follower and under what somebody knows of it. */

import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, jwtAuthenticator, type StreamAPI } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const STREAM = { name: 'LOG', subjects: ['mcs.log.*'], maxAgeMs: 3_600_000, dedupeMs: 60_000 };
const PATIENT = { deadlineMs: 20_000 };

let nats: TestNats;
let bus: NatsBus;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});
afterAll(() => nats.stop());

const append = async (name: string, about = 'a'): Promise<number> => {
  const stored = await bus.append(STREAM, `mcs.log.${about}`, Buffer.from(name), { ...PATIENT, id: name });
  return stored.outcome === 'conflict' ? 0 : stored.seq;
};

/** Keeps the store as it is, and puts it back. */
const store = () => join(nats.stateDir, 'store');
const kept = () => join(nats.stateDir, 'kept');
async function keep(): Promise<void> {
  await nats.kill();
  await cp(store(), kept(), { recursive: true });
  await nats.start();
}
async function putBack(): Promise<void> {
  await nats.kill();
  await rm(store(), { recursive: true });
  await rename(kept(), store());
  await nats.start();
}

/** As somebody else, by the tools of the server: no connection of the service breaks. */
async function managed(work: (streams: StreamAPI) => Promise<void>): Promise<void> {
  const { jwt, seed } = nats.credentials;
  const authenticator = jwtAuthenticator(jwt, Buffer.from(seed));
  const connection = await connect({ servers: nats.url, authenticator });
  await work((await connection.jetstreamManager()).streams);
  await connection.close();
}

/** As copies that differ lose messages: positions stay. */
const takeOut = (stream: string, ...seqs: readonly number[]): Promise<void> =>
  managed(async (streams) => {
    for (const seq of seqs) await streams.deleteMessage(stream, seq);
  });

it('bus/follow.F2 past.H1 a follower goes on with what is stored since, says so, and what was known is known to be gone', async () => {
  const taken: string[] = [];
  let wentBack = 0;
  for (const name of ['1', '2', '3']) await append(name);
  const follower = await bus.follow(
    STREAM,
    'mcs.log.*',
    { from: 'start' },
    ({ data }) => void taken.push(Buffer.from(data).toString()),
    {
      wentBack: () => {
        wentBack += 1;
      },
    },
  );
  await follower.caughtUp;
  await keep();
  for (const name of ['4', '5', '6']) await append(name);
  await until(() => taken.length === 6);
  const last = (await bus.last(STREAM, 'mcs.log.a'))!;
  const known = { seq: last.seq, at: last.at };
  expect(await bus.stillHolds(STREAM, known)).toBe(true);
  expect(bus.lostUntil).toBeUndefined();
  await putBack();
  // Away for as long as a start takes here, it refuses at once what is asked of it.
  await until(() => bus.connected);
  expect(await bus.stillHolds(STREAM, known)).toBe(false);
  for (const name of ['7', '8', '9', '10']) await append(name, 'b');
  await until(() => taken.length === 10);
  expect(taken).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
  expect(wentBack).toBe(1);
  expect(bus.lostUntil).toBe(known.at);
  // The stream has grown past what was known.
  expect(await bus.stillHolds(STREAM, known)).toBe(false);
  expect(await bus.stillHolds(STREAM, { seq: last.seq, subject: 'mcs.log.a' })).toBe(false);
  expect(await bus.stillHolds(STREAM, { seq: 3, subject: 'mcs.log.a' })).toBe(true);
  await follower.stop();
});

it('bus/follow.F2 a stream that has grown past a follower again while it was away is read from where it differs', async () => {
  const taken: string[] = [];
  const reader = await nats.connected();
  const follower = await reader.follow(STREAM, 'mcs.log.*', { from: 'now' }, ({ data }) => {
    taken.push(Buffer.from(data).toString());
  });
  await follower.caughtUp;
  await keep();
  await append('lost');
  await until(() => taken.length === 1);
  // Its connection is slow to come back: others have written by then.
  await putBack();
  await Promise.all(['new 1', 'new 2', 'new 3'].map((name) => append(name)));
  await until(() => taken.includes('new 3') && taken.includes('new 1') && taken.includes('new 2'));
  expect(taken.filter((name) => name !== 'lost').sort()).toEqual(['new 1', 'new 2', 'new 3']);
  await follower.stop();
});

it('a position beyond the end is of a past that is gone: reading goes on at the end', async () => {
  const taken: string[] = [];
  const follower = await bus.follow(STREAM, 'mcs.log.*', { from: 'seq', seq: 1_000 }, ({ data }) => {
    taken.push(Buffer.from(data).toString());
  });
  await follower.caughtUp;
  await append('behind');
  await until(() => taken.length > 0);
  expect(taken).toEqual(['behind']);
  await follower.stop();
});

it('past.H1 what is gone from the middle of a stream is lost, where it is too young to have left by its age', async () => {
  const [first, gone] = [await append('11'), await append('12')];
  await append('13');
  await takeOut(STREAM.name, gone);
  const subject = 'mcs.log.a';
  expect(await bus.stillHolds(STREAM, { seq: gone, subject })).toBe(true);
  expect(await bus.stillHolds(STREAM, { seq: gone, subject, isYoung: true })).toBe(false);
  expect(await bus.stillHolds(STREAM, { seq: first, subject, isYoung: true })).toBe(true);
});

it('past.H5 until when what was stored may have left the front of a stream, whatever its retention is', async () => {
  const LEFT = { name: 'LEFT', subjects: ['mcs.left.*'], maxAgeMs: 3_600_000, dedupeMs: 60_000 };
  const store = async (): Promise<number> => {
    await bus.append(LEFT, 'mcs.left.a', Buffer.from('x'), PATIENT);
    return (await bus.last(LEFT, 'mcs.left.a'))!.at;
  };
  const before = Date.now();
  const made = await bus.leftUntil(LEFT);
  expect(made).toBeGreaterThanOrEqual(before - 1);
  expect(made).toBeLessThanOrEqual(Date.now());
  await store();
  const second = await store();
  const third = await store();
  expect(await bus.leftUntil(LEFT)).toBe(made);
  await takeOut(LEFT.name, 1);
  expect(await bus.leftUntil(LEFT)).toBe(second);
  await takeOut(LEFT.name, 2);
  expect(await bus.leftUntil(LEFT)).toBe(third);
  await takeOut(LEFT.name, 3);
  expect(await bus.leftUntil(LEFT)).toBe(third);
  // A server that restarts may have forgotten when that was.
  await nats.kill();
  await nats.start();
  await until(() => bus.connected);
  expect(await bus.leftUntil(LEFT)).toBeGreaterThanOrEqual(third);
  // What stood in a stream that bore its name is gone with it, and the new one begins with position 1 again.
  await managed(async (streams) => void (await streams.delete(LEFT.name)));
  const again = await bus.leftUntil(LEFT);
  expect(again).toBeGreaterThan(third);
  await store();
  expect(await bus.leftUntil(LEFT)).toBe(again);
});

describe('past.H4 until when messages of a stream are lost that nobody noticed', () => {
  const HOLED = { name: 'HOLED', subjects: ['mcs.holed.*'], maxAgeMs: 3_600_000, dedupeMs: 60_000 };
  const atOf: number[] = [];
  const store = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      await bus.append(HOLED, 'mcs.holed.a', Buffer.from('x'), PATIENT);
      atOf.push((await bus.last(HOLED, 'mcs.holed.a'))!.at);
    }
  };
  /** By its position. */
  const at = (seq: number): number => atOf[seq - 1]!;

  it('none of a stream that holds nothing yet or all it was given, or whose first message has left it', async () => {
    expect(await bus.holesUntil(HOLED)).toBeUndefined();
    await store(8);
    expect(await bus.holesUntil(HOLED)).toBeUndefined();
    await takeOut(HOLED.name, 1);
    expect(await bus.holesUntil(HOLED)).toBeUndefined();
  });

  it('out of its middle: when the message behind the newest hole was stored', async () => {
    await takeOut(HOLED.name, 3, 5);
    expect(await bus.holesUntil(HOLED)).toBe(at(6));
  });

  it('off its end: when the last message was stored, and now where a server that restarted does not know that', async () => {
    await takeOut(HOLED.name, 8);
    expect(await bus.holesUntil(HOLED)).toBe(at(8));
    await nats.kill();
    await nats.start();
    await until(() => bus.connected);
    const before = Date.now();
    const now = await bus.holesUntil(HOLED);
    expect(now).toBeGreaterThanOrEqual(before);
    await store(1);
    expect(await bus.holesUntil(HOLED)).toBe(atOf.at(-1));
  });

  it('all of it: when the last message was stored', async () => {
    await takeOut(HOLED.name, 2, 4, 6, 7, 9);
    expect(await bus.holesUntil(HOLED)).toBe(atOf.at(-1));
  });
});
