/** The owner of a lane from its start to its stop: from where it reads, and what it leaves to the next one. */

import { describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Mission } from '../../../mission/mission.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  cellOf,
  eventsOf,
  heldUp,
  type LaneWorld,
  markOf,
  missionOf,
  obligingWorld,
  recorded,
  SENT,
  submit,
  verified,
} from './lane-world.ts';

const heirOf = ({ bus, clock }: LaneWorld, epoch = 2): LaneWorld => obligingWorld({ bus, clock, epoch });

describe('the owner of a lane', () => {
  it('reads on from its low-water mark where something else of the bus is lost (lane.J10)', async () => {
    const one = obligingWorld();
    // Over long ago: its events have aged away.
    await submit(one.bus, 1);
    const before = Buffer.from(JSON.stringify({ epoch: 0, submission: 2 }));
    await one.bus.bucket(buckets.members).overwrite('checkpoint.lane.sat1', before);
    one.bus.lostUntil = one.clock.now() + 500;
    one.clock.advance(1_000);
    await submit(one.bus, 2);
    await one.lane.start();
    await one.run(100);
    expect([one.states(1), one.states(2)]).toEqual([[], SENT]);
    expect(one.failures).toEqual([]);
    await one.lane.stop();
  });

  it('starts again where the submissions that it follows went back (lane.J10)', async () => {
    const one = obligingWorld();
    await one.lane.start();
    one.bus.wentBack(streams.telecommandEvents);
    expect(one.failures).toEqual([]);
    one.bus.wentBack(streams.telecommands);
    expect(one.failures).toEqual([expect.objectContaining({ code: 'bus.unavailable' })]);
    expect(String(one.failures[0])).toContain(streams.telecommands.name);
    await one.lane.stop();
  });

  it('that has stopped listens to nothing any more and has no telecommand under way', async () => {
    const one = obligingWorld();
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    expect(one.states(1)).toEqual(SENT);
    await one.lane.stop();
    await one.run(0);
    expect(one.bus.listening).toBe(0);
    expect([...one.kind.ids()]).toEqual([]);
    await submit(one.bus, 2);
    await one.run(70_000);
    expect([one.states(1), one.states(2)]).toEqual([SENT, []]);
  });

  it('that stops while it takes a telecommand up leaves it to the next one', async () => {
    const { holds, look } = heldUp();
    const one = obligingWorld({ holds });
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    const stopping = one.lane.stop();
    look();
    await stopping;
    expect([one.states(1), markOf(one.bus), one.said]).toEqual([[], 1, []]);
    const next = heirOf(one);
    await next.lane.start();
    await next.run(100);
    expect(next.states(1)).toEqual(SENT);
    await next.lane.stop();
  });
});

describe('what an owner takes up', () => {
  it('waits for an outage in which its configuration cannot be read, and is not ended by it', async () => {
    let away = 3;
    const at = (): Mission => {
      away -= 1;
      if (away >= 0) throw new Outage('bus.unavailable', 'away');
      return verified;
    };
    const one = obligingWorld({ at });
    await submit(one.bus, 1, { revision: 'one' });
    await submit(one.bus, 2);
    await one.lane.start();
    for (let n = 0; n < 5; n += 1) await one.run(100);
    expect([one.states(1), one.states(2)]).toEqual([SENT, SENT]);
    await one.lane.stop();
  });

  it('is begun when it comes again, where it could not be begun before, and has kept no turn', async () => {
    const one = obligingWorld();
    const start = one.kind.start.bind(one.kind);
    let fails = 1;
    one.kind.start = (...given) => {
      fails -= 1;
      if (fails >= 0) throw new Error('it is live already');
      return start(...given);
    };
    await submit(one.bus, 1);
    await submit(one.bus, 2);
    await one.lane.start();
    for (let n = 0; n < 3; n += 1) await one.run(100);
    expect([one.states(1), one.states(2)]).toEqual([SENT, SENT]);
    await one.lane.stop();
  });

  it('O4 is rejected at once where it may not go, and waits for nobody before it', async () => {
    const one = obligingWorld();
    const { answer } = one.bus;
    one.bus.answer = (to, call) => (to.endsWith('.send') ? new Promise(() => undefined) : answer(to, call));
    await submit(one.bus, 1);
    await submit(one.bus, 2, { withdrawn: 'withdrawn by executor-2' });
    await one.lane.start();
    await one.run(100);
    expect([one.states(1), one.states(2)]).toEqual([
      ['PENDING', 'ENCODED'],
      ['PENDING', 'REJECTED'],
    ]);
    await one.lane.stop();
  });

  it('is not asked about again where it had begun: who holds its target now is nothing to what has left', async () => {
    let asked = 0;
    const refusal = async (): Promise<string> => {
      asked += 1;
      return 'sat1 is held by run r';
    };
    const one = obligingWorld({
      holds: { refusal, unheld: async () => undefined, stop: async () => undefined },
    });
    await submit(one.bus, 1);
    await recorded(one.bus, 1, ...SENT);
    await one.lane.start();
    await one.run(100);
    expect([one.states(1), asked]).toEqual([SENT, 0]);
    await one.lane.stop();
  });

  it.each([
    ['declares no verification', missionOf(undefined), 'COMPLETE', undefined],
    [
      'cannot be found any more',
      undefined,
      'VERIFY_FAILED',
      'it left and was not verified: the configuration it was resolved with is not stored any more, or does not define it',
    ],
  ])(
    'MC-TC-038 is not said to be complete unless its catalogue declares no verification: it was sent, and its catalogue %s',
    async (_, mission, state, detail) => {
      const one = obligingWorld({ at: () => mission });
      await submit(one.bus, 1, { revision: 'one' });
      await recorded(one.bus, 1, ...SENT);
      await one.lane.start();
      await one.run(100);
      expect(one.states(1)).toEqual([...SENT, state]);
      expect(eventsOf(one.bus, 1).at(-1)?.detail).toBe(detail);
      await one.lane.stop();
    },
  );
});

describe('an owner that cannot deal with what its streams lost', () => {
  /** Two telecommands that were sent, and the submission of the second is gone. */
  async function gone(): Promise<LaneWorld> {
    const one = obligingWorld();
    await one.lane.start();
    for (const n of [1, 2]) {
      await submit(one.bus, n);
      await one.run(3_000);
      expect(one.states(n)).toEqual(SENT);
    }
    await one.lane.stop();
    one.clock.advance(5_000);
    one.bus.messages(streams.telecommands).splice(1);
    return one;
  }

  /** The events are not read from a time on; until what it gives is called. */
  function unread({ bus }: LaneWorld, why: Error): () => void {
    const { follow } = bus;
    bus.follow = async (...given) => {
      const [stream, , from] = given;
      if (stream.name === streams.telecommandEvents.name && from.from === 'time') throw why;
      return follow.apply(bus, given);
    };
    return () => {
      bus.follow = follow;
    };
  }

  it.each([
    ['refused', new Error('refused by the bus'), 1],
    ['away', new Outage('bus.unavailable', 'away'), 0],
  ])('taking-over.R3 leaves it to the next one: the bus is %s', async (_, why, failures) => {
    const one = await gone();
    const readable = unread(one, why);
    const two = heirOf(one);
    await two.lane.start();
    await two.run(5_000);
    expect(two.failures).toEqual(Array.from({ length: failures }, () => why));
    await submit(one.bus, 3);
    await two.run(5_000);
    expect([two.states(2), two.states(3)]).toEqual([SENT, SENT]);
    await two.lane.stop();
    readable();
    const three = heirOf(one, 3);
    await three.lane.start();
    await three.run(100);
    expect(three.states(2)).toEqual([...SENT, 'VERIFY_FAILED']);
    expect(eventsOf(one.bus, 2).at(-1)?.detail).toContain('its submission is lost');
    expect([...three.kind.ids()]).toEqual([cellOf(1), cellOf(3)]);
    expect(three.failures).toEqual([]);
    await three.lane.stop();
  });

  it('O2 leaves it to the next one, where it could not begin: what its dead predecessor had sent is not sent again', async () => {
    const dead = obligingWorld();
    await dead.lane.start();
    await submit(dead.bus, 1);
    await dead.run(1_500);
    // Sent, and not yet known to the low-water mark.
    await submit(dead.bus, 2);
    await dead.run(300);
    expect([dead.states(1), dead.states(2)]).toEqual([SENT, SENT]);
    dead.bus.messages(streams.telecommandEvents).splice(0);
    const { bus } = dead;
    const clock = new ManualClock(dead.clock.now() + 10_000);
    const two = obligingWorld({ bus, clock, epoch: 2 });
    bus.followsToFail = 1;
    await expect(two.lane.start()).rejects.toThrow('not followed');
    await two.lane.stop();
    const three = obligingWorld({ bus, clock, epoch: 3 });
    await three.lane.start();
    await three.run(1_000);
    for (const n of [1, 2]) expect(three.states(n), `${n}`).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
    expect(three.sent).toHaveLength(2);
    await three.lane.stop();
  });
});
