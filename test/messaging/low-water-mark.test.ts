import { expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import type { KnownIn } from '../../messaging/known-past.ts';
import { LowWaterMark } from '../../messaging/low-water-mark.ts';
import { LogBus } from '../actors/telecommand/log-bus.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { keptLog } from '../support/silent-log.ts';

function markOf(bus: LogBus, epoch: number, known: readonly KnownIn[] = [], reportsMoves?: true) {
  const clock = new ManualClock(0);
  const losses: Error[] = [];
  const at = { next: 1, asked: 0 };
  const mark = new LowWaterMark({
    bus,
    clock,
    log: keptLog(),
    name: 'decoder.gw',
    epoch,
    first: { next: 1 },
    stands: () => {
      at.asked += 1;
      return { next: at.next };
    },
    known: () => known,
    ...(reportsMoves && { reportsMoves }),
    lost: (error) => void losses.push(error),
  });
  const take = async (): Promise<number> => {
    at.next = (await mark.take()).next;
    mark.keep();
    return at.next;
  };
  return { clock, mark, take, at, losses };
}

const stored = (bus: LogBus): unknown => {
  const entry = bus.bucket(buckets.members).entries.get('checkpoint.decoder.gw');
  return JSON.parse(Buffer.from(entry!.value).toString());
};

it('is where the owner before stood', async () => {
  const bus = new LogBus();
  const old = markOf(bus, 1);
  expect(await old.take()).toBe(1);
  old.at.next = 7;
  await old.mark.stop();
  expect(await markOf(bus, 2).take()).toBe(7);
  expect(stored(bus)).toEqual({ epoch: 2, next: 7 });
});

it('a write whose answer an outage took is not taken for that of another owner', async () => {
  const bus = new LogBus();
  const { clock, mark, take, at, losses } = markOf(bus, 1);
  await take();
  bus.bucket(buckets.members).loseAnswer = true;
  for (const next of [6, 7, 8, 9]) {
    at.next = next;
    await clock.run(1_000, 100);
  }
  expect(losses).toEqual([]);
  expect(stored(bus)).toEqual({ epoch: 1, next: 9 });
  await mark.stop();
});

it('low-water-mark.F1 an owner is notified when another one has taken it', async () => {
  const bus = new LogBus();
  const old = markOf(bus, 1);
  await old.take();
  await markOf(bus, 2).take();
  old.at.next = 6;
  await old.clock.run(1_000, 100);
  expect(old.losses.map(String)).toEqual(['Error: another owner wrote the low-water mark of decoder.gw']);
  await old.mark.stop();
  expect(stored(bus)).toEqual({ epoch: 2, next: 1 });
});

it('low-water-mark.F1 is not taken from a newer owner by one that was only asleep', async () => {
  const bus = new LogBus();
  await markOf(bus, 7).take();
  await expect(markOf(bus, 6).take()).rejects.toThrow('another owner takes decoder.gw');
});

it('low-water-mark.F9 one that stops before it has dealt with a loss leaves it as it was to the next one', async () => {
  const bus = new LogBus();
  bus.now = () => 500;
  for (const body of ['one', 'two']) await bus.append(streams.frames, 'frame', Buffer.from(body));
  const dead = markOf(bus, 1, [{ stream: streams.frames, seq: 2, at: 500 }]);
  await dead.take();
  dead.at.next = 3;
  await dead.clock.run(1_000, 100);
  bus.messages(streams.frames).splice(0);
  const next = markOf(bus, 2, [{ stream: streams.frames, seq: 1, at: 900 }]);
  await next.mark.take();
  const { wentBack } = next.mark;
  expect(wentBack).toEqual({ streams: new Set([streams.frames.name]), since: 500, until: 2_500 });
  bus.now = () => 900;
  await bus.append(streams.frames, 'frame', Buffer.from('three'));
  next.at.next = 2;
  await next.mark.stop();
  const last = markOf(bus, 3);
  expect((await last.mark.take()).next).toBe(3);
  expect(last.mark.wentBack).toEqual(wentBack);
});

it('low-water-mark.F2 one whose owner says when it moves is looked at each second while it does, and seldom while it rests', async () => {
  const bus = new LogBus();
  const { clock, mark, take, at } = markOf(bus, 1, [], true);
  await take();
  await clock.run(5_000, 100);
  at.asked = 0;
  await clock.run(60_000, 100);
  expect(at.asked).toBeLessThanOrEqual(6);
  for (const next of [6, 7, 8]) {
    at.next = next;
    mark.moved();
    await clock.run(1_000, 100);
    expect(stored(bus)).toEqual({ epoch: 1, next });
  }
  await mark.stop();
  expect(clock.waiting).toBe(0);
  mark.moved();
  expect(clock.waiting).toBe(0);
});

it('low-water-mark.F2 what changes a moment behind the last time that its owner said so is written like all before', async () => {
  const bus = new LogBus();
  const { clock, mark, take, at } = markOf(bus, 1, [], true);
  await take();
  await clock.run(20_000, 100);
  mark.moved();
  await clock.run(1_500, 100);
  at.next = 9;
  await clock.run(1_000, 100);
  expect(stored(bus)).toEqual({ epoch: 1, next: 9 });
  await mark.stop();
});

it('low-water-mark.F2 what its owner does not say is found all the same, ten seconds later', async () => {
  const bus = new LogBus();
  const { clock, mark, take, at } = markOf(bus, 1, [], true);
  await take();
  await clock.run(20_000, 100);
  at.next = 6;
  await clock.run(10_000, 100);
  expect(stored(bus)).toEqual({ epoch: 1, next: 6 });
  // From then on it moves.
  at.next = 7;
  await clock.run(1_000, 100);
  expect(stored(bus)).toEqual({ epoch: 1, next: 7 });
  await mark.stop();
});

it('low-water-mark.F2 one whose owner says nothing is looked at each second, however long it rests', async () => {
  const bus = new LogBus();
  const { clock, mark, take, at } = markOf(bus, 1);
  await take();
  await clock.run(60_000, 100);
  at.next = 6;
  await clock.run(1_000, 100);
  expect(stored(bus)).toEqual({ epoch: 1, next: 6 });
  await mark.stop();
});

it('low-water-mark.F2 one that cannot be written is tried each second until it is', async () => {
  const bus = new LogBus();
  const { clock, mark, take, at } = markOf(bus, 1, [], true);
  await take();
  await clock.run(20_000, 100);
  bus.bucket(buckets.members).away = true;
  at.next = 6;
  mark.moved();
  await clock.run(30_000, 100);
  bus.bucket(buckets.members).away = false;
  await clock.run(1_000, 100);
  expect(stored(bus)).toEqual({ epoch: 1, next: 6 });
  await mark.stop();
});
