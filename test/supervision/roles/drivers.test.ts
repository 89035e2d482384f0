/** The decoder of a gateway, as its process has it. */

import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeBatch } from '../../../contract/batch.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { CLOCK_SKEW_MS } from '../../../contract/limits/membership.ts';
import { createSpacecraft } from '../../../links/simulated/spacecraft.ts';
import { markIn } from '../../../messaging/mark-entry.ts';
import type { Entry } from '../../../ports/bus.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import type { Worker, WorkerContext } from '../../../supervision/ownership/owned-worker.ts';
import type { Role, RoleContext } from '../../../supervision/role.ts';
import { startDrivers } from '../../../supervision/roles/drivers.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import type { StoredMessage } from '../../simulation/twin/stored-stream.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { demoMission, TestMissions } from '../../support/missions.ts';
import { noPasses } from '../../support/passes.ts';
import { keptLog } from '../../support/silent-log.ts';

const MARK = 'checkpoint.decoder.sim-1';
const MINUTE = 60_000;

let clock: HeapClock;
let server: TwinServer;
let bus: TwinBus;
let role: Role;
const failures: unknown[] = [];

async function run(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    clock.advance(50);
    await settled();
  }
}

async function during<Value>(work: Promise<Value>): Promise<Value> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  while (!isOver) await run(50);
  return ended;
}

beforeEach(async () => {
  failures.length = 0;
  clock = new HeapClock(1_000_000);
  server = new TwinServer({ now: () => clock.now(), choose: (count) => count - 1 });
  const clocks = { outside: clock, inside: clock };
  const log = keptLog();
  bus = new TwinBus({ server, name: 'test', settleMs: 0, ...clocks, weather: fairWeather, log });
  await run(100);
  const context = {
    bus,
    clock,
    random: seededRandom(1),
    log,
    missions: new TestMissions(demoMission()),
    deadLetters: createDeadLetters(bus, log),
    instance: 'here',
    failpoint: undefined,
    passes: { ...noPasses, ready: Promise.resolve() },
    registry: new Registry(),
  };
  role = await during(startDrivers(context as unknown as RoleContext));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await during(Promise.resolve(role.stop()));
  await during(bus.close());
});

const begin = (epoch: number, more: Partial<WorkerContext> = {}): Promise<Worker> => {
  const { role: decoders } = role.shared.find((each) => each.role.prefix === 'decoder')!;
  const failed = (error: unknown): void => void failures.push(error);
  return during(decoders.start('sim-1', { epoch, holds: () => true, failed, ...more }));
};

const mark = (): Promise<Entry | undefined> => during(bus.bucket(buckets.members).get(MARK));

/** A message with housekeeping of one second. */
async function receive(): Promise<void> {
  const own = new ManualClock(Date.UTC(2026, 0, 1));
  const frames: Buffer[] = [];
  createSpacecraft({ clock: own, seed: 3 }).onDownlink((packet) => frames.push(packet));
  own.advance(1_100);
  const data = encodeBatch({ at: frames.map((_, index) => clock.now() + index), frames });
  await during(bus.append(streams.frames, subject.frames('sim-1'), data));
}

/** Positions of the messages of frames that samples were made of, in the order of the samples. */
const decodedOf = (): string[] =>
  server.stream(streams.decoded).messages.map(({ headers }) => headers[header.source]!);

/** Two messages are decoded by an owner that dies before it has written its low-water mark behind them. */
async function diesBehindItsMark(): Promise<void> {
  const first = await begin(1);
  const { value } = (await mark())!;
  await receive();
  await receive();
  await run(1_500);
  await during(first.stop());
  await during(bus.bucket(buckets.members).overwrite(MARK, value));
  expect(decodedOf()).toEqual(['1', '2']);
}

it('low-water-mark.F2 the low-water mark of a decoder that has rested follows its frames within a second', async () => {
  const worker = await begin(1);
  const next = async (): Promise<unknown> => {
    const entry = await mark();
    return entry && markIn(entry.value)?.stands['next'];
  };
  for (const frames of [1, 2]) {
    await run(MINUTE);
    expect(await next()).toBe(frames);
    await during(bus.append(streams.frames, subject.frames('sim-1'), Buffer.from('no frame')));
    await run(1_500);
    expect(await next()).toBe(frames + 1);
  }
  await during(worker.stop());
  expect(failures).toEqual([]);
});

describe('frames whose samples are stored already', () => {
  const followed = () => vi.spyOn(bus, 'follow');
  const read = (spy: ReturnType<typeof followed>) => spy.mock.calls.filter(([of]) => of === streams.decoded);

  it('decoding-term.J1 are known by their ids while the stream remembers these', async () => {
    await diesBehindItsMark();
    await run(30_000);
    const spy = followed();
    const second = await begin(2);
    await receive();
    await run(1_500);
    await during(second.stop());
    expect(decodedOf()).toEqual(['1', '2', '3']);
    expect(read(spy)).toEqual([]);
  });

  it.each([1, 3, 600])(
    'decoding-term.J1 are found in the stream by an owner that comes %i minutes later',
    async (minutes) => {
      await diesBehindItsMark();
      await run(30_000);
      clock.advance(minutes * MINUTE - 30_000);
      const spy = followed();
      const second = await begin(2);
      await receive();
      await run(1_500);
      await during(second.stop());
      expect(decodedOf()).toEqual(['1', '2', '3']);
      expect(read(spy)).toHaveLength(1);
      expect(failures).toEqual([]);
    },
  );

  it('decoding-term.J1 are not looked for where the stream holds nothing so late', async () => {
    await receive();
    clock.advance(10 * MINUTE);
    const spy = followed();
    const first = await begin(1);
    await run(500);
    await during(first.stop());
    expect(decodedOf()).toEqual(['1']);
    expect(read(spy)).toEqual([]);
  });

  it('decoding-term.J1 a message of frames of which nothing was stored is decoded behind one that was', async () => {
    await diesBehindItsMark();
    await receive();
    clock.advance(5 * MINUTE);
    const second = await begin(2);
    await run(500);
    await during(second.stop());
    expect(decodedOf()).toEqual(['1', '2', '3']);
  });

  /** Frames are handed over to whoever begins now when `open` is called, each time those that are there. */
  function gated(): { open: () => Promise<void> } {
    const follow = bus.follow.bind(bus);
    const waiting: (() => void)[] = [];
    vi.spyOn(bus, 'follow').mockImplementation((stream, of, from, handle, options) => {
      if (stream !== streams.frames) return follow(stream, of, from, handle, options);
      const behindGate = async (message: Parameters<typeof handle>[0]): Promise<void> => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        await handle(message);
      };
      return follow(stream, of, from, behindGate, options);
    });
    const open = async (): Promise<void> => {
      await run(500);
      for (const each of waiting.splice(0)) each();
      await run(500);
    };
    return { open };
  }

  it('decoding-term.J1 are looked for once they are old, although the first ones were not', async () => {
    await diesBehindItsMark();
    await run(20_000);
    const gate = gated();
    const second = await begin(2);
    await gate.open();
    expect(read(vi.mocked(bus.follow) as never)).toEqual([]);
    clock.advance(3 * MINUTE);
    await gate.open();
    expect(read(vi.mocked(bus.follow) as never)).toHaveLength(1);
    expect(decodedOf()).toEqual(['1', '2']);
    await during(second.stop());
  });

  it('decoding-term.J3 nothing that was stored since is looked for, however late it is decoded', async () => {
    const gate = gated();
    await receive();
    const first = await begin(1);
    await gate.open();
    await run(CLOCK_SKEW_MS + 1_000);
    await receive();
    clock.advance(60 * MINUTE);
    await during(bus.append(streams.decoded, subject.decoded('sat1'), Buffer.from('of another gateway')));
    await gate.open();
    expect(read(vi.mocked(bus.follow) as never)).toEqual([]);
    expect(decodedOf()).toEqual(['1', undefined, '2']);
    await during(first.stop());
  });

  it('decoding-term.J3 samples that a server dated before their frames, by a clock that is behind, are found', async () => {
    await receive();
    const [{ at }] = server.stream(streams.frames).messages as [StoredMessage];
    const first = await begin(1);
    await run(500);
    await during(first.stop());
    const [{ data, headers }] = server.stream(streams.decoded).messages as [StoredMessage];
    expect(headers[header.sourceAt]).toBe(String(at));
    await run(10_000);
    const sourceAt = String(clock.now() + 1_000);
    const said = { ...headers, [header.source]: '2', [header.sourceAt]: sourceAt };
    await during(bus.append(streams.decoded, subject.decoded('sat1'), data, { headers: said }));
    while (clock.now() < Number(sourceAt) - 50) await run(50);
    await receive();
    expect(server.stream(streams.frames).messages.at(-1)!.at).toBe(Number(sourceAt));
    clock.advance(5 * MINUTE);
    const second = await begin(2);
    await run(500);
    await during(second.stop());
    expect(decodedOf()).toEqual(['1', '2']);
  });

  it('decoding-term.J2 bytes in that stream that are no batch, or of no message of frames, count for nothing', async () => {
    await diesBehindItsMark();
    const headers = { [header.source]: '1', [header.sourceAt]: '1' };
    const to = subject.decoded('sat1');
    await during(bus.append(streams.decoded, to, Buffer.from('c1', 'hex'), { headers }));
    await during(bus.append(streams.decoded, to, encodeBatch(null as never), { headers }));
    await during(bus.append(streams.decoded, to, Buffer.from('c0', 'hex')));
    clock.advance(5 * MINUTE);
    const second = await begin(2);
    await run(500);
    await during(second.stop());
    expect(decodedOf()).toEqual(['1', '2', '1', '1', undefined]);
    expect(failures).toEqual([]);
  });

  it('decoding-term.J4 who slept and may not be the owner any more stores nothing, and reads on from its mark', async () => {
    let holds = true;
    const first = await begin(1, { holds: () => holds });
    await receive();
    await run(500);
    holds = false;
    await receive();
    await run(500);
    expect(decodedOf()).toEqual(['1']);
    expect(failures).toMatchObject([{ code: 'bus.unavailable' }]);
    await during(first.stop());
    holds = true;
    const again = await begin(2);
    await run(500);
    await during(again.stop());
    expect(decodedOf()).toEqual(['1', '2']);
  });

  it('decoding-term.J1 a reading ends with its owner while the bus is away', async () => {
    await diesBehindItsMark();
    clock.advance(5 * MINUTE);
    const follow = bus.follow.bind(bus);
    vi.spyOn(bus, 'follow').mockImplementation(async (stream, ...rest) => {
      if (stream === streams.decoded) server.turn(false);
      return follow(stream, ...rest);
    });
    const second = await begin(2);
    await run(500);
    let isStopped = false;
    void second.stop().then(() => {
      isStopped = true;
    });
    await run(30_000);
    expect(isStopped).toBe(true);
    server.turn(true);
    await run(5_000);
    expect(decodedOf()).toEqual(['1', '2']);
  });
});
