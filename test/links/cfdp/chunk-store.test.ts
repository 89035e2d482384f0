/** Chunks that wait for the bus, in a process that sleeps. */

import { expect, it } from 'vitest';
import { BUS_RETRY_MS } from '../../../contract/limits/bus.ts';
import { ChunkStore } from '../../../links/cfdp/chunk-store.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { MemoryBus } from '../memory-bus.ts';

const PLACE = { target: 'sat', revision: 'r' };

it('chunk-store.K4 chunks wait while another process may have the files, and are stored where it has not', async () => {
  const [bus, clock] = [new MemoryBus(), new ManualClock(0)];
  let holds = true;
  const store = new ChunkStore({ bus, clock, log: keptLog(), life: 'a', holds: () => holds });
  const push = (offset: number): void =>
    store.push(PLACE, { file: '7', generation: 1, offset, data: Buffer.alloc(4), transaction: 'a-1' });
  bus.connected = false;
  push(0);
  await settled();
  holds = false;
  bus.connected = true;
  push(100);
  await clock.run(4 * BUS_RETRY_MS, BUS_RETRY_MS);
  expect([bus.stored.length, store.isStored('sat', '7', 1)]).toEqual([0, false]);
  holds = true;
  await clock.run(2 * BUS_RETRY_MS, BUS_RETRY_MS);
  expect([bus.stored.length, store.isStored('sat', '7', 1)]).toEqual([2, true]);
});

it('chunk-store.K4 a store that ends waits for nothing', async () => {
  const [bus, clock] = [new MemoryBus(), new ManualClock(0)];
  const store = new ChunkStore({ bus, clock, log: keptLog(), life: 'a', holds: () => false });
  store.push(PLACE, { file: '7', generation: 1, offset: 0, data: Buffer.alloc(4) });
  await settled();
  await store.stop();
  expect(bus.stored).toEqual([]);
});
