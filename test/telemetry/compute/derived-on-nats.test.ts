/**
 * Derived measures of recorded flight data on the real bus, with an owner killed in between: every sample is what a
 * plain script computes from the recording.
 */

import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { BlockBuilder, decodeBatch, encodeBatch, type ValueBatch } from '../../../contract/batch.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { Platform } from '../../../mission/platform.ts';
import type { Bus } from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import { realClock } from '../../../supervision/clock.ts';
import { createTelemetryOwner } from '../../../telemetry/telemetry-owner.ts';
import { demoDocuments, loaded } from '../../mission/documents.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';
import { Missions, missionOf } from '../platform.ts';

const RECORDING = new URL('../../../missions/demo/recordings/noaa20-geolocation.ccsds', import.meta.url);
const PACKET_BYTES = 71;
const PACKETS = 1_400;
const PACKETS_PER_MESSAGE = 7;
const MESSAGES = PACKETS / PACKETS_PER_MESSAGE;
const SECOND = 1_000;

const recording = readFileSync(RECORDING);
const floats = (packet: number, at: number, count: number): number[] =>
  Array.from({ length: count }, (_, n) => recording.readFloatBE(packet * PACKET_BYTES + at + 4 * n));
const norm = (packet: number): number => floats(packet, 55, 4).reduce((sum, q) => sum + q * q, 0);
const height = (packet: number): number => floats(packet, 23, 3)[2]!;

/** The catalogue of the demo with two measures over windows. */
function platformWithWindows(): Platform {
  const documents = demoDocuments().map(({ file, text }) => {
    if (file !== 'jpss-geolocation.yaml') return { file, text };
    const document = parse(text);
    document.components.attitude.measures.mean_norm = { type: 'f64', derived: 'avg(norm_squared, 30 s)' };
    document.components.ephemeris.measures.climb = {
      type: 'f64',
      unit: 'm',
      derived: 'delta(adgpsposz, 60 s)',
    };
    return { file, text: stringify(document) };
  });
  return loaded(documents).platforms.get('jpss-geolocation@1.0.0')!;
}

/**
 * The recording is fed faster than time goes: the owner lives before it, the bus behind it, which dates nothing ahead
 * again.
 */
const clock: Clock = { ...realClock, now: () => realClock.now() - PACKETS * SECOND };
const platform = platformWithWindows();
const missions = new Missions(missionOf('r1', { noaa20: platform }));
let nats: TestNats;

beforeEach(async () => {
  nats = await startNats();
});
afterEach(() => nats.stop());

async function decode(bus: Bus, begin: number): Promise<void> {
  for (let message = 0; message < MESSAGES; message += 1) {
    const into = new BlockBuilder();
    for (let n = 0; n < PACKETS_PER_MESSAGE; n += 1) {
      const packet = message * PACKETS_PER_MESSAGE + n;
      const bytes = recording.subarray(packet * PACKET_BYTES, (packet + 1) * PACKET_BYTES);
      platform.packets.read(bytes, begin + packet * SECOND, into);
    }
    const batch = { platform: platform.digest, link: 'replay', blocks: into.take(), reports: [] };
    await bus.append(streams.decoded, subject.decoded('noaa20'), encodeBatch(batch), { id: `${message}` });
  }
}

async function own(bus: Bus, epoch: number) {
  const log = keptLog();
  const owner = createTelemetryOwner({ bus, missions, target: 'noaa20', epoch, log, clock });
  const from = await owner.start();
  const handed = subject.decoded('noaa20');
  const follower = await bus.follow(streams.decoded, handed, from, (message) => owner.handle(message));
  follower.caughtUp.then(
    () => owner.caughtUp(),
    () => undefined,
  );
  return { owner, from };
}

/** Values of a measure by packet, and the sources of the messages, in the order of the stream. */
async function read(bus: Bus, begin: number, measures: readonly string[]) {
  const samples = new Map(measures.map((measure) => [measure, new Map<number, number[]>()]));
  const sources: number[] = [];
  const take = ({ data, headers }: { data: Uint8Array; headers: Readonly<Record<string, string>> }): void => {
    sources.push(Number(headers['Mcs-Source']));
    for (const { ordinals, ground, value } of decodeBatch<ValueBatch>(data).blocks) {
      value.forEach((each, index) => {
        const found = samples.get(platform.measures[ordinals[index % ordinals.length]!]!.definition.name);
        const packet = (ground[Math.floor(index / ordinals.length)]! - begin) / SECOND;
        found?.set(packet, [...(found.get(packet) ?? []), each]);
      });
    }
  };
  const follower = await bus.follow(streams.values, subject.values('noaa20'), { from: 'start' }, take);
  await follower.caughtUp;
  await follower.stop();
  return { samples, sources };
}

it('MC-VAL-001 MC-VAL-008 derived measures of NOAA-20 are what a plain script computes, over the death of their owner', async () => {
  const writer = await nats.connected({ name: 'writer' });
  const first = await nats.connected({ name: 'first' });
  // Ahead of the clock: what time alone changes is not what is looked at here.
  const begin = clock.now();
  const dying = await own(first, 1);
  const feeding = decode(writer, begin);
  await until(() => dying.owner.counts.published > MESSAGES / 3, { what: 'values before the kill' });
  await first.close();
  await feeding;
  const { owner, from } = await own(await nats.connected({ name: 'second' }), 2);
  expect(from).toMatchObject({ from: 'seq' });
  const whole = await until(
    async () => {
      const found = await read(writer, begin, ['norm_squared', 'mean_norm', 'climb']);
      return found.sources.at(-1) === MESSAGES && found;
    },
    { timeoutMs: 30_000, what: 'every message' },
  );
  expect(whole.sources).toEqual(Array.from({ length: MESSAGES }, (_, n) => n + 1));
  for (let packet = 0; packet < PACKETS; packet += 1) {
    expect(whole.samples.get('norm_squared')?.get(packet), `norm of ${packet}`).toEqual([norm(packet)]);
    const window = Array.from({ length: Math.min(30, packet + 1) }, (_, n) => norm(packet - n));
    const [mean, ...more] = whole.samples.get('mean_norm')?.get(packet) ?? [];
    expect(more).toEqual([]);
    expect(mean, `mean of ${packet}`).toBeCloseTo(window.reduce((sum, one) => sum + one) / window.length, 13);
    if (packet > 0) {
      const oldest = Math.max(0, packet - 59);
      const climb = whole.samples.get('climb')?.get(packet);
      expect(climb, `climb of ${packet}`).toEqual([height(packet) - height(oldest)]);
    }
  }
  await owner.stop();
}, 60_000);
