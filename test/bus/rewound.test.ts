/**
 * bus/view.H1: a store that was put back is noticed by whoever watches it, although its revisions are lower than the
 * known ones.
 */

import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Entry } from '../../ports/bus.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const BUCKET = { name: 'mcs_back', history: 1 };
const bytes = (text: string) => new TextEncoder().encode(text);

let nats: TestNats;
beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.stop());

it('reports a store that went back, of each key that is another one and of those that are gone', async () => {
  const bus = await nats.connected();
  const bucket = bus.bucket(BUCKET);
  await bucket.put('still', bytes('1'), 0);
  const kept = await bucket.put('back', bytes('1'), 0);
  const store = join(nats.stateDir, 'store');
  const copy = join(nats.stateDir, 'copy');
  await nats.kill();
  await cp(store, copy, { recursive: true });
  await nats.start();
  await until(() => bus.connected);
  const seen: [string, Entry | undefined][] = [];
  const watch = await bucket.watch('>', (key, entry) => seen.push([key, entry]));
  await watch.ready;
  for (let n = 0; n < 5; n += 1) await bucket.overwrite('back', bytes('2'));
  await bucket.put('gone', bytes('1'), 0);
  await until(() => seen.some(([key]) => key === 'gone'));
  const lastAt = seen.findLast(([key]) => key === 'back')?.[1]?.at;
  seen.length = 0;
  await nats.kill();
  await rm(store, { recursive: true });
  await cp(copy, store, { recursive: true });
  await nats.start();
  await until(() => seen.length >= 2);
  const reported = new Map(seen);
  expect(reported.has('still')).toBe(false);
  expect(reported.get('gone')).toBeUndefined();
  expect(reported.get('back')).toMatchObject({
    revision: kept.outcome === 'written' ? kept.revision : 0,
    rewound: true,
  });
  expect(new Set(reported.keys())).toEqual(new Set(['back', 'gone']));
  expect(bus.lostUntil).toBe(lastAt);
  await watch.stop();
});
