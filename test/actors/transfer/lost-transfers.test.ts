/** Open transfers whose records or entries the bus loses under their leader. */

import { expect, it } from 'vitest';
import { type BucketDefinition, buckets } from '../../../contract/bus/buckets.ts';
import { TRANSFER_INDEX_MS } from '../../../contract/limits/transfer.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Bus } from '../../../ports/bus.ts';
import { withBucket } from '../../simulation/planted/run-defects.ts';
import type { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { type ManagerProcess, seededBytes, TransferWorld } from './world.ts';

const KEY = 'sat1.7.1';
const CONTENT = seededBytes(2_000);
const { transfers, openTransfers } = buckets;

/** A leader over a transfer that waits: its requests are lost. */
async function waiting(over?: (bus: TwinBus) => Bus) {
  const world = await TransferWorld.start();
  const manager = await world.manager('one', over);
  world.answer = () => 'lost';
  await world.list('7', CONTENT);
  await world.download('7');
  await world.run(3_000);
  return { world, manager };
}

/** The key is gone, without a trace, as from a bucket that is another one. */
async function lose(world: TransferWorld, ...from: BucketDefinition[]): Promise<void> {
  for (const definition of from) {
    const bucket = world.outside.bucket(definition);
    const entry = await world.finish(bucket.get(KEY));
    await world.finish(bucket.remove(KEY, entry!.revision));
  }
}

/** Of which buckets the log says that it was lost from them. */
function said({ log }: ManagerProcess): unknown[] {
  return log.said.filter(({ message }) => message.includes('lost an open')).map(({ fields }) => fields);
}

it.each([
  ['its record', [transfers]],
  ['its entry', [openTransfers]],
  ['both', [openTransfers, transfers]],
])(
  'lost-transfers.B1 B2 a transfer that waits and has lost %s is written again within seconds, and goes on',
  async (_, lost) => {
    const { world, manager } = await waiting();
    const before = world.stored(KEY);
    await lose(world, ...lost);
    await world.run(3_000);
    expect([world.stored(KEY), world.open()]).toEqual([before, [KEY]]);
    expect(said(manager)).toEqual([{ key: KEY, buckets: lost.map(({ name }) => name) }]);
    world.answer = () => 'chunk';
    await world.until(KEY, 'VERIFIED');
    await world.run(2_000);
    expect([world.open(), manager.failures]).toEqual([[], []]);
    expect(await world.content({ target: 'sat1', file_id: '7', generation: 1 })).toEqual(CONTENT);
  },
);

it.each([
  ['its record', [transfers]],
  ['both', [openTransfers, transfers]],
])(
  'lost-transfers.B1 transfer/service.S7 a transfer that has lost %s while bytes arrive keeps them',
  async (_, lost) => {
    const { world, manager } = await waiting();
    world.chunk('7', 1, 0, CONTENT.subarray(0, 400));
    await world.run(2_000);
    expect(world.stored(KEY)?.received).toEqual([[0, 400]]);
    await lose(world, ...lost);
    world.chunk('7', 1, 400, CONTENT.subarray(400, 800));
    await world.run(4_000);
    expect(world.stored(KEY)).toMatchObject({ state: 'PARTIAL', received: [[0, 800]] });
    world.answer = () => 'chunk';
    await world.until(KEY, 'VERIFIED');
    expect(manager.failures).toEqual([]);
    expect(await world.content({ target: 'sat1', file_id: '7', generation: 1 })).toEqual(CONTENT);
  },
);

it('lost-transfers.B2 of many that are lost one is found, and all are written again at once', async () => {
  const { world } = await waiting();
  const keys = [KEY];
  for (let file = 10; file < 20; file += 1) {
    await world.list(String(file), CONTENT);
    await world.download(String(file));
    keys.push(`sat1.${file}.1`);
  }
  await world.run(1_000);
  const bucket = world.outside.bucket(transfers);
  const entries = await Promise.all(keys.map((key) => world.finish(bucket.get(key))));
  const removed = entries.map((entry) => bucket.remove(entry!.key, entry!.revision));
  await world.finish(Promise.all(removed));
  await world.run(3_000);
  expect(keys.filter((key) => world.stored(key) === undefined)).toEqual([]);
});

it('lost-transfers.B1 who leads no more writes nothing again', async () => {
  const { world, manager } = await waiting();
  manager.resign();
  await lose(world, openTransfers, transfers);
  await world.run(5_000);
  expect([world.stored(KEY), world.open(), said(manager)]).toEqual([undefined, [], []]);
});

it('lost-transfers.B3 is done with a later look where the bus is away', async () => {
  let refused = 0;
  const away = (bus: TwinBus): Bus =>
    withBucket(bus, transfers.name, (bucket) => ({
      put: async (key, value, expected, options) => {
        if (expected === 0) refused += 1;
        if (expected === 0 && refused <= 2) throw new Outage('bus.unavailable', 'just now');
        return bucket.put(key, value, expected, options);
      },
    }));
  const { world, manager } = await waiting(away);
  const before = world.stored(KEY);
  await lose(world, transfers);
  await world.run(5_000);
  expect([world.stored(KEY), refused, manager.failures]).toEqual([before, 3, []]);
});

it('transfer/service.S9 a transfer that is over and leaves is not entered again', async () => {
  const { world, manager } = await waiting();
  world.answer = () => 'chunk';
  await world.until(KEY, 'VERIFIED');
  await world.run(5_000);
  await lose(world, transfers);
  await world.run(5_000);
  expect([world.stored(KEY), world.open(), said(manager)]).toEqual([undefined, [], []]);
});

it('open-index.N1 the next leader knows nothing of what was lost while nobody led, and says so', async () => {
  const { world, manager } = await waiting();
  manager.kill();
  await lose(world, transfers);
  const next = await world.manager('two');
  await world.run(TRANSFER_INDEX_MS + 30_000);
  expect([world.stored(KEY), world.open()]).toEqual([undefined, []]);
  expect(next.log.said.map(({ message }) => message)).toContainEqual(
    'an open transfer has no record, which was lost or never written: its entry is removed',
  );
  expect(next.failures).toEqual([]);
});
