/**
 * What becomes of a partition whose owner gave it up because its own heartbeat failed: on the twin of the bus, in
 * simulated time.
 */

import { expect, it, vi } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { deferred } from '../../../contract/deferred.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { Membership } from '../../../supervision/ownership/membership.ts';
import { Partitions } from '../../../supervision/ownership/partition.ts';
import { highestRanked } from '../../../supervision/ownership/ranking.ts';
import { ProcessClock } from '../../simulation/process-clock.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';

const TTL_MS = 3_000;

function cell() {
  const clock = new HeapClock(1_000_000);
  const server = new TwinServer({ now: () => clock.now(), choose: () => 0 });
  let received = true;
  const run = async (ms: number): Promise<void> => {
    const end = clock.now() + ms;
    for (await settled(); (clock.next() ?? end) < end; await settled()) clock.step();
    clock.advanceTo(end);
  };
  const join = async (instance: string, name: string) => {
    const inside = new ProcessClock(clock, 0);
    const log = keptLog();
    const weather = { ...fairWeather, isHeard: () => received };
    const { arrivals, pulled } = inside;
    const clocks = { outside: clock, inside, arrivals, pulled };
    const bus = new TwinBus({ server, name: instance, ...clocks, weather, log });
    let partitions: Partitions | undefined;
    const membership = new Membership({
      bus,
      clock: inside,
      log,
      instance,
      roles: ['work'],
      ttlMs: TTL_MS,
      changed: () => partitions?.reconcile(),
    });
    const started = membership.start();
    await run(50);
    await started;
    const running = new Set<string>();
    partitions = new Partitions({
      bus,
      clock: inside,
      log,
      instance,
      membership,
      random: { next: () => 0.5 },
      role: {
        role: 'work',
        prefix: 'work',
        start: async (partition) => {
          running.add(partition);
          return { stop: async () => void running.delete(partition) };
        },
      },
      escalated: () => undefined,
    });
    const watching = partitions.start();
    await run(50);
    await watching;
    partitions.want([name]);
    await run(50);
    return { running, clock: inside, membership, bucket: bus.bucket(buckets.members) };
  };
  const silence = (silent: boolean): void => {
    received = !silent;
  };
  const written = (key: string): number =>
    server.bucket(buckets.members).messages.filter(({ subject }) => subject.endsWith(key)).length;
  return { run, join, silence, written };
}

it('a partition given up by a process that lives on is given to the one that ranks higher by then', async () => {
  const [lower, higher] = ['a', 'b'].sort((one) => (highestRanked('part', ['a', 'b']) === one ? 1 : -1));
  const { run, join, silence } = cell();
  const { running: before } = await join(lower!, 'part');
  expect([...before]).toEqual(['part']);
  silence(true);
  await run(0.8 * TTL_MS);
  expect([...before]).toEqual([]);
  silence(false);
  const { running: after } = await join(higher!, 'part');
  await run(3 * TTL_MS);
  expect([[...before], [...after]]).toEqual([[], ['part']]);
});

it('a process that slept takes nothing from those it did not receive meanwhile (membership.E4)', async () => {
  const [lower, higher] = ['a', 'b'].sort((one) => (highestRanked('part', ['a', 'b']) === one ? 1 : -1));
  const { run, join, written } = cell();
  const sleeper = await join(lower!, 'part');
  const owner = await join(higher!, 'part');
  await run(2 * TTL_MS);
  expect([...owner.running]).toEqual(['part']);
  const before = written('partition.work.part');
  sleeper.clock.pause();
  await run(3 * TTL_MS);
  sleeper.clock.resume({ arrivalsFirst: true, pullsExpired: true });
  await run(2 * TTL_MS);
  expect(written('partition.work.part')).toBe(before);
  expect([...owner.running]).toEqual(['part']);
});

it('what somebody else has taken while the silence of the former owner was confirmed is left alone (holding.H4)', async () => {
  const { run, join, written } = cell();
  const { membership, bucket, running } = await join('b', 'other');
  const key = 'partition.work.other';
  const entry = (owner: string): Uint8Array => Buffer.from(JSON.stringify({ owner, after: 0 }));
  const silent = deferred<boolean>();
  const asked = vi.spyOn(membership, 'isSilent').mockReturnValueOnce(silent.promise).mockResolvedValue(false);
  await bucketWrites('gone');
  expect([running.size, asked.mock.calls]).toEqual([0, [['gone']]]);
  await bucketWrites('heir');
  const before = written(key);
  silent.resolve(true);
  await run(2 * TTL_MS);
  expect(written(key)).toBe(before);
  expect([running.size, asked.mock.calls.at(-1)]).toEqual([0, ['heir']]);

  async function bucketWrites(owner: string): Promise<void> {
    const write = bucket.get(key).then((found) => bucket.put(key, entry(owner), found!.revision));
    await run(50);
    expect((await write).outcome).toBe('written');
    await run(50);
  }
});
