/** A new mission for the alarms of a target whose values go on coming meanwhile. */

import { beforeEach, describe, expect, it } from 'vitest';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { Outage } from '../../../contract/outage.ts';
import { settled } from '../../support/manual-clock.ts';
import { BOX } from '../../telemetry/alarms/watched.ts';
import { type BoxWorld, boxWorld, CURRENT, changed, HOUR, VOLTAGE } from './box-world.ts';

let world: BoxWorld;

beforeEach(() => {
  world = boxWorld();
});

/** `draining` holds for so many seconds. */
const draining = (seconds: number) =>
  changed(({ battery }) => {
    battery.alarms.draining.when = `current < -1 A and stable for ${seconds} s`;
  });

const NARROW = changed(({ battery }) => {
  battery.measures.voltage.limits = { soft: ['7.5 V', '8.4 V'], hard: ['6 V', '9 V'] };
});

/** Followers opened from now on have caught up once the function it gives is called. */
function headLater(): () => void {
  let reach = (): void => undefined;
  world.bus.headAfter = new Promise((resolve) => {
    reach = resolve;
  });
  return reach;
}

describe('while messages are still to come', () => {
  it('target-alarms.T4 target-alarms.T5 an active hold that the mission changes is neither cleared nor raised again', async () => {
    const { bus, clock, sampled, lead } = world;
    const { told, update } = await lead();
    await sampled({ [CURRENT]: -2 });
    await clock.run(11_000, 500);
    expect(told).toEqual(['draining warning +10000']);
    bus.behind = 1;
    await sampled({ 'obc.mode': 2 });
    await update(draining(8));
    bus.behind = 0;
    await sampled({ 'obc.mode': 2 });
    await clock.run(1_000, 500);
    expect(told).toEqual(['draining warning +10000']);
  });

  it('target-alarms.T5 other limits are judged by once the head is reached', async () => {
    const { bus, clock, sampled, lead } = world;
    const { told, update } = await lead();
    bus.behind = 1;
    await sampled({ [VOLTAGE]: 7 });
    await update(NARROW);
    expect(told).toEqual([]);
    await clock.run(1_000, 500);
    bus.behind = 0;
    await sampled({ 'obc.mode': 2 });
    expect(told).toEqual(['voltage warning +1000']);
  });

  it('target-alarms.T4 a hold of the new mission is not raised by time over a message that ends it', async () => {
    const { bus, clock, sampled, lead } = world;
    const { told, update } = await lead();
    await sampled({ [CURRENT]: -2 });
    await clock.run(3_000, 500);
    bus.behind = 1;
    await sampled({ 'obc.mode': 2 });
    await clock.run(6_000, 500);
    await update(draining(8));
    await clock.run(6_000, 500);
    expect(told).toEqual([]);
  });

  it('target-alarms.T4 a hold is not raised by time over a message that came while the mission was taken up', async () => {
    const { clock, sampled, lead } = world;
    const { told, update } = await lead();
    await sampled({ [CURRENT]: -2 });
    await clock.run(8_000, 500);
    const go = headLater();
    const updating = update(
      changed(({ obc }) => {
        obc.alarms.restless.when = 'count(resets, 20 s) > 4';
      }),
    );
    await settled();
    await sampled({ [CURRENT]: 0 });
    await clock.run(4_000, 500);
    go();
    await updating;
    await clock.run(1_000, 500);
    expect(told).toEqual([]);
  });
});

describe('before its values have been read', () => {
  it('target-alarms.T5 nothing is said of other limits until the head is reached', async () => {
    const { clock, sampled, lead } = world;
    await sampled({ [VOLTAGE]: 7 });
    await clock.run(HOUR, HOUR);
    const reach = headLater();
    const { told, update } = await lead();
    await update(NARROW);
    await clock.run(1_000, 500);
    expect(told).toEqual([]);
    reach();
    await settled();
    expect(told).toEqual([`voltage warning +${HOUR + 1_000}`]);
  });

  it('target-alarms.T4 the head that is reached meanwhile is not that of what comes behind it', async () => {
    const { clock, sampled, lead } = world;
    await sampled({ [CURRENT]: -2 });
    await clock.run(8_000, 500);
    const reach = headLater();
    const { told, update } = await lead();
    const read = headLater();
    const updating = update(draining(9));
    await settled();
    reach();
    await settled();
    await sampled({ [CURRENT]: 0 });
    await clock.run(4_000, 500);
    read();
    await updating;
    await clock.run(1_000, 500);
    expect(told).toEqual([]);
  });
});

describe('before its first value has been read', () => {
  it('target-alarms.T8 a window that is longer than the one before has what was stored before that', async () => {
    const { bus, clock, sampled, lead } = world;
    await sampled({ 'obc.resets': 1 });
    await sampled({ 'obc.resets': 2 });
    await clock.run(HOUR / 2, HOUR / 2);
    await sampled({ 'obc.mode': 2 });
    let begin = (): void => undefined;
    bus.firstAfter = new Promise((resolve) => {
      begin = resolve;
    });
    const { told, update } = await lead();
    bus.firstAfter = undefined;
    await update(
      changed(({ obc }) => {
        obc.alarms.restless.when = 'count(resets, 1 h) > 0';
      }),
    );
    begin();
    await settled();
    expect(told).toEqual([`restless warning +${HOUR / 2}`]);
  });
});

describe('while it is taken up', () => {
  it('target-alarms.T8 no time passes under the mission before', async () => {
    const { bus, clock, sampled, lead } = world;
    const { told, update } = await lead();
    await sampled({ [CURRENT]: -2 });
    const [following] = bus.following(streams.values);
    const read = headLater();
    const updating = update(draining(60));
    await settled();
    following!.atHead!();
    await clock.run(12_000, 500);
    expect(told).toEqual([]);
    read();
    await updating;
    expect(told).toEqual([]);
  });

  it('an outage is said, and the mission before goes on', async () => {
    const { bus, clock, sampled, lead } = world;
    const { told, update } = await lead();
    await sampled({ [CURRENT]: -2 });
    bus.followsToFail = 1;
    await expect(update(draining(60))).rejects.toThrow(Outage);
    await clock.run(11_000, 500);
    expect(told).toEqual(['draining warning +10000']);
  });

  it('an outage is nothing to one that was stopped, and it has nothing left to record', async () => {
    const { bus, sampled, lead } = world;
    const { alarms, told, update } = await lead();
    await sampled({ [VOLTAGE]: 7 });
    let lose: (outage: Outage) => void = () => undefined;
    bus.headAfter = new Promise((_, reject) => {
      lose = reject;
    });
    const updating = update(draining(60));
    await settled();
    await alarms.stop();
    lose(new Outage('bus.unavailable', 'the follower was stopped'));
    await updating;
    expect([told, alarms.waiting]).toEqual([[], 0]);
  });

  it('one that is stopped takes no message in, and has nothing left to record', async () => {
    const { sampled, lead } = world;
    const { alarms, told, update } = await lead();
    await sampled({ 'obc.resets': 1 });
    const read = headLater();
    const updating = update(
      changed(({ obc }) => {
        obc.alarms.restless.when = 'count(resets, 20 s) > 0';
      }),
    );
    await settled();
    await sampled({ [VOLTAGE]: 5 });
    await alarms.stop();
    read();
    await updating;
    expect([told, alarms.waiting]).toEqual([[], 0]);
  });
});

it('target-alarms.T6 a target whose catalogue is not known any more is judged by nothing, until it is known again', async () => {
  const { clock, sampled, lead } = world;
  const { told, update } = await lead();
  await sampled({ [VOLTAGE]: 5 });
  await update(undefined);
  await sampled({ [VOLTAGE]: 7 });
  await clock.run(1_000, 500);
  expect(told).toEqual(['voltage critical +0']);
  await update(BOX);
  expect(told.slice(1)).toEqual(['voltage null +1000']);
});

it('target-alarms.T1 what turned by time is placed behind the last message of the target, not behind those of others', async () => {
  const { bus, clock, sampled, lead } = world;
  const { told, placed } = await lead();
  bus.behind = 1;
  await sampled({ [CURRENT]: -2 });
  await sampled({ 'obc.mode': 2 });
  await bus.append(streams.values, subject.values('sat2'), Buffer.from([]));
  await clock.run(12_000, 1_000);
  await sampled({ [CURRENT]: -2 });
  expect(told).toEqual(['draining warning +10000']);
  expect(placed.get('draining')).toMatchObject({ position: 2 });
});
