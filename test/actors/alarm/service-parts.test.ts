/**
 * The alarm service over a bus in memory: what its leader makes of records that are lost, malformed or of others, and
 * what it leaves behind. Over the real bus: `service.test.ts`.
 */

import { describe, expect, it } from 'vitest';
import { alarmKey, reactionAlarm } from '../../../contract/alarm-name.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Mission } from '../../../mission/mission.ts';
import type { MissionSource } from '../../../ports/mission-source.ts';
import { eventsOf, type LeaderOptions, NOON, nameOf, SaidMissions, says } from './alarm-world.ts';
import { AskedBus, leader, pass, recordOf, stateOf, type World } from './memory-leader.ts';

const VOLTAGE = alarmKey(nameOf('voltage'));
const OTHER = new Error(`another leader writes alarm ${VOLTAGE}`);

/** A leader under which the voltage is out of its limits. */
async function raised(options: Partial<LeaderOptions> = {}): Promise<World> {
  const led = await leader(options);
  await says(led.bus, [{ alarm: 'voltage', severity: 'warning' }]);
  await pass(led);
  expect(stateOf(led, 'voltage')).toBe('ACTIVE_UNACK');
  return led;
}

const holding = { holds: true };

describe('an alarm whose cell has lost its write', () => {
  it.each(['finished', 'quarantined', 'given-up', 'reset', 'too-large'] as const)(
    'is no matter of the leader where it is %s',
    async (why) => {
      const led = await raised();
      led.bus.bucket(buckets.alarms).entries.clear();
      await led.service.gone(VOLTAGE, why);
      expect([led.failures, led.bus.lostUntil]).toEqual([[], undefined]);
      await led.stop();
    },
  );

  it('alarm/service.S7 is lost with its record until its last change, where that is gone under a leader that holds', async () => {
    const led = await raised();
    const changed = Date.parse(recordOf(led, 'voltage')!.record.changed_at!);
    led.bus.bucket(buckets.alarms).entries.clear();
    await led.service.gone(VOLTAGE, 'fenced');
    expect(led.failures).toEqual([expect.objectContaining({ code: 'bus.unavailable' })]);
    expect(String(led.failures[0])).toContain(buckets.alarms.name);
    expect(led.bus.lostUntil).toBe(changed);
    expect(led.said).toContainEqual({
      level: 'error',
      message: 'what was acknowledged of an alarm is lost',
      fields: { alarm: VOLTAGE, until: new Date(changed).toISOString() },
    });
    await led.stop();
  });

  it('alarm/service.S7 is lost until now where its record did not say when it changed', async () => {
    const led = await raised();
    const { changed_at: _, ...record } = recordOf(led, 'voltage')!.record;
    led.service.written(VOLTAGE, { ...recordOf(led, 'voltage')!, record });
    led.bus.bucket(buckets.alarms).entries.clear();
    await led.service.gone(VOLTAGE, 'fenced');
    expect(led.bus.lostUntil).toBe(led.clock.now());
    await led.stop();
  });

  it.each([
    ['its record is there', (_: World): unknown => undefined],
    [
      'the bus does not say',
      ({ bus }: World): unknown => {
        bus.bucket(buckets.alarms).entries.clear();
        bus.bucket(buckets.alarms).get = () => Promise.reject(new Outage('bus.unavailable', 'away'));
        return undefined;
      },
    ],
    [
      'this one leads no more',
      ({ bus }: World): unknown => {
        bus.bucket(buckets.alarms).entries.clear();
        holding.holds = false;
        return undefined;
      },
    ],
  ])('is taken for that of another leader where %s', async (_, change) => {
    holding.holds = true;
    const led = await raised({ holds: () => holding.holds });
    change(led);
    await led.service.gone(VOLTAGE, 'fenced');
    expect([led.failures, led.bus.lostUntil]).toEqual([[OTHER], undefined]);
    await led.stop();
  });

  it('is taken for that of another leader where this one never wrote it', async () => {
    const led = await leader();
    await led.service.gone(VOLTAGE, 'fenced');
    expect([led.failures, led.bus.lostUntil]).toEqual([[OTHER], undefined]);
    await led.stop();
  });
});

describe('a leader', () => {
  it('that has stopped reads nothing, takes no command, has no cell and no failure', async () => {
    const led = await raised();
    const error = new Error('its term is over');
    led.service.lost(error);
    expect(led.failures).toEqual([error]);
    expect([led.bus.serving === undefined, led.bus.listening > 0, [...led.kind.ids()]]).toEqual([
      false,
      true,
      [VOLTAGE],
    ]);
    await led.service.stop();
    expect([led.bus.serving, led.bus.listening, [...led.kind.ids()]]).toEqual([undefined, 0, []]);
    led.service.lost(error);
    expect(led.failures).toEqual([error]);
  });

  it('that cannot read the records can be stopped', async () => {
    const bus = new AskedBus();
    bus.bucket(buckets.alarms).list = () => Promise.reject(new Outage('bus.unavailable', 'away'));
    await expect(leader({}, bus)).rejects.toThrow('away');
  });

  it('skips a malformed record and a malformed key, says so, and goes on with all others', async () => {
    const before = await raised();
    await before.stop();
    const { bus } = before;
    const bucket = bus.bucket(buckets.alarms);
    await bucket.overwrite(alarmKey(nameOf('current')), Buffer.from('no json'));
    const { value } = bucket.entries.get(VOLTAGE)!;
    await bucket.overwrite('nobody', value);
    await bucket.overwrite('old=sat.battery.1.low', value);
    const led = await leader({ epoch: 20 }, bus);
    await says(bus, [{ alarm: 'voltage', severity: null }]);
    await pass(led);
    expect(stateOf(led, 'voltage')).toBe('CLEARED_UNACK');
    const skipped = led.said.filter(({ level }) => level === 'error').map(({ fields }) => fields);
    expect(skipped).toEqual([
      { key: alarmKey(nameOf('current')), bucket: buckets.alarms.name },
      { key: 'nobody', bucket: buckets.alarms.name },
      { key: 'old=sat.battery.1.low', bucket: buckets.alarms.name },
    ]);
    expect(led.failures).toEqual([]);
    await led.stop();
  });

  it('MC-ALM-053 keeps events as long as the mission says, and as the stream does while there is none', async () => {
    const DAY = 86_400_000;
    const missions = new SaidMissions(['voltage']);
    const { settings } = missions.current;
    missions.current = {
      ...missions.current,
      settings: { ...settings, alarmRetentionMs: 3 * DAY },
    } as Mission;
    const led = await leader({ missions });
    expect(led.service.oldest()).toBe(NOON - 3 * DAY);
    await led.stop();
    const none: MissionSource = {
      current: undefined,
      at: async () => undefined,
      onChange: () => () => undefined,
    };
    const idle = await leader({ missions: none });
    expect(idle.service.oldest()).toBe(NOON - streams.alarms.maxAgeMs);
    await idle.stop();
  });
});

describe('what the mission does not have any more', () => {
  const both = [
    { alarm: 'voltage', severity: 'warning' },
    { alarm: 'current', severity: 'warning' },
  ] as const;

  async function bothRaised(missions: SaidMissions): Promise<World> {
    const led = await leader({ missions });
    await says(led.bus, both);
    await pass(led);
    return led;
  }

  it('is back to normal, each alarm of it, also under a leader that finds it so', async () => {
    const before = await bothRaised(new SaidMissions(['voltage', 'current']));
    await before.stop();
    expect(both.map(({ alarm }) => stateOf(before, alarm))).toEqual(['ACTIVE_UNACK', 'ACTIVE_UNACK']);
    const led = await leader({ epoch: 20, missions: new SaidMissions([]) }, before.bus);
    await pass(led);
    expect(both.map(({ alarm }) => stateOf(led, alarm))).toEqual(['CLEARED_UNACK', 'CLEARED_UNACK']);
    await led.stop();
  });

  it('target-alarms.T6 is back to normal with its target, which is read no more, and stays so', async () => {
    const missions = new SaidMissions(['voltage', 'current'], ['sat1', 'sat2']);
    const led = await bothRaised(missions);
    await says(led.bus, [{ alarm: 'voltage', severity: 'warning' }], 'sat2');
    await pass(led);
    const { listening } = led.bus;
    const { evaluated } = recordOf(led, 'voltage')!;
    missions.publish(['voltage', 'current'], ['sat2']);
    await pass(led);
    expect(both.map(({ alarm }) => stateOf(led, alarm))).toEqual(['CLEARED_UNACK', 'CLEARED_UNACK']);
    expect(recordOf(led, 'voltage')!.evaluated.position).toBe(evaluated.position);
    expect(recordOf(led, 'voltage')!.evaluated.at).toBeGreaterThan(evaluated.at);
    expect(led.bus.listening).toBeLessThan(listening);
    await says(led.bus, both);
    await pass(led);
    expect(both.map(({ alarm }) => stateOf(led, alarm))).toEqual(['CLEARED_UNACK', 'CLEARED_UNACK']);
    const others = (await eventsOf(led.bus)).filter(({ event }) => event.target === 'sat2');
    expect(others.map(({ event }) => event.state)).toEqual(['ACTIVE_UNACK']);
    expect(led.failures).toEqual([]);
    await led.stop();
  });
});

describe('a new mission', () => {
  it('alarm/service.S6 goes on reading the targets that it has as well, and their alarms stand', async () => {
    const missions = new SaidMissions(['voltage'], ['sat1', 'sat2']);
    const led = await leader({ missions });
    await says(led.bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await pass(led);
    const before = led.bus.following(streams.values);
    missions.publish(['voltage', 'current'], ['sat1', 'sat2']);
    await pass(led);
    const now = led.bus.following(streams.values);
    expect(now.length).toBe(2);
    for (const [n, follower] of now.entries()) expect(follower).toBe(before[n]);
    expect(stateOf(led, 'voltage')).toBe('ACTIVE_UNACK');
    await led.stop();
  });

  it('that cannot be taken up ends the term', async () => {
    const missions = new SaidMissions(['voltage'], ['sat1']);
    const led = await leader({ missions });
    led.bus.followsToFail = 1;
    missions.publish(['voltage'], ['sat1', 'sat2']);
    await pass(led);
    expect(led.failures).toEqual([expect.objectContaining({ code: 'bus.unavailable' })]);
    await led.stop();
  });

  it('is not taken up by a leader that has stopped meanwhile', async () => {
    const missions = new SaidMissions(['voltage'], ['sat1']);
    const led = await leader({ missions });
    await says(led.bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await pass(led);
    missions.publish(['voltage'], ['sat2']);
    const stopped = led.service.stop();
    await pass(led);
    await stopped;
    expect(stateOf(led, 'voltage')).toBe('ACTIVE_UNACK');
    expect(led.bus.listening).toBe(0);
    await led.stop();
  });
});

it('a change that its cell cannot store yet is waited for, and is not taken for recorded', async () => {
  const led = await leader();
  const bucket = led.bus.bucket(buckets.alarms);
  const put = bucket.put.bind(bucket);
  bucket.put = () => Promise.reject(new Outage('bus.unavailable', 'away'));
  await says(led.bus, [{ alarm: 'voltage', severity: 'warning' }]);
  await pass(led, 60_000);
  expect(led.service.waiting).toBe(1);
  expect(led.said.filter(({ level }) => level === 'error')).toEqual([]);
  bucket.put = put;
  await pass(led, 60_000);
  expect([led.service.waiting, stateOf(led, 'voltage')]).toEqual([0, 'ACTIVE_UNACK']);
  await led.stop();
});

describe('failures of reactions', () => {
  it('alarm/service.S5 are reported one after the other, also one that comes while the second is being reported', async () => {
    const led = await leader();
    const name = nameOf('voltage');
    const report = (n: number): Promise<boolean> =>
      led.service.report(name, { report: n, reason: `run ${n}` });
    const [first, second] = [report(1), report(2)];
    expect(await first).toBe(true);
    const third = report(3);
    expect(await Promise.all([second, third])).toEqual([true, true]);
    const about = reactionAlarm('voltage');
    const told = (await eventsOf(led.bus)).filter(({ event }) => event.alarm === about);
    expect(told.map(({ event: { state, value } }) => [state, value])).toEqual(
      [1, 2, 3].flatMap((n) => [
        ['ACTIVE_UNACK', `run ${n}`],
        ['CLEARED_UNACK', `run ${n}`],
      ]),
    );
    await led.stop();
  });

  it('is not reported by a leader that has stopped', async () => {
    const led = await leader();
    await led.stop();
    expect(await led.service.report(nameOf('voltage'), { report: 1, reason: 'aborted' })).toBe(false);
    expect(await eventsOf(led.bus)).toEqual([]);
  });
});
