/** Alarms of which the bus loses events or records that it had acknowledged, as copies of a stream that differ do. */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { NatsBus } from '../../../bus/nats-bus.ts';
import type { AlarmRecord } from '../../../contract/alarm.ts';
import { alarmKey } from '../../../contract/alarm-name.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { deleteStream, emptyStream, loseMessages } from '../../support/lose-messages.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { until } from '../../support/until.ts';
import { eventsOf, type Leader, lead, nameOf, SaidMissions, says, stateOf, storedOf } from './alarm-world.ts';

let nats: TestNats;
let bus: NatsBus;
let leaders: Leader[] = [];
let epoch = 10;

const MEASURES = ['voltage', 'current', 'low', 'quiet', 'first', 'second', 'third', 'another'];

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
}, 60_000);
afterEach(async () => {
  await Promise.all(leaders.splice(0).map((leader) => leader.stop()));
});
afterAll(() => nats.stop());

async function leader(): Promise<Leader> {
  epoch += 1;
  const led = await lead({ bus, epoch, missions: new SaidMissions(MEASURES) });
  leaders.push(led);
  return led;
}

async function stopped(one: Leader): Promise<void> {
  leaders = leaders.filter((each) => each !== one);
  await one.stop();
}

const numbers = async (alarm: string): Promise<number[]> =>
  (await eventsOf(bus, alarm)).map(({ event }) => event.seq);
const becomes = (alarm: string, ...told: number[]): Promise<unknown> =>
  until(async () => JSON.stringify(await numbers(alarm)) === JSON.stringify(told), {
    what: `events ${told} of ${alarm}`,
  });

async function lose(alarm: string, ...numbered: number[]): Promise<void> {
  const gone = (await eventsOf(bus, alarm)).filter(({ event }) => numbered.includes(event.seq));
  await loseMessages(
    nats,
    streams.alarms,
    gone.map(({ message }) => message.seq),
  );
}

it('alarm-event.E5 whose last event is lost goes on behind it, and it is said', async () => {
  const led = await leader();
  await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
  await becomes('voltage', 1);
  await says(bus, [{ alarm: 'voltage', severity: null }]);
  await becomes('voltage', 1, 2);
  await lose('voltage', 2);
  expect(bus.lostUntil).toBeUndefined();
  await says(bus, [{ alarm: 'voltage', severity: 'critical' }]);
  await becomes('voltage', 1, 3);
  await until(() => (bus.lostUntil ?? 0) > 0);
  expect(led.failures).toEqual([]);
  expect(led.kind.trouble()).toEqual({});
});

it('alarm-event.E5 append-behind.A1 whose last event is lost gets it again from its record by the next leader, though the stream knows its id', async () => {
  const first = await leader();
  for (const severity of ['warning', 'critical', null] as const)
    await says(bus, [{ alarm: 'current', severity }]);
  await becomes('current', 1, 2, 3);
  await stopped(first);
  await lose('current', 3);
  const next = await leader();
  await becomes('current', 1, 2, 3);
  expect(next.failures).toEqual([]);
});

it('alarm/recovery.V4 that lost more than its last event: the last one is published again, and the rest is said', async () => {
  const first = await leader();
  for (const severity of ['warning', 'critical', null] as const)
    await says(bus, [{ alarm: 'low', severity }]);
  await becomes('low', 1, 2, 3);
  await stopped(first);
  await lose('low', 2, 3);
  const before = bus.lostUntil ?? 0;
  await leader();
  await becomes('low', 1, 3);
  await until(() => (bus.lostUntil ?? 0) > before);
});

it('alarm/service.S7 alarm/recovery.V2 whose record is lost is recorded again as it was published, and its leader starts again without a failure of its own', async () => {
  const led = await leader();
  await says(bus, [{ alarm: 'quiet', severity: 'warning' }]);
  await becomes('quiet', 1);
  const key = alarmKey(nameOf('quiet'));
  const { revision } = (await bus.bucket(buckets.alarms).get(key))!;
  await loseMessages(nats, { name: `KV_${buckets.alarms.name}` }, [revision]);
  await says(bus, [{ alarm: 'quiet', severity: 'critical' }]);
  await until(() => led.failures.length > 0);
  expect(led.failures).toEqual([expect.objectContaining({ code: 'bus.unavailable' })]);
  await stopped(led);
  await leader();
  await until(async () => (await storedOf(bus, 'quiet'))?.record.severity === 'critical');
  expect(await stateOf(bus, 'quiet')).toBe('ACTIVE_UNACK');
  expect((await numbers('quiet')).length).toBeGreaterThanOrEqual(2);
});

/** A new alarm that is raised and cleared and that nobody acknowledges: how it stands depends on no value any more. */
async function unacknowledged(alarm: string): Promise<AlarmRecord> {
  for (const severity of ['warning', null] as const) await says(bus, [{ alarm, severity }]);
  await until(async () => (await stateOf(bus, alarm)) === 'CLEARED_UNACK');
  return (await storedOf(bus, alarm))!.record;
}

it('record-comparison.O2 O4 a bucket of records that was deleted while nobody led is there again, and that is said', async () => {
  const first = await leader();
  const before = await unacknowledged('first');
  await stopped(first);
  await deleteStream(nats, { name: `KV_${buckets.alarms.name}` });
  const next = await leader();
  expect((await storedOf(bus, 'first'))?.record).toEqual(before);
  expect(next.said.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('records of alarms are lost'),
  );
  expect(bus.lostUntil).toBeGreaterThanOrEqual(Date.parse(before.changed_at!));
  await says(bus, [{ alarm: 'first', severity: 'critical' }]);
  await until(async () => (await stateOf(bus, 'first')) === 'ACTIVE_UNACK');
  expect(next.failures).toEqual([]);
});

it('compared-mark.C4 record-comparison.O2 a bucket that is deleted under its leader is noticed at the next alarm, whichever it is, and all are there again', async () => {
  const led = await leader();
  const before = await unacknowledged('second');
  await deleteStream(nats, { name: `KV_${buckets.alarms.name}` });
  await says(bus, [{ alarm: 'another', severity: 'warning' }]);
  await until(() => led.failures.length > 0);
  // The first ends the term; what was under way may fail for the same reason.
  for (const failure of led.failures) expect(failure).toMatchObject({ code: 'bus.unavailable' });
  await stopped(led);
  await leader();
  expect((await storedOf(bus, 'second'))?.record).toEqual(before);
  expect((await storedOf(bus, 'another'))?.record.seq).toBeGreaterThanOrEqual(1);
});

it('record-comparison.O2 alarm/recovery.V1 a stream of events that was emptied while nobody led gets the last event of each alarm again', async () => {
  const first = await leader();
  const { seq } = await unacknowledged('third');
  await stopped(first);
  await emptyStream(nats, streams.alarms);
  const next = await leader();
  await becomes('third', seq);
  expect(next.failures).toEqual([]);
});
