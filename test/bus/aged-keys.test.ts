/** What leaves a bucket by its age leaves those that watch it, on a real server, which says nothing of it. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import type { TestNats } from '../support/nats.ts';
import { startNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

let nats: TestNats;
let bus: NatsBus;
beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});
afterAll(() => nats.stop());

it.each(['beside one that is written again', 'the last ones'])(
  'bus/view.H5 keys that left by their age are reported as removed: %s',
  async (which) => {
    const isLast = which === 'the last ones';
    const bucket = bus.bucket({ name: isLast ? 'mcs_aged_all' : 'mcs_aged', history: 1, ttlMs: 1_000 });
    const there = new Map<string, number>();
    const removed: string[] = [];
    const watch = await bucket.watch('>', (key, entry) => {
      if (entry !== undefined) return void there.set(key, entry.revision);
      there.delete(key);
      removed.push(key);
    });
    await watch.ready;
    for (const key of ['a', 'b', 'c']) await bucket.put(key, Buffer.from('x'), 0);
    let written = 3;
    await until(async () => {
      if (!isLast) written = await bucket.overwrite('c', Buffer.from('again'));
      return removed.length >= (isLast ? 3 : 2);
    });
    expect(removed.sort()).toEqual(isLast ? ['a', 'b', 'c'] : ['a', 'b']);
    await until(() => there.get('c') === (isLast ? undefined : written));
    await watch.stop();
  },
);
