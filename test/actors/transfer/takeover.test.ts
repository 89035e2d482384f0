/** Leaders that follow each other, with writes of the one before that nobody waited for. */

import { expect, it } from 'vitest';
import { buckets, objectStores } from '../../../contract/bus/buckets.ts';
import { moved, withBytes } from '../../../machines/transfer/record.ts';
import type { Bucket, Bus } from '../../../ports/bus.ts';
import { withBucket } from '../../simulation/planted/run-defects.ts';
import type { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { seededBytes, TransferWorld } from './world.ts';

const KEY = 'sat1.7.1';
const CONTENT = seededBytes(4_000);

/** Dies instead of recording bytes, from the second record with some on. */
function dyingWithParts(bus: TwinBus, kill: () => void): Bus {
  let records = 0;
  return withBucket(bus, buckets.transfers.name, (bucket: Bucket) => ({
    put: async (key, value, expected, options) => {
      records += 1;
      if (records === 2) kill();
      return bucket.put(key, value, expected, options);
    },
  }));
}

it('MC-XFER-049 transfer/parts.G4 transfer/service.S2 what a leader stored and did not record is not asked again, and nothing of it is left', async () => {
  const world = await TransferWorld.start();
  world.answer = (_, n) => (n < 20 && n % 4 === 1 ? 'lost' : 'chunk');
  await world.list('7', CONTENT);
  await world.manager('one', dyingWithParts);
  await world.download('7');
  await world.run(12_000);
  const came = world.chunks('7');
  expect(world.objects().length).toBeGreaterThan(3);
  expect(world.stored(KEY)?.received?.length).toBe(1);
  const before = world.requests.length;
  await world.manager('two');
  await world.until(KEY, 'VERIFIED');
  await world.run(2_000);
  const again = world.requests.slice(before).filter(({ offset }) => came.includes(offset));
  expect(again).toEqual([]);
  expect(world.objects()).toEqual(['sat1/7/1']);
  expect(world.server.bucket(objectStores.files).lasts().length).toBeGreaterThan(3);
});

it('MC-XFER-049 transfer/service.S7 a record that the leader before wrote at the last moment costs none of the bytes that have come', async () => {
  const world = await TransferWorld.start();
  await world.list('7', seededBytes(40_000));
  const manager = await world.manager('one');
  await world.download('7');
  for (let n = 0; world.chunks('7').length < 5 && n < 200; n += 1) await world.run(50);
  const stands = world.stored(KEY)!;
  const late = moved(withBytes(stands, [[0, 200]]), 'PARTIAL', world.now);
  const bucket = world.outside.bucket(buckets.transfers);
  await world.finish(bucket.overwrite(KEY, Buffer.from(JSON.stringify(late))));
  await world.until(KEY, 'VERIFIED');
  const asked = world.requests.map(({ offset }) => offset);
  expect(asked).toEqual([...new Set(asked)]);
  expect(stands.state).toBe('REQUESTED');
  expect(manager.log.said.some(({ message }) => message.includes('another owner wrote'))).toBe(true);
});

it('MC-XFER-037 transfer/service.S7 a record that the leader before wrote at the last moment says again why its transfer waits', async () => {
  const world = await TransferWorld.start();
  world.isLinkUp = false;
  await world.list('7', CONTENT);
  await world.manager('one');
  await world.download('7');
  await world.run(30_000);
  const { reason, actor, ...said } = world.stored(KEY)!;
  expect(reason).toContain('sim-1');
  const { hindrance: _, ...silent } = actor;
  const late = moved({ ...said, actor: silent }, 'REQUESTED', world.now);
  const bucket = world.outside.bucket(buckets.transfers);
  await world.finish(bucket.overwrite(KEY, Buffer.from(JSON.stringify(late))));
  world.chunk('7', 1, 0, CONTENT.subarray(0, 200));
  await world.run(30_000);
  expect(world.stored(KEY)).toMatchObject({ state: 'PARTIAL', received: [[0, 200]], reason });
  world.isLinkUp = true;
  await world.until(KEY, 'VERIFIED');
});
