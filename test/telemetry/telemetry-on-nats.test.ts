import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeBatch } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Bus } from '../../ports/bus.ts';
import { realClock } from '../../supervision/clock.ts';
import { createTelemetryOwner } from '../../telemetry/telemetry-owner.ts';
import { startValueFeeds } from '../../telemetry/value-feeds.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { blockOf, Missions, missionOf, platformOf } from './platform.ts';

const platform = platformOf({ 'eps.vbat': { type: 'u16', unit: 'V', calibrate: (raw) => raw / 1000 } });
const missions = new Missions(missionOf('r1', { sat1: platform }));
const log = keptLog();
const clock = realClock;
const BATCHES = 400;

let nats: TestNats;

beforeEach(async () => {
  nats = await startNats();
});

afterEach(() => nats.stop());

async function decode(bus: Bus, from: number, to: number): Promise<void> {
  for (let at = from; at <= to; at += 1) {
    const blocks = [blockOf(platform, [{ ground: at, raw: { 'eps.vbat': at } }])];
    const data = encodeBatch({ platform: platform.digest, link: 'uhf', blocks, reports: [] });
    await bus.append(streams.decoded, subject.decoded('sat1'), data, { id: `${at}`, deadlineMs: 20_000 });
  }
}

async function own(bus: Bus, epoch: number) {
  const owner = createTelemetryOwner({ bus, missions, target: 'sat1', epoch, log, clock });
  const from = await owner.start();
  const follower = await bus.follow(streams.decoded, subject.decoded('sat1'), from, (message) =>
    owner.handle(message),
  );
  return {
    async stop() {
      await follower.stop();
      await owner.stop();
    },
  };
}

/** Positions the value batches were made from, in the order of the stream. */
async function sources(bus: Bus): Promise<number[]> {
  const found: number[] = [];
  const follower = await bus.follow(
    streams.values,
    subject.values('sat1'),
    { from: 'start' },
    ({ headers }) => {
      found.push(Number(headers['Mcs-Source']));
    },
  );
  await follower.caughtUp;
  await follower.stop();
  return found;
}

it('MC-VAL-001 current values survive the loss of the bus, of their owner and of the process that serves them', async () => {
  const writer = await nats.connected({ name: 'writer' });
  const first = await nats.connected({ name: 'first' });
  const feeds = startValueFeeds({ bus: await nats.connected({ name: 'api' }), missions, clock, log });
  await feeds.ready;
  const value = (running = feeds) => running.current('sat1')?.sample(0)?.value;
  const seen: number[] = [];
  feeds.watch('sat1', (_, values) => seen.push(Number(values.sample(0)!.value)));

  const owner = await own(first, 1);
  const feeding = decode(writer, 1, BATCHES);
  await until(() => seen.length > 50, { what: 'values before the kill' });
  await nats.kill();
  await nats.start();
  await feeding;
  await until(() => value() === BATCHES / 1000, { what: 'the last value' });
  await owner.stop();
  expect(seen).toEqual(Array.from({ length: BATCHES }, (_, index) => (index + 1) / 1000));

  const second = await own(await nats.connected({ name: 'second' }), 2);
  await decode(writer, BATCHES + 1, BATCHES + 10);
  await until(() => value() === (BATCHES + 10) / 1000);
  await second.stop();
  expect(await sources(writer)).toEqual(Array.from({ length: BATCHES + 10 }, (_, index) => index + 1));

  const later = startValueFeeds({ bus: await nats.connected({ name: 'later' }), missions, clock, log });
  await later.ready;
  expect(value(later)).toBe((BATCHES + 10) / 1000);
  expect(log.said.filter(({ level }) => level === 'error')).toEqual([]);
  await Promise.all([feeds.stop(), later.stop()]);
});
