/** A new mission for the alarms of a target whose values go on coming meanwhile. */

import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../../support/manual-clock.ts';
import { type BoxWorld, boxWorld, CURRENT, changed } from './box-world.ts';

let world: BoxWorld;

beforeEach(() => {
  world = boxWorld();
});

/** `draining` holds for so many seconds. */
const draining = (seconds: number) =>
  changed(({ battery }) => {
    battery.alarms.draining.when = `current < -1 A and stable for ${seconds} s`;
  });

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
    const { bus, clock, sampled, lead } = world;
    const { told, update } = await lead();
    await sampled({ [CURRENT]: -2 });
    await clock.run(8_000, 500);
    let go = (): void => undefined;
    bus.headAfter = new Promise((resolve) => {
      go = resolve;
    });
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
