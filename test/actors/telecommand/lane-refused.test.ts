/** An event that the bus refuses: another owner writes, or the events before it are lost. What a lane has, and has not. */

import { decodeTime } from 'ulid';
import { describe, expect, it } from 'vitest';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { Outage } from '../../../contract/outage.ts';
import type { TelecommandEvent } from '../../../machines/telecommand/telecommand.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  cellOf,
  idOf,
  type LaneWorld,
  laneWorld,
  missionOf,
  obliging,
  recorded,
  SENT,
  submit,
} from './lane-world.ts';

const DRAWN = decodeTime(idOf(1));
const OVERTAKEN = new Error('another owner writes the telecommands of sat1');

/** A lane whose first telecommand is sent, by a clock on which its identifier was drawn a second ago. */
async function sent(options: Parameters<typeof laneWorld>[0] = {}): Promise<LaneWorld> {
  const one = laneWorld({ clock: new ManualClock(DRAWN + 1_000), ...options });
  obliging(one.bus, one.clock);
  await submit(one.bus, 1);
  await one.lane.start();
  await one.run(100);
  expect(one.states(1)).toEqual(expect.arrayContaining(SENT));
  return one;
}

const satisfied = (at: number): TelecommandEvent => ({ type: 'verification.satisfied', at });

/** Its next event, which nobody expects behind what stands there now. */
function echoed({ bus, clock, sent: calls }: LaneWorld): void {
  const echo = { key: calls[0]!.key, target: 'sat1', conforming: true, at: clock.now() };
  bus.publish(subject.echo('gw'), Buffer.from(JSON.stringify(echo)));
}

/** The bus does not say what it still holds, for so many askings. */
function silentFor({ bus }: LaneWorld, times: number): void {
  const stillHolds = bus.stillHolds.bind(bus);
  let left = times;
  bus.stillHolds = async (...about) => {
    left -= 1;
    if (left >= 0) throw new Outage('bus.unavailable', 'away');
    return stillHolds(...about);
  };
}

describe('an event that is refused (lane.J13)', () => {
  it('while the stream has all that was acknowledged is of another owner, and nothing is lost', async () => {
    const one = await sent();
    await recorded(one.bus, 1, 'ECHO');
    echoed(one);
    await one.run(100);
    expect(one.failures).toEqual([OVERTAKEN]);
    expect(one.bus.lostUntil).toBeUndefined();
    await one.lane.stop();
  });

  it('is of another owner also where this one has only read what stands there', async () => {
    const before = await sent();
    await before.lane.stop();
    const heir = laneWorld({ bus: before.bus, clock: before.clock, epoch: 2 });
    await heir.lane.start();
    await heir.run(100);
    await recorded(heir.bus, 1, 'ECHO');
    await heir.lane.gone(cellOf(1), 'fenced');
    expect(heir.failures).toEqual([OVERTAKEN]);
    expect(heir.bus.lostUntil).toBeUndefined();
    await heir.lane.stop();
  });

  it.each([0, 3])(
    'while an acknowledged one is gone is a loss for the whole cell, and an outage, behind %d askings in vain',
    async (times) => {
      const one = await sent();
      const last = one.bus.messages(streams.telecommandEvents).pop()!;
      silentFor(one, times);
      one.clock.advance(50);
      echoed(one);
      await one.run(5_000);
      expect(one.failures).toEqual([expect.objectContaining({ code: 'bus.unavailable' })]);
      expect(String(one.failures[0])).toContain(streams.telecommandEvents.name);
      expect(one.bus.lostUntil).toBe(last.at);
      expect(one.said).toContainEqual({
        level: 'error',
        message: 'events that were acknowledged are lost',
        fields: { target: 'sat1', until: new Date(last.at).toISOString() },
      });
      await one.lane.stop();
    },
  );

  it('is looked into no longer than until the lane stops', async () => {
    const one = await sent();
    one.bus.messages(streams.telecommandEvents).pop();
    silentFor(one, Number.POSITIVE_INFINITY);
    const looking = one.lane.gone(cellOf(1), 'fenced');
    await one.run(5_000);
    await one.lane.stop();
    await looking;
    expect(one.failures).toEqual([]);
  });
});

describe('a telecommand of a lane', () => {
  it('is its own from its beginning to its end, while the lane runs and is this process’s', async () => {
    let isOwner = true;
    const one = await sent({ isOwner: () => isOwner });
    expect([1, 2].map((n) => one.lane.isOwned(cellOf(n)))).toEqual([true, false]);
    isOwner = false;
    expect(one.lane.isOwned(cellOf(1))).toBe(false);
    isOwner = true;
    await one.lane.stop();
    expect(one.lane.isOwned(cellOf(1))).toBe(false);
  });

  it('that is over or was never there is no trouble for whoever names it', async () => {
    const one = await sent({ mission: missionOf(undefined) });
    expect(one.lane.isOwned(cellOf(1))).toBe(false);
    for (const cell of [1, 2].map(cellOf)) {
      expect([one.lane.inputOf(cell), one.lane.servicesOf(cell)]).toEqual([undefined, undefined]);
      await one.lane.resumed(cell);
      one.kind.tell(cell, satisfied(one.clock.now()));
    }
    await one.run(5_000);
    expect(one.kind.trouble()).toEqual({});
    expect([...one.kind.ids()]).toEqual([]);
    expect(one.states(2)).toEqual([]);
    // Nor does it take the turn of the next one.
    await submit(one.bus, 3);
    await one.run(100);
    expect(one.states(3)).toEqual([...SENT, 'COMPLETE']);
    await one.lane.stop();
    await one.lane.gone(cellOf(3), 'fenced');
    expect(one.failures).toEqual([]);
  });
});
