/** What the alarms of a target are judged by where no sample comes: after a failover, and when the mission changes. */

import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredAlarm } from '../../../contract/alarm.ts';
import { encodeBatch } from '../../../contract/batch.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { BOX } from '../../telemetry/alarms/watched.ts';
import { valuesOf } from '../../telemetry/platform.ts';
import type { LogBus } from '../telecommand/log-bus.ts';
import { type BoxWorld, boxWorld, CURRENT, changed, HOUR, type Led, VOLTAGE } from './box-world.ts';

let bus: LogBus;
let clock: ManualClock;
let stands: Map<string, StoredAlarm>;
let sampled: BoxWorld['sampled'];
let lead: BoxWorld['lead'];

beforeEach(() => {
  ({ bus, clock, stands, sampled, lead } = boxWorld());
});

describe('after a failover', () => {
  async function failover(): Promise<Led> {
    const first = await lead();
    await first.alarms.stop();
    return lead();
  }

  it('target-alarms.T7 a measure that comes every hour is known at once, and an alarm of it is neither lost nor blind', async () => {
    await sampled({ [VOLTAGE]: 5, 'obc.mode': 2, 'battery[1].load': 6 });
    await clock.run(HOUR, HOUR);
    await sampled({ 'battery[1].cell': 7 });
    const second = await failover();
    expect(stands.get('sat1.battery.1.voltage')?.record).toMatchObject({ severity: 'critical' });
    // The slow half of a condition is there when the fast one turns.
    await sampled({ 'battery[1].cell': 6.1 });
    expect(second.told).toEqual([`flat critical +${HOUR}`]);
  });

  it('target-alarms.T7 what began and ended while nobody led is reported, also where half of its condition came an hour ago', async () => {
    await sampled({ 'battery[1].load': 6 });
    await clock.run(HOUR, HOUR);
    const first = await lead();
    await sampled({ 'battery[1].cell': 7 });
    await clock.run(2_000, 500);
    await first.alarms.stop();
    await sampled({ 'battery[1].cell': 6.1 });
    await clock.run(1_000, 500);
    await sampled({ 'battery[1].cell': 7 });
    const second = await lead();
    expect(second.told).toEqual([`flat critical +${HOUR + 2_000}`, `flat null +${HOUR + 3_000}`]);
  });

  it('target-alarms.T7 what ended while nobody led is found, also when its sample has left the stream', async () => {
    const first = await lead();
    await sampled({ [VOLTAGE]: 5 });
    await first.alarms.stop();
    await sampled({ [VOLTAGE]: 7 });
    await clock.run(HOUR, HOUR);
    await sampled({ 'battery[1].cell': 7 });
    bus.messages(streams.values).splice(0, 2);
    const second = await lead();
    expect(second.told).toEqual([`voltage null +${HOUR}`]);
  });

  it('MC-ALM-029 target-alarms.T7 a current value that came deferred is not known', async () => {
    const first = await lead();
    await clock.run(1_000, 1_000);
    await sampled({ [VOLTAGE]: 5 }, true);
    await clock.run(HOUR, HOUR);
    await first.alarms.stop();
    const second = await lead();
    await sampled({ 'battery[1].cell': 7 });
    expect([first.told, second.told, [...stands]]).toEqual([[], [], []]);
  });

  it('target-alarms.T7 a hold over a measure that comes every hour has held, and is not reported again', async () => {
    const first = await lead();
    await sampled({ [CURRENT]: -2 });
    await clock.run(11_000, 500);
    expect(first.told).toEqual(['draining warning +10000']);
    await clock.run(HOUR, HOUR);
    await sampled({ 'battery[1].cell': 7 });
    await first.alarms.stop();
    const second = await lead();
    await clock.run(20_000, 500);
    expect(second.told).toEqual([]);
    await sampled({ [CURRENT]: 0 });
    expect(second.told).toHaveLength(1);
  });

  it('target-alarms.T7 MC-ALM-028 what only the one before the last sample could say stays as it was', async () => {
    const first = await lead();
    await sampled({ 'obc.resets': 1 });
    await clock.run(1_000, 1_000);
    await sampled({ 'obc.resets': 2 });
    expect(first.told).toEqual(['reset warning +1000']);
    await clock.run(HOUR, HOUR);
    await sampled({ 'battery[1].cell': 7 });
    await first.alarms.stop();
    const second = await lead();
    expect(second.told).toEqual([]);
    await sampled({ 'obc.resets': 2 });
    expect(second.told).toHaveLength(1);
  });
});

it('current-values.V1 a message that is no batch of values is left out, whatever it is instead, and what comes behind it is judged', async () => {
  const { told } = await lead();
  const whole = valuesOf(BOX, [{ ground: clock.now(), raw: { [VOLTAGE]: 5 } }]);
  const [block] = whole.blocks;
  const garbage = [
    null,
    17,
    {},
    { ...whole, blocks: [null] },
    { ...whole, blocks: [{}] },
    { ...whole, blocks: 'x' },
    ...[{ value: undefined }, { value: new Float64Array(9) }, { ordinals: [0] }, { wide: [1] }].map(
      (part) => ({
        ...whole,
        blocks: [{ ...block, ...part }],
      }),
    ),
  ];
  for (const each of garbage)
    await bus.append(streams.values, subject.values('sat1'), encodeBatch(each as never));
  await sampled({ [VOLTAGE]: 5 });
  expect(told).toEqual(['voltage critical +0']);
});

describe('a new mission', () => {
  it('target-alarms.T5 judges by other limits at once, without another sample', async () => {
    const { told, update } = await lead();
    await sampled({ [VOLTAGE]: 7 });
    await clock.run(HOUR, HOUR);
    const narrow = changed(({ battery }) => {
      battery.measures.voltage.limits = { soft: ['7.5 V', '8.4 V'], hard: ['6 V', '9 V'] };
    });
    await update(narrow);
    expect(told).toEqual([`voltage warning +${HOUR}`]);
    await update(BOX);
    expect(told.slice(1)).toEqual([`voltage null +${HOUR}`]);
  });

  it('target-alarms.T8 judges what had no limits before by its current value, however old', async () => {
    const { told, update } = await lead();
    await sampled({ 'battery[1].cell': 3 });
    await clock.run(HOUR, HOUR);
    await sampled({ [VOLTAGE]: 7 });
    const more = changed(({ battery }) => {
      Object.assign(battery.measures.cell, { limits: { soft: ['4 V', '8 V'] } });
    });
    await update(more);
    expect(told).toEqual([`cell warning +${HOUR}`]);
  });

  it('target-alarms.T8 judges by a current value whose message has left the stream', async () => {
    const { told, update } = await lead();
    await sampled({ 'battery[1].cell': 3 });
    bus.messages(streams.values).pop();
    const more = changed(({ battery }) => {
      Object.assign(battery.measures.cell, { limits: { soft: ['4 V', '8 V'] } });
    });
    await update(more);
    expect(told).toEqual(['cell warning +0']);
  });

  it('target-alarms.T8 a new hold has held already, over what came an hour ago and what came just now: found, and the past is not reported', async () => {
    const { told, update } = await lead();
    await sampled({ 'battery[1].load': 6 });
    await clock.run(HOUR, HOUR);
    for (const pauseMs of [2_000, 4_000]) {
      await sampled({ 'battery[1].cell': 6.3 });
      await clock.run(pauseMs, 500);
    }
    const held = changed(({ battery }) => {
      battery.alarms.flat.when = 'cell < 6.5 V and load > 5 W and stable for 5 s';
    });
    await update(held);
    expect(told).toEqual([`flat critical +${HOUR + 6_000}`]);
  });

  it('target-alarms.T8 fills the window of a new condition from what is stored, and goes on from the last message taken', async () => {
    const { told, update } = await lead();
    for (let n = 0; n < 4; n += 1) {
      await sampled({ 'obc.resets': 1 });
      await clock.run(1_000, 1_000);
    }
    const slower = changed(({ obc }) => {
      obc.alarms.restless.when = 'count(resets, 20 s) > 4';
    });
    const updating = update(slower);
    // Stored while the mission is being taken up: taken behind it, once.
    await sampled({ 'obc.resets': 1 });
    await updating;
    expect(told.filter((each) => each.startsWith('restless'))).toEqual([
      'restless warning +2000',
      'restless null +4000',
      'restless warning +4000',
    ]);
    await clock.run(30_000, 500);
    expect(told.at(-1)).toBe('restless null +20000');
  });

  it('target-alarms.T8 a hold that goes on is not begun again by what is read back', async () => {
    const { told, update } = await lead();
    await sampled({ [CURRENT]: -2, 'obc.resets': 1 });
    await clock.run(6_000, 500);
    const next = changed(({ obc }) => {
      obc.alarms.restless.when = 'count(resets, 20 s) > 4';
    });
    await update(next);
    await clock.run(5_000, 500);
    expect(told).toEqual(['draining warning +10000']);
  });

  it('target-alarms.T6 an active alarm that it has no more is back to normal at once, limits and named', async () => {
    const { told, update } = await lead();
    await sampled({ [VOLTAGE]: 5, 'obc.mode': 1 });
    const without = changed(({ battery, obc }) => {
      delete (battery.measures.voltage as { limits?: unknown }).limits;
      delete (obc.alarms as { unsafe?: unknown }).unsafe;
    });
    await update(without);
    expect(told.slice(2).sort()).toEqual(['unsafe null +0', 'voltage null +0']);
  });

  it('target-alarms.T8 that is stopped while it reads back ends, and reports nothing', async () => {
    const first = await lead();
    await sampled({ 'obc.resets': 1 });
    const next = changed(({ obc }) => {
      obc.alarms.restless.when = 'count(resets, 20 s) > 0';
    });
    const updating = first.update(next);
    await first.alarms.stop();
    await updating;
    expect(first.told).toEqual([]);
  });
});
