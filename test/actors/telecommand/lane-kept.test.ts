/**
 * A lane with envelopes kept beside the logs of its telecommands: what it reads of them, and that none is left of what
 * is over.
 */

import { describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { Outage } from '../../../contract/outage.ts';
import type { TelecommandEvent } from '../../../machines/telecommand/telecommand.ts';
import { settled } from '../../support/manual-clock.ts';
import { cellOf, eventsOf, laneWorld, obliging, recorded, submit } from './lane-world.ts';
import { LogBus } from './log-bus.ts';

/** Counts the followers of logs of telecommands. */
class WatchedBus extends LogBus {
  histories = 0;

  override follow(...args: Parameters<LogBus['follow']>): ReturnType<LogBus['follow']> {
    if (args[0].name === streams.telecommandEvents.name) this.histories += 1;
    return super.follow(...args);
  }
}

const keysOf = (bus: LogBus): string[] => [...bus.bucket(buckets.actors).entries.keys()];
const floorOf = (bus: LogBus): number => {
  const entry = bus.bucket(buckets.members).entries.get('checkpoint.lane.sat1');
  return (JSON.parse(Buffer.from(entry!.value).toString()) as { submission: number }).submission;
};
const verified = (at: number): TelecommandEvent => ({ type: 'verification.satisfied', at });

/** Three telecommands wait for their verification, and are kept. */
async function waiting(bus = new WatchedBus()) {
  const world = laneWorld({ bus, isKept: true });
  obliging(bus, world.clock);
  await world.lane.start();
  for (const n of [1, 2, 3]) await submit(bus, n);
  await world.run(3_000);
  expect(world.states(3)).toEqual(['PENDING', 'ENCODED', 'SENT']);
  expect(keysOf(bus)).toHaveLength(3);
  return { ...world, bus };
}

describe('a lane taken over', () => {
  it('makes no consumer for a telecommand that is kept, and one for each that is not', async () => {
    const before = await waiting();
    await before.lane.stop();
    before.bus.bucket(buckets.actors).entries.delete(`telecommand.${cellOf(2)}`);
    before.bus.histories = 0;
    const next = laneWorld({ bus: before.bus, clock: before.clock, epoch: 2, isKept: true });
    obliging(before.bus, before.clock);
    await next.lane.start();
    await settled();
    expect(next.kind.live).toBe(3);
    expect(before.bus.histories).toBe(1);
    for (const n of [1, 2, 3]) next.kind.tell(cellOf(n), verified(before.clock.now()));
    await next.run(3_000);
    expect(next.states(2)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFIED']);
    expect(next.failures).toEqual([]);
    expect(keysOf(before.bus)).toEqual([]);
  });

  it('keeps what it had to read from the log, for the next one', async () => {
    const before = await waiting();
    await before.lane.stop();
    before.bus.bucket(buckets.actors).entries.clear();
    const next = laneWorld({ bus: before.bus, clock: before.clock, epoch: 2, isKept: true });
    await next.lane.start();
    await next.run(4_000);
    expect(keysOf(before.bus)).toHaveLength(3);
  });
});

describe('what is kept', () => {
  it.each([
    ['nothing was submitted', [], 0],
    ['what was submitted is over', ['REJECTED'], 1],
    ['what was submitted is open', ['ENCODED'], 1],
  ])('leftovers.F2 is listed once at most: %s', async (_, states, times) => {
    const { bus, lane, run } = laneWorld({ isKept: true });
    if (states.length > 0) await submit(bus, 1);
    if (states.length > 0) await recorded(bus, 1, 'PENDING', ...states);
    let listed = 0;
    const bucket = bus.bucket(buckets.actors);
    const list = bucket.list.bind(bucket);
    bucket.list = () => {
      listed += 1;
      return list();
    };
    await lane.start();
    await run(500);
    await submit(bus, 2);
    await run(500);
    expect(listed).toBe(times);
    await lane.stop();
  });
});

describe('what is kept of a telecommand that is over', () => {
  it('lane.J11 is removed, and nothing is ever kept of one that was short', async () => {
    const { bus, kind, clock, run } = await waiting();
    kind.tell(cellOf(1), verified(clock.now()));
    await run(100);
    expect(keysOf(bus)).toEqual([`telecommand.${cellOf(2)}`, `telecommand.${cellOf(3)}`]);
    await submit(bus, 4);
    await run(500);
    kind.tell(cellOf(4), verified(clock.now()));
    await run(4_000);
    expect(keysOf(bus)).not.toContain(`telecommand.${cellOf(4)}`);
  });

  it('cell.C10 is not there of one whose owner may have been overtaken in its sleep', async () => {
    let isOwner = true;
    const world = laneWorld({ isKept: true, isOwner: () => isOwner });
    obliging(world.bus, world.clock);
    await world.lane.start();
    await submit(world.bus, 1);
    await world.run(500);
    isOwner = false;
    await world.run(3_000);
    expect([world.states(1).at(-1), keysOf(world.bus)]).toEqual(['SENT', []]);
  });

  it('leftovers.F2 is removed where the log went back with the store, and only what was kept is left', async () => {
    const { bus, lane, clock } = await waiting();
    await lane.stop();
    bus.messages(streams.telecommands).splice(0);
    bus.messages(streams.telecommandEvents).splice(0);
    const next = laneWorld({ bus, clock, epoch: 2, isKept: true });
    await next.lane.start();
    await next.run(2_000);
    expect(keysOf(bus)).toEqual([]);
  });

  it('leftovers.F1 keeps the low-water mark until it is removed, whatever is in the way of that', async () => {
    const { bus, kind, clock, run } = await waiting();
    const bucket = bus.bucket(buckets.actors);
    const remove = bucket.remove.bind(bucket);
    bucket.remove = async () => {
      throw new Outage('bus.unavailable', 'away');
    };
    for (const n of [1, 2, 3]) kind.tell(cellOf(n), verified(clock.now()));
    await run(3_000);
    expect([kind.live, floorOf(bus)]).toEqual([0, 1]);
    bucket.remove = remove;
    await run(3_000);
    expect([keysOf(bus), floorOf(bus)]).toEqual([[], 4]);
  });

  it('leftovers.F2 is removed by the next owner when this one died before that', async () => {
    const { bus, lane, clock } = await waiting();
    await lane.stop();
    // Its end is stored, and the process has died before it could remove anything.
    await recorded(bus, 1, 'VERIFIED');
    const next = laneWorld({ bus, clock, epoch: 2, isKept: true });
    await next.lane.start();
    await next.run(2_000);
    expect(keysOf(bus)).toEqual([`telecommand.${cellOf(2)}`, `telecommand.${cellOf(3)}`]);
    expect(eventsOf(bus, 1).map(({ state }) => state)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFIED']);
  });

  it('is removed when a quarantined one is given up', async () => {
    const { bus, kind, run, states } = await waiting();
    for (let n = 0; n < 8 && kind.look(cellOf(1))?.status !== 'quarantined'; n += 1) {
      kind.tell(cellOf(1), { type: 'gateway.echoed', at: Number.NaN, conforming: true } as never);
      await run(5_000);
    }
    expect(kind.reset(cellOf(1), 'ada')).toBe(true);
    await run(1_000);
    expect(states(1).at(-1)).toBe('VERIFY_FAILED');
    expect(keysOf(bus)).not.toContain(`telecommand.${cellOf(1)}`);
  });
});

it('low-water-mark.F2 the low-water mark of a lane that has rested follows its telecommands within a second', async () => {
  const { bus, clock, kind, lane, run } = await waiting();
  await run(30_000);
  expect(floorOf(bus)).toBe(1);
  kind.tell(cellOf(1), verified(clock.now()));
  await run(1_000);
  expect(floorOf(bus)).toBe(2);
  await run(30_000);
  for (const n of [2, 3]) kind.tell(cellOf(n), verified(clock.now()));
  await run(1_000);
  expect(floorOf(bus)).toBe(4);
  await run(30_000);
  await submit(bus, 4);
  await run(3_000);
  kind.tell(cellOf(4), verified(clock.now()));
  await run(1_000);
  expect(floorOf(bus)).toBe(5);
  await lane.stop();
});

it('low-water-mark.F2 also where nothing is kept beside its logs', async () => {
  const bus = new WatchedBus();
  const { clock, kind, lane, run } = laneWorld({ bus });
  obliging(bus, clock);
  await lane.start();
  await run(30_000);
  await submit(bus, 1);
  await run(30_000);
  expect(floorOf(bus)).toBe(1);
  kind.tell(cellOf(1), verified(clock.now()));
  await run(1_000);
  expect(floorOf(bus)).toBe(2);
  await lane.stop();
});
