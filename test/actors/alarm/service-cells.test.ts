/** The alarm service and its cells, over a bus in memory: who is woken, who may be commanded, who is set aside. */

import { expect, it } from 'vitest';
import { alarmKey } from '../../../contract/alarm-name.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { AskedReactions, command, NOON, nameOf, SaidMissions, says } from './alarm-world.ts';
import { AskedBus, leader, pass, recordOf, stateOf } from './memory-leader.ts';

const keyOf = (alarm: string): string => alarmKey(nameOf(alarm));

it('alarm/service.S2 MC-ALM-049 a new leader wakes what is shelved and what has a reaction under way, and nothing else', async () => {
  const reactions = new AskedReactions();
  const before = await leader({ reactions });
  await says(before.bus, [
    { alarm: 'voltage', severity: 'warning' },
    { alarm: 'current', severity: 'warning' },
    { alarm: 'low', severity: 'critical', onRaise: 'shed_load' },
  ]);
  await pass(before);
  const shelved = await command(before.bus, 'current', { action: 'shelve', forMs: 60_000 });
  expect(shelved).toEqual({ outcome: 'accepted' });
  await before.stop();
  const led = await leader({ epoch: 20, reactions }, before.bus, before.clock);
  await pass(led);
  expect([...led.kind.ids()].sort()).toEqual(['current', 'low'].map(keyOf));
  expect(reactions.awaited).toEqual(['run-1', 'run-1']);
  await pass(led, 60_000);
  expect(recordOf(led, 'current')!.record.cause).toBe('unshelved');
  await led.stop();
});

it('a person may command what is recorded, though its leader does not know of it yet, and nothing else', async () => {
  const before = await leader();
  await says(before.bus, [{ alarm: 'voltage', severity: 'warning' }]);
  await pass(before);
  await before.stop();
  const led = await leader({ epoch: 20 });
  const refused = await command(led.bus, 'voltage', { action: 'acknowledge' });
  expect(refused).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('never been raised') });
  const { value } = before.bus.bucket(buckets.alarms).entries.get(keyOf('voltage'))!;
  await led.bus.bucket(buckets.alarms).overwrite(keyOf('voltage'), value);
  expect(await command(led.bus, 'voltage', { action: 'acknowledge' })).toEqual({ outcome: 'accepted' });
  expect(stateOf(led, 'voltage')).toBe('ACTIVE_ACK');
  await led.stop();
});

it('a change of an alarm that is set aside is not recorded, is said, and holds no other one back', async () => {
  const led = await leader();
  const bucket = led.bus.bucket(buckets.alarms);
  const get = bucket.get.bind(bucket);
  bucket.get = async (key) => {
    if (key === keyOf('voltage')) throw new Error('refused by the bus');
    return get(key);
  };
  await says(led.bus, [{ alarm: 'voltage', severity: 'warning' }]);
  await pass(led, 120_000);
  expect(led.kind.look(keyOf('voltage'))?.status).toBe('quarantined');
  await says(led.bus, [{ alarm: 'voltage', severity: 'critical' }]);
  await says(led.bus, [{ alarm: 'current', severity: 'warning' }]);
  await pass(led, 30_000);
  expect([stateOf(led, 'voltage'), stateOf(led, 'current')]).toEqual([undefined, 'ACTIVE_UNACK']);
  expect(led.said).toContainEqual({
    level: 'error',
    message: 'change of an alarm that is set aside: not recorded',
    fields: { alarm: keyOf('voltage'), change: expect.objectContaining({ severity: 'critical' }) },
  });
  expect([led.service.waiting, led.failures]).toEqual([0, []]);
  await led.stop();
});

it('target-alarms.T6 an alarm whose target is gone is back to normal also where it was evaluated by a clock that is ahead', async () => {
  const missions = new SaidMissions(['voltage'], ['sat1', 'sat2']);
  const led = await leader({ missions }, new AskedBus(), new ManualClock(NOON - 3_600_000));
  await says(led.bus, [{ alarm: 'voltage', severity: 'warning' }]);
  await pass(led);
  const { evaluated } = recordOf(led, 'voltage')!;
  expect(evaluated.at).toBeGreaterThan(led.clock.now());
  missions.publish(['voltage'], ['sat2']);
  await pass(led);
  expect(stateOf(led, 'voltage')).toBe('CLEARED_UNACK');
  expect(recordOf(led, 'voltage')!.evaluated).toEqual({ ...evaluated, at: evaluated.at + 1 });
  await led.stop();
});
