import { expect, it } from 'vitest';
import { knownAlarms } from '../../../actors/alarm/known-alarms.ts';
import { firstRead, primeBefore } from '../../../actors/alarm/stored-values.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { ALARM_REPLAY_MARGIN_MS } from '../../../contract/limits/alarm.ts';
import type { Target } from '../../../mission/mission.ts';
import type { AlarmWatch, KnownSample } from '../../../ports/alarm-watch.ts';
import { follow, HOLD_MS, markOf, record, world } from './hold-world.ts';

it('MC-ALM-052 a hold is raised by time alone, behind the last message of the target', async () => {
  const at = world();
  const { told, start } = await follow(at, 1);
  await start();
  await at.says('hot');
  const last = await at.says('other');
  await at.clock.run(HOLD_MS + 1, 100);
  expect(told).toMatchObject([
    { severity: 'critical', at: 105_000, evaluated: { position: last, at: 105_000 } },
  ]);
});

it('MC-ALM-052 target-alarms.T4 a hold is not raised by time while messages that may end it are still to come', async () => {
  const at = world();
  const { told, start } = await follow(at, 1);
  await start();
  at.bus.behind = 1;
  await at.says('hot');
  await at.clock.run(HOLD_MS + 1, 100);
  at.bus.behind = 0;
  await at.says('cool', 'sat1', 103_000);
  await at.clock.run(HOLD_MS + 1, 100);
  expect(told.filter(({ severity }) => severity !== null)).toEqual([]);
});

it('a hold that began before a takeover is raised by the next owner, once', async () => {
  const at = world();
  const first = await follow(at, 1);
  await first.start();
  await at.says('hot');
  await at.says('other');
  await at.clock.run(2_000, 100);
  await first.alarms.stop();
  const second = await follow(at, 2);
  await second.start();
  await at.clock.run(HOLD_MS + 1, 100);
  expect([first.told.length, second.told.length]).toEqual([0, 1]);
});

it('target-alarms.T1 what is recorded up to the low-water mark is fed and not reported again', async () => {
  const at = world();
  const first = await follow(at, 1);
  await first.start();
  await at.says('cool');
  first.stands.set('sat1.obc._.hot', record('ACTIVE_UNACK', { position: 0, at: 0 }));
  await at.says('hot');
  await at.clock.run(HOLD_MS + 1, 100);
  await at.says('cool');
  const last = await at.says('other');
  await at.clock.run(1_100, 100);
  await first.alarms.stop();
  expect(markOf(at.bus)).toMatchObject({ epoch: 1, position: last });
  const second = await follow(at, 2);
  // As if nothing had been recorded: the past is not reported, how it stands is found at the head.
  second.stands.set('sat1.obc._.hot', record('ACTIVE_UNACK', { position: 0, at: 0 }));
  await second.start();
  expect(second.told.map((change) => change.at)).toEqual([at.clock.now()]);
});

it('target-alarms.T4 a hold is waited for once however many messages come, and by nobody who is stopped', async () => {
  const at = world();
  const { alarms, told, failures, start } = await follow(at, 1);
  await start();
  const before = at.clock.waiting;
  await at.says('hot');
  for (let n = 0; n < 3; n += 1) await at.says('other');
  expect(at.clock.waiting).toBe(before + 1);
  await alarms.stop();
  expect(at.clock.waiting).toBe(0);
  await at.says('cool');
  await at.says('hot');
  await at.clock.run(HOLD_MS + 1, 100);
  expect([told, failures, alarms.waiting]).toEqual([[], [], 0]);
});

it('target-alarms.T2 says how many changes are not recorded yet', async () => {
  const at = world();
  const { alarms, told, stands, recorded, start } = await follow(at, 1);
  await start();
  stands.set('sat1.obc._.hot', record('ACTIVE_UNACK', { position: 0, at: 0 }));
  recorded.wait = new Promise((resolve) => {
    recorded.now = resolve;
  });
  await at.says('cool');
  expect([alarms.waiting, told.length]).toEqual([1, 0]);
  recorded.now();
  await at.clock.run(1);
  expect([alarms.waiting, told.length]).toEqual([0, 1]);
});

it('target-alarms.T2 the low-water mark does not pass what is not recorded', async () => {
  const at = world();
  const { stands, start, recorded } = await follow(at, 1);
  await start();
  stands.set('sat1.obc._.hot', record('ACTIVE_UNACK', { position: 0, at: 0 }));
  recorded.wait = new Promise((resolve) => {
    recorded.now = resolve;
  });
  await at.says('cool');
  const last = await at.says('other');
  await at.clock.run(1_100, 100);
  expect(markOf(at.bus)).toMatchObject({ position: 0 });
  recorded.now();
  await at.clock.run(1_100, 100);
  expect(markOf(at.bus)).toMatchObject({ position: last });
});

it('low-water-mark.F2 the low-water mark of a target that has rested follows its values within a second', async () => {
  const at = world();
  const { start, stands, recorded, alarms } = await follow(at, 1);
  await start();
  stands.set('sat1.obc._.hot', record('ACTIVE_UNACK', { position: 0, at: 0 }));
  await at.clock.run(60_000, 500);
  const first = await at.says('other');
  await at.clock.run(1_100, 100);
  expect(markOf(at.bus)).toMatchObject({ position: first });
  await at.clock.run(60_000, 500);
  recorded.wait = new Promise((resolve) => {
    recorded.now = resolve;
  });
  const second = await at.says('cool');
  await at.clock.run(30_000, 500);
  expect(markOf(at.bus)).toMatchObject({ position: first });
  // What was recorded long behind the last value moves it as well.
  recorded.now();
  await at.clock.run(1_100, 100);
  expect(markOf(at.bus)).toMatchObject({ position: second });
  await alarms.stop();
});

it('target-alarms.T5 what nobody saw change is recorded at the head, at the time it is found', async () => {
  const at = world();
  const { told, stands, start } = await follow(at, 1);
  await at.says('cool');
  stands.set('sat1.obc._.hot', record('ACTIVE_ACK', { position: 1, at: 100_000 }));
  await start();
  expect(told).toMatchObject([{ severity: null, at: 100_000, evaluated: { position: 1, at: 100_001 } }]);
});

it('target-alarms.T6 an active alarm that the mission does not have is back to normal', async () => {
  const at = world();
  const { told, stands, start } = await follow(at, 1, { known: false });
  stands.set('sat1.obc._.hot', record('ACTIVE_ACK', { position: 0, at: 5 }));
  await start();
  expect(told).toMatchObject([{ severity: null, at: 100_000 }]);
});

it('target-alarms.T6 what reports a failed reaction is in no mission and stands, and so does all of a target whose catalogue is not known', async () => {
  const reaction = await follow(world(), 1, { known: false });
  reaction.stands.set('sat1.obc._.hot-reaction', record('ACTIVE_ACK', { position: 0, at: 5 }));
  await reaction.start();
  const unknown = await follow(world(), 1, { catalogue: false });
  unknown.stands.set('sat1.obc._.hot', record('ACTIVE_ACK', { position: 0, at: 5 }));
  await unknown.start();
  expect([...reaction.told, ...unknown.told]).toEqual([]);
  expect([...reaction.failures, ...unknown.failures]).toEqual([]);
});

it('what is no batch of values is left out and said', async () => {
  const at = world();
  const { told, failures, start } = await follow(at, 1);
  await start();
  await at.bus.append(streams.values, subject.values('sat1'), Buffer.from([0xc1]));
  await at.says('hot');
  await at.clock.run(HOLD_MS + 1, 100);
  expect(told).toHaveLength(1);
  expect(failures).toEqual([]);
});

it('MC-ALM-001 the alarms of a target: measures with a limit, soft or hard, and the named ones of each instance', () => {
  const measure = (name: string, limits: object, instance?: string) => ({
    component: 'obc',
    instance,
    definition: { name, ...limits },
  });
  const measures = [
    measure('soft', { soft: [0, 1] }),
    measure('hard', { hard: [0, 1] }, '2'),
    measure('both', { soft: [0, 1], hard: [0, 2] }),
    measure('free', {}),
  ];
  const alarms = [
    { component: 'eps', instances: [], name: 'low' },
    { component: 'eps', instances: ['1', '2'], name: 'high' },
  ];
  const target = { name: 'sat1', platform: { measures, alarms } } as unknown as Target;
  expect([...knownAlarms(target)!]).toEqual([
    'sat1.obc._.soft',
    'sat1.obc.2.hard',
    'sat1.obc._.both',
    'sat1.eps._.low',
    'sat1.eps.1.high',
    'sat1.eps.2.high',
  ]);
  expect(knownAlarms({ name: 'sat1' } as Target)).toBeUndefined();
});

it('target-alarms.T7 values are read from the span of the conditions on, and what is older is given as it was known', () => {
  const primed: (readonly KnownSample[])[] = [];
  const watch = { spanMs: 5_000, prime: (known: readonly KnownSample[]) => void primed.push(known) };
  const from = firstRead(1_000_000, watch as unknown as AlarmWatch);
  expect(from).toBe(1_000_000 - 5_000 - ALARM_REPLAY_MARGIN_MS);
  expect(firstRead(1_000_000, undefined)).toBe(1_000_000 - ALARM_REPLAY_MARGIN_MS);
  expect(firstRead(10, undefined)).toBe(0);
  const known = [from - 1, from, from + 1].map((at) => ({ at })) as unknown as KnownSample[];
  primeBefore(watch as unknown as AlarmWatch, known, from);
  expect(primed).toEqual([[{ at: from - 1 }]]);
});
