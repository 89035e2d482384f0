/** The twin where its store goes back: what `past.test.ts` and `rewound.test.ts` show of the real server. */

import { beforeEach, expect, it } from 'vitest';
import type { Entry } from '../../ports/bus.ts';
import { HeapClock } from '../../supervision/clock.ts';
import { TwinServer } from '../simulation/twin/server.ts';
import { TwinBus } from '../simulation/twin/twin-bus.ts';
import { fairWeather } from '../simulation/twin/weather.ts';
import { keptLog } from '../support/silent-log.ts';

const STREAM = { name: 'LOG', subjects: ['mcs.log.*'], maxAgeMs: 3_600_000, dedupeMs: 60_000 };
const BUCKET = { name: 'mcs_back', history: 1 };
const bytes = (text: string) => new TextEncoder().encode(text);

let clock: HeapClock;
let server: TwinServer;
let writer: TwinBus;

beforeEach(async () => {
  clock = new HeapClock(1_000);
  server = new TwinServer({ now: () => clock.now(), choose: () => 0 });
  writer = open('writer');
  await pass(1);
});

function open(name: string): TwinBus {
  const log = keptLog();
  return new TwinBus({ server, name, outside: clock, inside: clock, weather: fairWeather, log });
}

async function pass(ms: number): Promise<void> {
  const until = clock.now() + ms;
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    while ((clock.next() ?? Number.POSITIVE_INFINITY) <= until) clock.step();
  }
  clock.advanceTo(until);
}

async function append(name: string, about = 'a'): Promise<number> {
  const stored = writer.append(STREAM, `mcs.log.${about}`, bytes(name), { id: name });
  await pass(1);
  const outcome = await stored;
  return outcome.outcome === 'conflict' ? 0 : outcome.seq;
}

/** What was stored behind the moment is gone. */
async function rewind(to: number, others: () => void = () => undefined): Promise<void> {
  server.turn(false);
  server.rewind(() => to);
  await pass(100);
  server.turn(true);
  others();
  await pass(100);
}

async function settled<Value>(promise: Promise<Value>): Promise<Value> {
  await pass(1);
  return promise;
}

it('bus/follow.F2 past.H1 a follower goes on with what is stored since, says so, and what was known is known to be gone', async () => {
  const taken: string[] = [];
  let wentBack = 0;
  for (const name of ['1', '2', '3']) await append(name);
  const take = ({ data }: { data: Uint8Array }): void => void taken.push(Buffer.from(data).toString());
  const following = writer.follow(STREAM, 'mcs.log.*', { from: 'start' }, take, {
    wentBack: () => {
      wentBack += 1;
    },
  });
  const follower = await settled(following);
  const kept = clock.now();
  await pass(1);
  for (const name of ['4', '5', '6']) await append(name);
  const last = (await settled(writer.last(STREAM, 'mcs.log.a')))!;
  const known = { seq: last.seq, at: last.at };
  expect(await settled(writer.stillHolds(STREAM, known))).toBe(true);
  await rewind(kept);
  expect(await settled(writer.stillHolds(STREAM, known))).toBe(false);
  for (const name of ['7', '8', '9', '4']) await append(name, 'b');
  expect(taken).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '4']);
  expect(wentBack).toBe(1);
  expect(writer.lostUntil).toBe(last.at);
  expect(await settled(writer.stillHolds(STREAM, known))).toBe(false);
  expect(await settled(writer.stillHolds(STREAM, { seq: 3, subject: 'mcs.log.a' }))).toBe(true);
  await follower.stop();
});

it('bus/follow.F2 a stream that has grown past a follower again while it was away is read from where it differs', async () => {
  const taken: string[] = [];
  const take = ({ data }: { data: Uint8Array }): void => void taken.push(Buffer.from(data).toString());
  await append('before');
  const kept = clock.now();
  await pass(1);
  const follower = await settled(writer.follow(STREAM, 'mcs.log.*', { from: 'now' }, take));
  await append('lost');
  await rewind(kept, () => {
    for (const [n, name] of ['new 1', 'new 2', 'new 3'].entries())
      server.publish(server.stream(STREAM), {
        subject: 'mcs.log.a',
        data: bytes(name),
        headers: {},
        id: `id ${n}`,
        expect: undefined,
        writer: `w${n}`,
        by: 'other',
        removal: false,
      });
  });
  expect(taken).toEqual(['lost', 'new 1', 'new 2', 'new 3']);
  await follower.stop();
});

it('past.H1 reports a watch of each key that is another one and of those that are gone', async () => {
  const bucket = writer.bucket(BUCKET);
  await settled(bucket.put('still', bytes('1'), 0));
  const first = await settled(bucket.put('back', bytes('1'), 0));
  const kept = clock.now();
  await pass(1);
  const seen: [string, Entry | undefined][] = [];
  const watch = await settled(bucket.watch('>', (key, entry) => void seen.push([key, entry])));
  for (let n = 0; n < 5; n += 1) await settled(bucket.overwrite('back', bytes('2')));
  await settled(bucket.put('gone', bytes('1'), 0));
  const lastAt = seen.findLast(([key]) => key === 'back')?.[1]?.at;
  seen.length = 0;
  await rewind(kept);
  const reported = new Map(seen);
  expect(new Set(reported.keys())).toEqual(new Set(['back', 'gone']));
  expect(writer.lostUntil).toBe(lastAt);
  expect(reported.get('gone')).toBeUndefined();
  expect(reported.get('back')).toMatchObject({
    revision: first.outcome === 'written' ? first.revision : 0,
    rewound: true,
  });
  await watch.stop();
});

it('past.H4 holes are dated by the message behind the newest, or by the last one that was stored', async () => {
  const holes = (): Promise<number | undefined> => settled(writer.holesUntil(STREAM));
  const lose = (count: number, behind: number): void =>
    server.lose(STREAM, { count, behind, keepsIds: true });
  expect(await holes()).toBeUndefined();
  for (const name of ['1', '2', '3', '4', '5', '6']) await append(name);
  expect(await holes()).toBeUndefined();
  const at = server.stream(STREAM).messages.map((message) => message.at);
  lose(1, 5);
  expect(await holes()).toBeUndefined();
  lose(1, 3);
  expect(await holes()).toBe(at[3]);
  lose(1, 1);
  expect(await holes()).toBe(at[5]);
  lose(1, 0);
  expect(await holes()).toBe(at[5]);
  await append('7');
  const last = server.stream(STREAM).messages.at(-1)!;
  expect(await holes()).toBe(last.at);
  lose(9, 0);
  expect(await holes()).toBe(last.at);
});
