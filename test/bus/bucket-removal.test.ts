/** What a removal in a bucket does to those who watch other keys of it, on a real nats-server. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import type { Bucket } from '../../ports/bus.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

let nats: TestNats;
let bus: NatsBus;
let bucket: Bucket;
const seen = new Map<string, number | undefined>();

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  bucket = bus.bucket(buckets.passes);
  const watch = await bucket.watch('>', (key, entry) => seen.set(key, entry?.revision));
  await watch.ready;
});
afterAll(() => nats.stop());

const VALUE = Buffer.alloc(400, 'v');
/** Thousands at once take a busy machine longer than one may. */
const PATIENT = { deadlineMs: 20_000 };

async function made(prefix: string, count: number): Promise<[key: string, revision: number][]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n): Promise<[string, number]> => {
      const written = await bucket.put(`${prefix}.${n}`, VALUE, 0, PATIENT);
      if (written.outcome !== 'written') throw new Error('a key that is new');
      return [`${prefix}.${n}`, written.revision];
    }),
  );
}
const removed = (keys: readonly [string, number][]) =>
  Promise.all(keys.map(([key, revision]) => bucket.remove(key, revision)));

it('bucket.B3 removals at once are all seen, and hide no value that is written meanwhile', async () => {
  const old = await made('old', 20);
  const [, values] = await Promise.all([removed(old), made('new', 3_000)]);
  await until(() => seen.get('new.2999') === values[2_999]![1]);
  await until(() => old.every(([key]) => seen.has(key) && seen.get(key) === undefined));
  expect(values.filter(([key, revision]) => seen.get(key) !== revision)).toEqual([]);
});

it('bucket.B3 the markers of removals leave without hiding a value that is written meanwhile', async () => {
  await removed(await made('gone', 20));
  const values: [string, number][] = [];
  // The markers are deleted a second behind the removal: it is written until then and on.
  const end = performance.now() + 1_500;
  for (let batch = 0; performance.now() < end; batch += 1)
    values.push(...(await made(`batch${batch}`, 1_000)));
  const [last, revision] = values.at(-1)!;
  await until(() => seen.get(last) === revision);
  expect(values.filter(([key, written]) => seen.get(key) !== written)).toEqual([]);
  const entries = await bucket.list('gone.*');
  expect(entries).toEqual([]);
});
