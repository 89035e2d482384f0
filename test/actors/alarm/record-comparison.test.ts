/** What a new alarm leader compares of records and events, over a bus in memory. */

import { expect, it } from 'vitest';
import { eventOf } from '../../../actors/alarm/alarm-event.ts';
import { ComparedMark } from '../../../actors/alarm/compared-mark.ts';
import { takeOver } from '../../../actors/alarm/record-comparison.ts';
import type { AlarmTerm } from '../../../actors/alarm/record-store.ts';
import type { AlarmEvent, AlarmRecord, AlarmState } from '../../../contract/alarm.ts';
import { alarmKey } from '../../../contract/alarm-name.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { storedAlarmBytes } from '../../../contract/stored-alarm.ts';
import { NEVER_EVALUATED } from '../../../machines/alarm/record.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { LogBus } from '../telecommand/log-bus.ts';
import { command, eventsOf, NOON, nameOf, SaidMissions, says } from './alarm-world.ts';
import { AskedBus, leader, pass, recordOf, stateOf, type World } from './memory-leader.ts';

const NAMES = Array.from({ length: 20 }, (_, n) => `a${n}`);
const missions = () => new SaidMissions(NAMES);
const keyOf = (alarm: string): string => alarmKey(nameOf(alarm));

/** A leader under which each alarm was raised, and has stopped. */
async function raised(bus = new AskedBus()): Promise<World> {
  const led = await leader({ missions: missions() }, bus);
  await says(
    bus,
    NAMES.map((alarm) => ({ alarm, severity: 'warning' as const })),
  );
  await pass(led);
  return led;
}

/** What is asked of the bus about single alarms until the next leader leads. */
async function asking(bus: AskedBus, act: () => Promise<unknown>): Promise<string[]> {
  const asked: string[] = [];
  const last = bus.last.bind(bus);
  bus.last = async (stream, about) => {
    if (stream === streams.alarms) asked.push(about.split('.').at(-1)!);
    return last(stream, about);
  };
  await act();
  bus.last = last;
  return [...new Set(asked)];
}

async function next(before: World, epoch = 20): Promise<World> {
  return leader({ epoch, missions: missions() }, before.bus, before.clock);
}

it('record-comparison.O1 asks nothing about what the leader before has published', async () => {
  const before = await raised();
  await before.stop();
  let led: World | undefined;
  expect(await asking(before.bus, async () => (led = await next(before)))).toEqual([]);
  await says(before.bus, [{ alarm: 'a3', severity: null }]);
  await pass(led!);
  expect(stateOf(led!, 'a3')).toBe('CLEARED_UNACK');
  expect((await eventsOf(before.bus, 'a3')).map(({ event }) => event.seq)).toEqual([1, 2]);
  await led!.stop();
});

it('record-comparison.O1 nor does the one behind it, which finds what the second has compared', async () => {
  const before = await raised();
  await before.stop();
  before.bus.bucket(buckets.members).entries.clear();
  const second = await next(before);
  await second.stop();
  const read: string[] = [];
  const follow = before.bus.follow.bind(before.bus);
  before.bus.follow = (stream, about, from, handle, options) =>
    follow(
      stream,
      about,
      from,
      (message) => {
        if (stream === streams.alarms) read.push(message.subject);
        return handle(message);
      },
      options,
    );
  let third: World | undefined;
  expect(await asking(before.bus, async () => (third = await next(before, 30)))).toEqual([]);
  expect(read).toEqual([]);
  await third!.stop();
});

it('record-comparison.O1 asks nothing where no mark is left either: records and events say the same', async () => {
  const before = await raised();
  await before.stop();
  before.bus.bucket(buckets.members).entries.clear();
  let led: World | undefined;
  expect(await asking(before.bus, async () => (led = await next(before)))).toEqual([]);
  expect(led!.failures).toEqual([]);
  await led!.stop();
});

it('record-comparison.O1 MC-ALM-054 asks about one whose event the leader before did not come to publish, and publishes it', async () => {
  const before = await raised();
  await before.stop();
  const bucket = before.bus.bucket(buckets.alarms);
  const { value } = bucket.entries.get(keyOf('a7'))!;
  const written = JSON.parse(Buffer.from(value).toString()) as Record<string, unknown>;
  const cleared = { ...written, previous: 'ACTIVE_UNACK', state: 'CLEARED_UNACK', seq: 2 };
  await bucket.overwrite(keyOf('a7'), Buffer.from(JSON.stringify(cleared)));
  let led: World | undefined;
  expect(await asking(before.bus, async () => (led = await next(before)))).toEqual(['a7']);
  expect((await eventsOf(before.bus, 'a7')).slice(0, 2).map(({ event }) => event.seq)).toEqual([1, 2]);
  await led!.stop();
  expect(await asking(before.bus, async () => (led = await next(before, 30)))).toEqual([]);
  await led!.stop();
});

it('record-comparison.O2 O4 alarm/recovery.V2 a bucket that was emptied is said, and its alarms are recorded again as they were published', async () => {
  const before = await raised();
  expect(await command(before.bus, 'a5', { action: 'acknowledge' })).toEqual({ outcome: 'accepted' });
  await before.stop();
  const published = recordOf(before, 'a5')!.record;
  const bus = new AskedBus();
  for (const each of ['mcs_members', 'mcs_values'] as const)
    for (const [key, { value }] of before.bus.bucket({ name: each } as never).entries)
      await bus.bucket({ name: each } as never).overwrite(key, value);
  bus.now = () => before.clock.now();
  for (const { subject: about, data } of before.bus.messages(streams.alarms))
    await bus.append(streams.alarms, about, data);
  const led = await leader({ epoch: 2_000, missions: missions() }, bus, before.clock);
  expect(NAMES.map((alarm) => stateOf(led, alarm))).toEqual(
    NAMES.map((alarm) => (alarm === 'a5' ? 'ACTIVE_ACK' : 'ACTIVE_UNACK')),
  );
  expect(recordOf(led, 'a5')!.record).toEqual(published);
  expect(bus.lostUntil).toBe(bus.messages(streams.alarms).at(-1)!.at);
  expect(led.said.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('records of alarms are lost'),
  );
  expect(led.failures).toEqual([]);
  await led.stop();
});

it('record-comparison.O4 what claims to be of a later time is no measure of what is lost', async () => {
  const before = await raised();
  await before.stop();
  const mark = before.bus.bucket(buckets.members).entries.get('checkpoint.alarm-records.all')!;
  const bus = new AskedBus();
  bus.now = () => before.clock.now();
  await bus.bucket(buckets.members).overwrite(mark.key, mark.value);
  const event = {
    ...nameOf('a1'),
    seq: 1,
    previous: 'NORMAL',
    state: 'ACTIVE_UNACK',
    at: '9999-01-01T00:00:00Z',
  };
  for (const alarm of NAMES)
    await bus.append(
      streams.alarms,
      subject.alarmEvent(nameOf(alarm)),
      Buffer.from(JSON.stringify({ ...event, alarm, cause: 'condition' })),
    );
  const led = await leader({ epoch: 2_000, missions: missions() }, bus, before.clock);
  expect(bus.lostUntil).toBeLessThanOrEqual(before.clock.now());
  await led.stop();
});

it('record-comparison.O4 a bucket and a stream that were both emptied are said, and nothing is dated', async () => {
  const before = await raised();
  await before.stop();
  const { key, value } = before.bus.bucket(buckets.members).entries.get('checkpoint.alarm-records.all')!;
  const bus = new AskedBus();
  await bus.bucket(buckets.members).overwrite(key, value);
  const led = await leader({ epoch: 2_000, missions: missions() }, bus, before.clock);
  expect(led.said.map(({ message }) => message)).toContain(
    'records and events of alarms are lost: the leader starts without them',
  );
  await led.stop();
});

it('record-comparison.O3 what is malformed is skipped, also where its alarm has events', async () => {
  const before = await raised();
  await before.stop();
  await before.bus.bucket(buckets.alarms).overwrite(keyOf('a1'), Buffer.from('no json'));
  before.bus.bucket(buckets.members).entries.clear();
  const led = await next(before);
  expect(led.said.filter(({ fields }) => (fields as { key?: string }).key === keyOf('a1'))).toHaveLength(1);
  expect(Buffer.from(before.bus.bucket(buckets.alarms).entries.get(keyOf('a1'))!.value).toString()).toBe(
    'no json',
  );
  expect(led.failures).toEqual([]);
  await led.stop();
});

it.each([
  ['noise', 'noise'],
  ['a transition that says no state', JSON.stringify({ ...nameOf('strange'), seq: 1 })],
  [
    'a transition to a state that there is not',
    JSON.stringify({
      ...nameOf('strange'),
      seq: 1,
      previous: 'NORMAL',
      state: 'LOUD',
      at: '2026-01-01T00:00:00Z',
    }),
  ],
  [
    'a transition of no time',
    JSON.stringify({ ...nameOf('strange'), seq: 1, previous: 'NORMAL', state: 'ACTIVE_UNACK', at: 'once' }),
  ],
])('alarm-event.E3 nothing is recorded of what is no event: %s', async (_, said) => {
  const bus = new AskedBus();
  await bus.append(streams.alarms, subject.alarmEvent(nameOf('strange')), Buffer.from(said));
  const led = await leader({ missions: missions() }, bus);
  expect(bus.bucket(buckets.alarms).entries.size).toBe(0);
  expect(led.failures).toEqual([]);
  await led.stop();
});

/** A takeover by hand, of what stands on this bus. */
function takingOver(bus: LogBus, epoch = 7) {
  const seen = { written: [] as string[], published: [] as number[], lost: [] as string[], known: 0 };
  const over = new AbortController();
  const log = keptLog();
  const compared = new ComparedMark({ bus, clock: new ManualClock(NOON), log, epoch, lost: () => undefined });
  const term: AlarmTerm = {
    epoch,
    holds: () => !over.signal.aborted,
    lost: () => undefined,
    written: (key) => void seen.written.push(key),
    published: (_, { record }) => void seen.published.push(record.seq),
    oldest: () => 0,
    heads: new Map(),
    eventsLost: (key) => void seen.lost.push(key),
    writing: (key) => compared.writing(key),
    comparing: (key) => compared.comparing(key),
  };
  const known = (): void => {
    seen.known += 1;
  };
  const take = (): Promise<void> => takeOver({ bus, log, term, compared, signal: over.signal, known });
  return { seen, over, compared, take };
}

const record = (seq: number, state: AlarmState = 'NORMAL'): AlarmRecord => ({
  previous: 'CLEARED_UNACK',
  state,
  seq,
  changed_at: new Date(NOON + seq).toISOString(),
  cause: 'acknowledged',
});

async function busWith(stored: readonly AlarmRecord[], published: readonly AlarmRecord[]): Promise<LogBus> {
  const bus = new LogBus();
  bus.now = () => NOON;
  for (const each of stored) {
    const bytes = storedAlarmBytes({ record: each, evaluated: NEVER_EVALUATED, epoch: 1 });
    await bus.bucket(buckets.alarms).overwrite(keyOf('a1'), bytes);
  }
  for (const each of published) {
    const event = Buffer.from(JSON.stringify(eventOf(nameOf('a1'), each)));
    await bus.append(streams.alarms, subject.alarmEvent(nameOf('a1')), event);
  }
  return bus;
}

const sequence = (bus: LogBus): unknown[] =>
  bus
    .messages(streams.alarms)
    .map(({ data }) => (JSON.parse(Buffer.from(data).toString()) as AlarmEvent).seq);

it.each([
  ['whose event is there', [record(1)], [record(1)], { events: [1], published: [], lost: [], written: 1 }],
  [
    'whose last event is missing',
    [record(2)],
    [record(1)],
    { events: [1, 2], published: [2], lost: [], written: 1 },
  ],
  ['whose only event is missing', [record(1)], [], { events: [1], published: [1], lost: [], written: 1 }],
  [
    'that lacks more',
    [record(4)],
    [record(1)],
    { events: [1, 4], published: [4], lost: [keyOf('a1')], written: 1 },
  ],
  [
    'whose record is behind',
    [record(1)],
    [record(1), record(2)],
    { events: [1, 2], published: [], lost: [], written: 2 },
  ],
  ['without a record', [], [record(1)], { events: [1], published: [], lost: [], written: 1 }],
])(
  'record-comparison.O2 MC-ALM-054 an alarm %s is brought together with its events, though it is at rest',
  async (_, stored, published, wanted) => {
    const bus = await busWith(stored, published);
    const { seen, take, compared } = takingOver(bus);
    await take();
    await compared.stop();
    const found = {
      events: sequence(bus),
      published: seen.published,
      lost: seen.lost,
      written: seen.written.length,
    };
    expect(found).toEqual(wanted);
    expect(seen.known).toBe(1);
  },
);

it('record-comparison.O1 MC-ALM-054 a record that was written behind the mark gets its event, though its alarm is at rest', async () => {
  const bus = await busWith([record(1)], [record(1)]);
  const first = takingOver(bus);
  await first.take();
  await first.compared.stop();
  const bytes = storedAlarmBytes({ record: record(2), evaluated: NEVER_EVALUATED, epoch: 7 });
  await bus.bucket(buckets.alarms).overwrite(keyOf('a1'), bytes);
  await takingOver(bus, 8).take();
  expect(sequence(bus)).toEqual([1, 2]);
});

it('nothing is recorded of an event whose subject names no alarm', async () => {
  const bus = await busWith([], []);
  const event = Buffer.from(JSON.stringify(eventOf(nameOf('a1'), record(1))));
  await bus.append(streams.alarms, 'mcs.alarm.evt.old=sat.battery.1.low', event);
  await takingOver(bus).take();
  expect(bus.bucket(buckets.alarms).entries.size).toBe(0);
});

it('a term that is over before it begins takes no commands and compares nothing', async () => {
  const bus = await busWith([record(2)], [record(1)]);
  const { seen, over, take } = takingOver(bus);
  over.abort();
  await take();
  expect([seen.known, seen.published, sequence(bus)]).toEqual([0, [], [1]]);
});

it('a term that is over while the events are read ends with it, and leaves the mark as it was', async () => {
  const bus = await busWith([record(2)], [record(1)]);
  bus.headAfter = new Promise(() => undefined);
  const { seen, over, take, compared } = takingOver(bus);
  const taking = take();
  await settled();
  expect(bus.following(streams.alarms)).toHaveLength(1);
  over.abort();
  await expect(taking).rejects.toThrow('was stopped');
  expect(bus.following(streams.alarms)).toEqual([]);
  expect(seen.published).toEqual([]);
  await compared.stop();
  bus.headAfter = undefined;
  const { seen: later, take: again } = takingOver(bus, 8);
  await again();
  expect(later.published).toEqual([2]);
});
