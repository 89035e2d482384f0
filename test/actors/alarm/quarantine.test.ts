/** Alarms that were quarantined, once a person lets them go on: what their records say of what changed meanwhile. */

import { describe, expect, it } from 'vitest';
import { alarmKey } from '../../../contract/alarm-name.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { storedAlarmBytes } from '../../../contract/stored-alarm.ts';
import { AskedReactions, type LeaderOptions, nameOf, SaidMissions, says } from './alarm-world.ts';
import { AskedBus, leader, pass, recordOf, stateOf, type World } from './memory-leader.ts';

const VOLTAGE = alarmKey(nameOf('voltage'));

/** A leader for whom the record of the voltage can be read again once `corrected` is called. */
async function unreadable(options: Partial<LeaderOptions> = {}, bus = new AskedBus()) {
  const led = await leader(options, bus);
  const bucket = bus.bucket(buckets.alarms);
  const get = bucket.get.bind(bucket);
  let isCorrected = false;
  bucket.get = async (key) => {
    if (key === VOLTAGE && !isCorrected) throw new Error('cannot be read');
    return get(key);
  };
  const corrected = (): void => {
    isCorrected = true;
  };
  return { led, corrected };
}

/** Its cell is asked for until it is quarantined. */
async function quarantined(led: World): Promise<void> {
  led.kind.wake(VOLTAGE);
  await pass(led, 120_000);
  expect(led.kind.look(VOLTAGE)?.status).toBe('quarantined');
}

async function resumed(led: World): Promise<void> {
  expect(led.kind.resume(VOLTAGE)).toBe(true);
  await pass(led, 10_000);
}

describe('an alarm that was quarantined', () => {
  it.each(['resume', 'reset'] as const)(
    'alarm/service.S8 and became critical then is raised behind its %s, with its reaction',
    async (release) => {
      const reactions = new AskedReactions();
      const { led, corrected } = await unreadable({ reactions });
      await quarantined(led);
      await says(led.bus, [{ alarm: 'voltage', severity: 'critical', value: 9, onRaise: 'shed_load' }]);
      await pass(led);
      corrected();
      const releasedAt = led.clock.now();
      expect(led.kind[release](VOLTAGE, 'ada')).toBe(true);
      await pass(led, 10_000);
      const { record } = recordOf(led, 'voltage')!;
      expect(record).toMatchObject({ state: 'ACTIVE_UNACK', severity: 'critical', value: 9, seq: 1 });
      expect(Date.parse(record.changed_at!)).toBeGreaterThanOrEqual(releasedAt);
      expect(reactions.wanted).toMatchObject([{ seq: 1, procedure: 'shed_load' }]);
      await led.stop();
    },
  );

  it.each([
    ['critical', 'ACTIVE_UNACK', 'critical'],
    [null, 'CLEARED_UNACK', 'warning'],
  ] as const)(
    'alarm/service.S8 is compared behind a change that has waited for its cell: %s in the end',
    async (severity, state, recorded) => {
      const { led, corrected } = await unreadable();
      await says(led.bus, [{ alarm: 'voltage', severity: 'warning' }]);
      await quarantined(led);
      await says(led.bus, [{ alarm: 'voltage', severity }]);
      await pass(led, 30_000);
      expect(led.service.waiting).toBe(0);
      corrected();
      await resumed(led);
      expect(recordOf(led, 'voltage')!.record).toMatchObject({ state, severity: recorded, seq: 2 });
      await led.stop();
    },
  );

  it('alarm/service.S8 is compared with its record as a person has corrected it', async () => {
    const bus = new AskedBus();
    await bus.bucket(buckets.alarms).overwrite(VOLTAGE, Buffer.from('{'));
    const led = await leader({}, bus);
    await says(bus, [{ alarm: 'voltage', severity: null }]);
    await quarantined(led);
    const record = { previous: 'NORMAL', state: 'ACTIVE_ACK', severity: 'warning', seq: 1 } as const;
    const stored = storedAlarmBytes({ record, epoch: 1, evaluated: { position: 0, at: 1 } });
    await bus.bucket(buckets.alarms).overwrite(VOLTAGE, stored);
    await resumed(led);
    expect(recordOf(led, 'voltage')!.record).toMatchObject({ state: 'NORMAL', seq: 2 });
    await led.stop();
  });

  it('alarm/service.S8 target-alarms.T6 is back to normal where its target is gone meanwhile', async () => {
    const missions = new SaidMissions(['voltage'], ['sat1', 'sat2']);
    const before = await leader({ missions });
    await says(before.bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await pass(before);
    await before.stop();
    const { led, corrected } = await unreadable({ missions, epoch: 20 }, before.bus);
    await quarantined(led);
    missions.publish(['voltage'], ['sat2']);
    await pass(led);
    expect(stateOf(led, 'voltage')).toBe('ACTIVE_UNACK');
    corrected();
    await resumed(led);
    expect(stateOf(led, 'voltage')).toBe('CLEARED_UNACK');
    await led.stop();
  });

  it('alarm/service.S8 that is quarantined again is compared when it is resumed once more', async () => {
    const { led, corrected } = await unreadable();
    await quarantined(led);
    await says(led.bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await pass(led);
    const said = led.said.filter(({ message }) => message.includes('set aside')).length;
    await resumed(led);
    await pass(led, 120_000);
    expect([led.kind.look(VOLTAGE)?.status, led.failures]).toEqual(['quarantined', []]);
    // What is asked of its cell for the comparison is no change.
    expect(led.said.filter(({ message }) => message.includes('set aside'))).toHaveLength(said);
    corrected();
    await resumed(led);
    expect(stateOf(led, 'voltage')).toBe('ACTIVE_UNACK');
    await led.stop();
  });
});
