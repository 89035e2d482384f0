/** One holder for each buffer that is served, and a moment's patience for who comes behind. */

import { expect, it } from 'vitest';
import { IIOD_RELEASE_MS } from '../../contract/limits/bench.ts';
import { errno, type IioContext } from '../../radio/iio/context.ts';
import { HeldBuffers } from '../../radio/iio/held-buffers.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { memoryContext } from './memory-context.ts';

const options = { samples: 16, mask: 1 };

/** A context whose buffers are closed when reported. */
function slowToClose(): { context: IioContext; closed: () => void } {
  const memory = memoryContext();
  let closed = () => {};
  const gate = new Promise<void>((resolve) => {
    closed = () => resolve();
  });
  const open: IioContext['open'] = async (device, wanted) => {
    const buffer = await memory.open(device, wanted);
    return { ...buffer, close: () => gate.then(() => buffer.close()) };
  };
  return { context: { ...memory, open }, closed };
}

it('held-buffers.H1 who asks while a buffer is being closed has it then', async () => {
  const clock = new ManualClock(0);
  const { context, closed } = slowToClose();
  const buffers = new HeldBuffers(context, clock);
  const first = await buffers.open('iio:device3', options);
  void first.close();
  const second = buffers.open('iio:device3', options);
  await settled();
  closed();
  await (await second).close();
  expect(clock.waiting).toBe(0);
});

it('held-buffers.H1 who asks while it is held is refused after a moment', async () => {
  const clock = new ManualClock(0);
  const buffers = new HeldBuffers(memoryContext(), clock);
  const first = await buffers.open('iio:device3', options);
  const second = expect(buffers.open('iio:device3', options)).rejects.toMatchObject({ errno: errno.EBUSY });
  await buffers.open('iio:device4', options);
  clock.advance(IIOD_RELEASE_MS);
  await second;
  await first.close();
  await buffers.open('iio:device3', options);
});

it('held-buffers.H1 a buffer that could not be opened is held by nobody', async () => {
  const memory = memoryContext();
  memory.held.add('iio:device3');
  const buffers = new HeldBuffers(memory, new ManualClock(0));
  await expect(buffers.open('iio:device3', options)).rejects.toMatchObject({ errno: errno.EBUSY });
  memory.held.clear();
  await buffers.open('iio:device3', options);
});
