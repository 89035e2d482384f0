/** bus.P1 to P4 under load while the server is killed again and again on the same port and store. */

import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import type { TestNats } from '../support/nats.ts';
import { startNats } from '../support/nats.ts';
import { ownTime } from '../support/own-time.ts';
import { until } from '../support/until.ts';

const STREAM = { name: 'LOAD', subjects: ['mcs.load.*'], maxAgeMs: 3_600_000, dedupeMs: 120_000 };
const BUCKET = { name: 'mcs_load', history: 1 };
const PATIENT_MS = 20_000;
const KILLS = 4;
const WRITERS = 16;
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array) => new TextDecoder().decode(data);

let nats: TestNats;
beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.stop());

/** Appends one message after the other until reported to stop; the ids of those acknowledged by position. */
function load(bus: NatsBus, writer: number, acknowledged: Map<number, string>, running: () => boolean) {
  return (async () => {
    for (let n = 0; running(); n++) {
      const id = `${writer}-${n}`;
      const outcome = await bus.append(STREAM, `mcs.load.w${writer}`, bytes(id), {
        id,
        deadlineMs: PATIENT_MS,
      });
      expect(outcome.outcome).toBe('stored');
      if (outcome.outcome === 'stored') acknowledged.set(outcome.seq, id);
    }
  })();
}

it('nothing acknowledged is lost and followers see everything once and in order over kill -9', async () => {
  const bus = await nats.connected({ name: 'load' });
  const quick: [number, string][] = [];
  const slow: [number, string][] = [];
  await bus.follow(STREAM, 'mcs.load.*', { from: 'start' }, (message) => {
    quick.push([message.seq, text(message.data)]);
  });
  await bus.follow(STREAM, 'mcs.load.*', { from: 'start' }, async (message) => {
    slow.push([message.seq, text(message.data)]);
    if (message.seq % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  });
  const acknowledged = new Map<number, string>();
  let running = true;
  const writers = Array.from({ length: WRITERS }, (_, n) => load(bus, n, acknowledged, () => running));
  for (let kill = 1; kill <= KILLS; kill++) {
    const before = acknowledged.size;
    await until(() => acknowledged.size > before + 200, { what: 'the load' });
    await nats.kill();
    await until(() => !bus.connected);
    await nats.start();
  }
  const before = acknowledged.size;
  await until(() => acknowledged.size > before + 200, { what: 'the load' });
  running = false;
  await Promise.all(writers);
  const last = Math.max(...acknowledged.keys());
  await until(() => quick.at(-1)?.[0] === last && slow.at(-1)?.[0] === last);

  const stored: [number, string][] = [];
  const reader = await (await nats.connected({ name: 'reader' })).follow(
    STREAM,
    'mcs.load.*',
    { from: 'start' },
    (message) => {
      stored.push([message.seq, text(message.data)]);
    },
  );
  await reader.caughtUp;
  expect(new Map(stored)).toEqual(new Map([...acknowledged].sort(([a], [b]) => a - b)));
  expect(stored.map(([seq]) => seq)).toEqual(Array.from({ length: last }, (_, n) => n + 1));
  expect(quick).toEqual(stored);
  expect(slow).toEqual(stored);
}, 180_000);

it('followers and watches are live within a second of the server, and requests fail fast meanwhile', async () => {
  const [bus, other] = await Promise.all([nats.connected({ name: 'a' }), nats.connected({ name: 'b' })]);
  const watched: string[] = [];
  const followed: string[] = [];
  const watch = await bus.bucket(BUCKET).watch('>', (key) => watched.push(key));
  await watch.ready;
  await bus.follow(STREAM, 'mcs.load.live', { from: 'now' }, (message) => {
    followed.push(text(message.data));
  });
  bus.serve('mcs.load.never', () => new Promise(() => {}));
  await bus.bucket(BUCKET).put('first', bytes('x'), 0);
  await until(() => watched.length === 1);
  const inFlight = Promise.allSettled([other.request('mcs.load.never', bytes('x'), { timeoutMs: 30_000 })]);

  await nats.kill();
  const sinceKilled = ownTime();
  const [hanging] = await inFlight;
  expect(hanging).toMatchObject({ status: 'rejected', reason: { code: 'bus.unavailable' } });
  await expect(other.bucket(BUCKET).get('first')).rejects.toMatchObject({ code: 'bus.unavailable' });
  expect(sinceKilled()).toBeLessThan(3_000);
  const again = ownTime();
  await expect(other.bucket(BUCKET).get('first')).rejects.toMatchObject({ code: 'bus.unavailable' });
  expect(again()).toBeLessThan(200);

  const patient = other.append(STREAM, 'mcs.load.live', bytes('after'), { deadlineMs: PATIENT_MS });
  await nats.start();
  const sinceBack = ownTime();
  await patient;
  await until(() => other.connected);
  await other.bucket(BUCKET).put('second', bytes('x'), 0, { deadlineMs: PATIENT_MS });
  await until(() => watched.includes('second') && followed.includes('after'));
  expect(sinceBack()).toBeLessThan(1_000);
  expect(watched).toEqual(['first', 'second']);
  expect(followed).toEqual(['after']);
});

it('a follower whose stream lost its newest messages goes on with what is stored then', async () => {
  const stream = { ...STREAM, name: 'TAIL', subjects: ['mcs.tail.*'] };
  const bus = await nats.connected({ name: 'tail' });
  const seen: string[] = [];
  await bus.append(stream, 'mcs.tail.a', bytes('kept'));
  const store = join(nats.stateDir, 'store');
  await nats.kill();
  await cp(store, `${store}.old`, { recursive: true });
  await nats.start();
  await bus.append(stream, 'mcs.tail.a', bytes('lost'), { deadlineMs: PATIENT_MS });
  await bus.append(stream, 'mcs.tail.a', bytes('lost'));
  const follower = await bus.follow(stream, 'mcs.tail.a', { from: 'start' }, (message) => {
    seen.push(`${message.seq} ${text(message.data)}`);
  });
  await follower.caughtUp;
  await nats.kill();
  await rm(store, { recursive: true });
  await rename(`${store}.old`, store);
  await nats.start();
  await bus.append(stream, 'mcs.tail.a', bytes('new'), { deadlineMs: PATIENT_MS });
  await until(() => seen.at(-1) === '2 new');
  expect(seen).toEqual(['1 kept', '2 lost', '3 lost', '2 new']);
});

it('starts while the server is away and serves as soon as it is there', async () => {
  await nats.kill();
  const bus = nats.open({ name: 'early' });
  expect(bus.connected).toBe(false);
  await expect(bus.append(STREAM, 'mcs.load.early', bytes('x'))).rejects.toMatchObject({
    code: 'bus.unavailable',
  });
  const received: string[] = [];
  bus.subscribe('mcs.load.heard', (message) => {
    received.push(text(message.data));
  });
  const ensured = bus.ensureAssets({ deadlineMs: PATIENT_MS });
  await nats.start();
  await ensured;
  const other = await nats.connected({ name: 'other' });
  await until(() => {
    other.publish('mcs.load.heard', bytes('x'));
    return received.length > 0;
  });
});
