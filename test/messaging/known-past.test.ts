/** What a process knew of its streams where the store went back, low-water mark and all. Decision 27. */

import { beforeEach, expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { type KnownIn, KnownPast } from '../../messaging/known-past.ts';
import { LowWaterMark, type WentBack } from '../../messaging/low-water-mark.ts';
import type { Bus } from '../../ports/bus.ts';
import { HeapClock } from '../../supervision/clock.ts';
import { TwinServer } from '../simulation/twin/server.ts';
import { TwinBus } from '../simulation/twin/twin-bus.ts';
import { fairWeather } from '../simulation/twin/weather.ts';
import { keptLog } from '../support/silent-log.ts';

const LOGS = streams.runs;
const LOG = 'mcs.run.evt.a';

let clock: HeapClock;
let server: TwinServer;
let bus: TwinBus;
let past: KnownPast;

beforeEach(async () => {
  clock = new HeapClock(1_000_000);
  server = new TwinServer({ now: () => clock.now(), choose: () => 0 });
  bus = new TwinBus({
    server,
    name: 'p',
    outside: clock,
    inside: clock,
    weather: fairWeather,
    log: keptLog(),
  });
  past = new KnownPast({ bus, clock, log: keptLog() });
  await pass(10);
});

async function pass(ms: number): Promise<void> {
  const until = clock.now() + ms;
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    while ((clock.next() ?? Number.POSITIVE_INFINITY) <= until) clock.step();
  }
  clock.advanceTo(until);
}

async function settled<Value>(promise: Promise<Value>): Promise<Value> {
  await pass(10);
  return promise;
}

async function append(): Promise<KnownIn> {
  const at = clock.now();
  const stored = await settled(bus.append(LOGS, LOG, Buffer.from('{}')));
  return { stream: LOGS, seq: stored.outcome === 'conflict' ? 0 : stored.seq, subject: LOG, at };
}

async function rewind(to: number): Promise<void> {
  server.turn(false);
  server.rewind(() => to);
  await pass(500);
  server.turn(true);
  await pass(500);
}

/** An owner of a partition; `known` is what it knows. */
function ownerOf(name: string, epoch: number, knows: KnownPast | null = past) {
  const known: KnownIn[] = [];
  const lost: string[] = [];
  const mark = new LowWaterMark({
    bus,
    clock,
    log: keptLog(),
    name,
    epoch,
    first: { next: 1 },
    stands: () => ({ next: 1 }),
    known: () => known,
    about: [LOGS],
    past: knows ?? undefined,
    lost: (error) => void lost.push(error.message),
  });
  const take = async (): Promise<WentBack | undefined> => {
    await settled(mark.take());
    return mark.wentBack;
  };
  return { mark, known, lost, take };
}

it('known-past.K1 K2 an owner begins again at a loss in a stream that it does not follow, and the next one knows of it', async () => {
  const owner = ownerOf('runs.0', 1);
  expect(await owner.take()).toBeUndefined();
  owner.mark.keep();
  owner.known.push(await append());
  await pass(3_000);
  const kept = clock.now();
  await pass(10);
  const last = await append();
  owner.known.splice(0, 1, last);
  await pass(3_000);
  expect(owner.lost).toEqual([]);
  await rewind(kept);
  expect(owner.lost).toEqual(['RUNS does not hold any more what was read of it']);
  await settled(owner.mark.stop());
  const next = ownerOf('runs.0', 2);
  expect(await next.take()).toEqual({ streams: new Set(['RUNS']), since: last.at, until: last.at });
});

it('known-past.K1 what an owner knew that was gone before the store went back is compared by the next one', async () => {
  const owner = ownerOf('runs.0', 1);
  await owner.take();
  owner.mark.keep();
  const kept = clock.now();
  await pass(10);
  owner.known.push(await append());
  await settled(owner.mark.stop());
  await rewind(kept);
  // The low-water mark went back as well: without what the process knew nothing would show the loss.
  expect(await ownerOf('runs.0', 2, null).take()).toBeUndefined();
  expect((await ownerOf('runs.0', 3).take())?.streams).toEqual(new Set(['RUNS']));
});

it('known-past.K3 every partition taken later deals with it, but one whose low-water mark is of a later time', async () => {
  const owner = ownerOf('runs.0', 1);
  await owner.take();
  owner.mark.keep();
  // Of a process that does not know of the loss.
  const later = ownerOf('runs.2', 3, null);
  await later.take();
  later.mark.keep();
  const kept = clock.now();
  await pass(10);
  owner.known.push(await append());
  await rewind(kept);
  expect((await ownerOf('runs.1', 2).take())?.streams).toEqual(new Set(['RUNS']));
  later.known.push(await append());
  await settled(later.mark.stop());
  expect(await ownerOf('runs.2', 4).take()).toBeUndefined();
});

it('known-past.K2 says nothing where what was known is still there', async () => {
  const owner = ownerOf('runs.0', 1);
  await owner.take();
  owner.mark.keep();
  owner.known.push(await append());
  await pass(100);
  await rewind(clock.now());
  expect(owner.lost).toEqual([]);
  await settled(owner.mark.stop());
  expect(await ownerOf('runs.0', 2).take()).toBeUndefined();
});

it('low-water-mark.F6 a loss anywhere on the bus counts for a partition that another process had, until it has been dealt with', async () => {
  const theirs = ownerOf('runs.5', 1, null);
  await theirs.take();
  await settled(theirs.mark.stop());
  const seen: number[] = [];
  await settled(
    bus.follow(streams.values, 'mcs.tm.value.*', { from: 'now' }, ({ at }) => void seen.push(at)),
  );
  const kept = clock.now();
  await pass(10);
  await settled(bus.append(streams.values, 'mcs.tm.value.sat1', Buffer.from('')));
  await rewind(kept);
  const next = ownerOf('runs.5', 2);
  expect(await next.take()).toMatchObject({ streams: new Set(), until: seen[0], elsewhere: true });
  next.mark.keep();
  await settled(next.mark.stop());
  expect(await ownerOf('runs.5', 3).take()).toBeUndefined();
});

/** The bus with another answer to the question for what is known. */
function askedThrough(stillHolds: Bus['stillHolds']): Pick<Bus, 'stillHolds' | 'connected' | 'onConnection'> {
  return {
    stillHolds,
    get connected() {
      return bus.connected;
    },
    onConnection: (listener) => bus.onConnection(listener),
  };
}

it('known-past.K2 one look serves everybody who takes a partition meanwhile', async () => {
  let asked = 0;
  const counting = askedThrough((stream, known) => {
    asked += 1;
    return bus.stillHolds(stream, known);
  });
  const shared = new KnownPast({ bus: counting, clock, log: keptLog() });
  const known = await append();
  shared.join({ known: () => [known], pastIsGone: () => undefined })();
  await settled(Promise.all(Array.from({ length: 32 }, () => shared.losses())));
  expect(asked).toBe(1);
});

it('known-past.K2 a question that is refused when the connection comes back ends no process', async () => {
  const log = keptLog();
  const refusing = askedThrough(() => Promise.reject(new Error('refused')));
  const shared = new KnownPast({ bus: refusing, clock, log });
  const known = await append();
  shared.join({ known: () => [known], pastIsGone: () => undefined })();
  server.turn(false);
  await pass(500);
  server.turn(true);
  await pass(500);
  expect(log.said.map(({ message }) => message)).toContain(
    'what is known of the streams cannot be looked for',
  );
  await Promise.all([expect(shared.losses()).rejects.toThrow('refused'), pass(10)]);
});
