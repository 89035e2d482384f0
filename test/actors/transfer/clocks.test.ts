/** Transfers where the clocks of the processes that create and lead them differ. */

import { expect, it } from 'vitest';
import { createDownload } from '../../../messaging/transfer-writes.ts';
import type { Clock } from '../../../ports/clock.ts';
import { seededBytes, TransferWorld } from './world.ts';

const KEY = 'sat1.7.1';

/** The clock of a process that is so far ahead. */
function clockOf({ clock }: TransferWorld, aheadMs: number): Clock {
  return {
    now: () => clock.now() + aheadMs,
    monotonic: () => clock.monotonic(),
    setTimeout: (fire, delayMs) => clock.setTimeout(fire, delayMs),
    clearTimeout: (handle) => clock.clearTimeout(handle),
  };
}

it('MC-XFER-032 transfer-writes.W5 one that a process with a clock behind creates is dated behind the listing it goes by', async () => {
  const world = await TransferWorld.start();
  await world.manager('one');
  await world.list('7', seededBytes(1_000));
  const listedAt = world.files.file('sat1', '7')!.listedAt;
  const clock = clockOf(world, listedAt - 5_000 - world.now);
  const tools = {
    bus: world.outside,
    clock,
    files: world.files,
    over: { find: async () => undefined },
  };
  await world.finish(createDownload({ target: 'sat1', file_id: '7' }, { by: 'ada' }, world.mission, tools));
  const { actor } = await world.until(KEY, 'VERIFIED');
  const times = actor.changes.map(({ at }) => Date.parse(at));
  expect(times[0]).toBeGreaterThan(listedAt);
  expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
});

it('MC-XFER-032 transfer/record.B3 one that is created by a clock ahead is shown in each of its states, one behind the other', async () => {
  const world = await TransferWorld.start();
  await world.manager('one');
  await world.list('7', seededBytes(1_000));
  const clock = clockOf(world, 60_000);
  const tools = {
    bus: world.outside,
    clock,
    files: world.files,
    over: { find: async () => undefined },
  };
  await world.finish(createDownload({ target: 'sat1', file_id: '7' }, { by: 'ada' }, world.mission, tools));
  await world.until(KEY, 'VERIFIED');
  await world.run(1_000);
  const published = world.published.map(({ transfer, ground }) => [transfer, ground] as const);
  expect(published.map(([state]) => state)).toEqual(['REQUESTED', 'PARTIAL', 'COMPLETE', 'VERIFIED']);
  expect(published.every(([, ground], n) => n === 0 || ground > published[n - 1]![1])).toBe(true);
});

it('MC-XFER-032 transfer-writes.W5 one of the next generation is dated behind the states of the one before', async () => {
  const world = await TransferWorld.start();
  await world.manager('one');
  await world.list('7', seededBytes(1_000));
  const tools = { bus: world.outside, files: world.files, over: { find: async () => undefined } };
  const ahead = { ...tools, clock: clockOf(world, 60_000) };
  await world.finish(createDownload({ target: 'sat1', file_id: '7' }, { by: 'ada' }, world.mission, ahead));
  const first = await world.until(KEY, 'VERIFIED');
  await world.say({ file: '7', transfer: 'VERIFIED', transfer_generation: 1 }, Number.NaN, 60_010);
  await world.list('7', seededBytes(1_000, 2), { generation: 2 });
  const right = { ...tools, clock: clockOf(world, 0) };
  await world.finish(createDownload({ target: 'sat1', file_id: '7' }, { by: 'ada' }, world.mission, right));
  const second = await world.until('sat1.7.2', 'VERIFIED');
  const [last, next] = [first.actor.changes.at(-1)!, second.actor.changes[0]!];
  expect(Date.parse(next.at)).toBeGreaterThan(Date.parse(last.at));
});
