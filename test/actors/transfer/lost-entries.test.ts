/** Entries of open transfers that the bus has lost while their records stand (open-index.N4). */

import { expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { TRANSFER_LOSS_MS } from '../../../contract/limits/transfer.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Bucket, Bus } from '../../../ports/bus.ts';
import { withBucket } from '../../simulation/planted/run-defects.ts';
import type { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { seededBytes, TransferWorld } from './world.ts';

const KEY = 'sat1.7.1';

/** A leader over an open transfer whose entry is gone, beside one that is over. */
async function withLostEntry(over?: (bus: TwinBus) => Bus) {
  const world = await TransferWorld.start();
  const before = await world.manager('one');
  await world.list('8', seededBytes(400));
  await world.download('8');
  await world.until('sat1.8.1', 'VERIFIED');
  world.answer = () => 'lost';
  await world.list('7', seededBytes(2_000));
  await world.download('7');
  await world.run(2_000);
  before.kill();
  const index = world.outside.bucket(buckets.openTransfers);
  const entry = await world.finish(index.get(KEY));
  await world.finish(index.remove(KEY, entry!.revision));
  world.answer = () => 'chunk';
  const manager = await world.manager('two', over);
  const said = (): number =>
    manager.log.said.filter(({ message }) => message.includes('managed again')).length;
  return { world, manager, said };
}

it('open-index.N4 what is open is entered again where the bus lost something, and goes on; what is over is not', async () => {
  const { world, manager, said } = await withLostEntry();
  await world.run(5_000);
  expect([world.stored(KEY)?.state, world.open()]).toEqual(['REQUESTED', []]);
  manager.bus.lost(world.now);
  await world.until(KEY, 'VERIFIED');
  await world.run(5_000);
  expect([world.open(), said(), manager.failures]).toEqual([[], 1, []]);
});

it('open-index.N4 a loss of long ago is not looked for again by each leader', async () => {
  const { world, manager, said } = await withLostEntry();
  manager.bus.lost(world.now - TRANSFER_LOSS_MS);
  await world.run(5_000);
  expect([world.stored(KEY)?.state, world.open(), said()]).toEqual(['REQUESTED', [], 0]);
});

it('open-index.N4 is done with a later look where the bus is away', async () => {
  let refused = 0;
  const away = (bus: TwinBus): Bus =>
    withBucket(bus, buckets.openTransfers.name, (bucket: Bucket) => ({
      put: async (key, value, expected, options) => {
        refused += 1;
        if (refused <= 2) throw new Outage('bus.unavailable', 'just now');
        return bucket.put(key, value, expected, options);
      },
    }));
  const { world, manager } = await withLostEntry(away);
  manager.bus.lost(world.now);
  await world.until(KEY, 'VERIFIED');
  expect([refused, manager.failures]).toEqual([3, []]);
});

it('open-index.N4 a look at the records that the bus does not go on with is ended where its leader stops', async () => {
  let looks = 0;
  const stuck = (bus: TwinBus): Bus =>
    withBucket(bus, buckets.transfers.name, () => ({
      watch: async () => {
        looks += 1;
        let end: (why: Outage) => void = () => undefined;
        const ready = new Promise<void>((_resolve, reject) => {
          end = reject;
        });
        return { ready, stop: async () => end(new Outage('bus.unavailable', 'it was stopped')) };
      },
    }));
  const { world, manager } = await withLostEntry(stuck);
  manager.bus.lost(world.now);
  await world.run(1_000);
  expect(looks).toBe(1);
  let isStopped = false;
  void manager.stop().then(() => {
    isStopped = true;
  });
  await world.run(5_000);
  expect([isStopped, manager.failures]).toEqual([true, []]);
});
