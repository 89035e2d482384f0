/** Content that is kept for only a little longer, on a bus whose installation keeps it for seconds. */

import { createHash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { objectStores } from '../../contract/bus/buckets.ts';
import { until } from '../support/until.ts';
import { startWorld } from './world.ts';

const KEPT_MS = 8_000;

it('objects.O3 MC-UPL-002 is to be sent again past half of the time that the installation states, and is kept on', async () => {
  const world = await startWorld();
  onTestFinished(() => world.stop());
  const { bus, url } = world;
  const ttls = { [objectStores.uploads.name]: KEPT_MS };
  bus.replication.install({ replicas: 1, overrides: {}, ttls });
  const content = 'sent again';
  const hash = createHash('sha256').update(content).digest('hex');
  const store = async () => (await fetch(`${url}/v1/uploads`, { method: 'POST', body: content })).status;
  const ask = async () => (await fetch(`${url}/v1/uploads/${hash}`)).status;
  const begun = Date.now();
  expect([await store(), await ask()]).toEqual([201, 200]);
  await until(async () => (await ask()) === 404, { what: 'half of its time over' });
  // Runs may name it until it is gone.
  expect(await bus.objects(objectStores.uploads).wholeSize(hash)).toBe(content.length);
  expect([await store(), await ask()]).toEqual([201, 200]);
  await until(() => Date.now() > begun + KEPT_MS, { what: 'its first time over' });
  expect(await bus.objects(objectStores.uploads).wholeSize(hash)).toBe(content.length);
});
