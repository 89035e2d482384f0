/** Whether what is owned is still this process's while its worker is being stopped. */

import { expect, it } from 'vitest';
import { OwnedWorker, type WorkerContext } from '../../../supervision/ownership/owned-worker.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';

it.each([
  ['given back is its own', false],
  ['lost is somebody else’s', true],
])('owned-worker.W6 what is %s until its worker has stopped, and never behind that', async (_how, isLost) => {
  let context: WorkerContext | undefined;
  let finished = (): void => undefined;
  const worker = new OwnedWorker({
    epoch: 1,
    clock: new ManualClock(0),
    log: keptLog(),
    start: async (given) => {
      context = given;
      return { stop: () => new Promise<void>((resolve) => (finished = resolve)) };
    },
    holds: () => true,
    crashed: () => undefined,
  });
  await worker.start();
  const over = worker.end({ isLost });
  await new Promise((resolve) => setImmediate(resolve));
  expect([context?.over?.aborted, context?.holds()]).toEqual([true, !isLost]);
  finished();
  await over;
  expect(context?.holds()).toBe(false);
});
