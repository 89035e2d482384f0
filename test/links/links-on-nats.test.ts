/** Gateway, drivers and decoder together on a real bus: a telecommand up, its reports and housekeeping down. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DecodedBatch, decodeBatch, type FrameBatch } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { DriverAnswer, EncodeReply, SendReply } from '../../contract/link.ts';
import { startDriverService } from '../../links/driver-service.ts';
import { createFrameDecoder } from '../../links/frame-decoder.ts';
import { createGateway, type RunningGateway } from '../../links/gateway-service.ts';
import { NO_PASSES } from '../../mission/pass/serving-gateway.ts';
import type { Bus, Stoppable } from '../../ports/bus.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { realClock } from '../../supervision/clock.ts';
import { firstTerm } from '../support/decoding.ts';
import { DEMO_FOLDER, demoMission, TestMissions } from '../support/missions.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

const log = keptLog();
const missions = new TestMissions(demoMission());
const random = seededRandom(1);
let nats: TestNats;
let bus: Bus;
let gateway: RunningGateway;
const services: Stoppable[] = [];
const decoded: DecodedBatch[] = [];
const frames: Buffer[] = [];

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  services.push(
    startDriverService({ bus, missions, log }),
    startDriverService({ bus: await nats.connected(), missions, log }),
  );
  const decoder = createFrameDecoder({
    bus,
    missions,
    passes: NO_PASSES,
    gateway: 'sim-1',
    log,
    term: firstTerm,
  });
  services.push(
    await bus.follow(streams.frames, subject.frames('sim-1'), { from: 'start' }, (message) =>
      decoder.handle(message),
    ),
    await bus.follow(streams.frames, subject.frames('sim-1'), { from: 'start' }, ({ data }) => {
      frames.push(...decodeBatch<FrameBatch>(data).frames.map((each) => Buffer.from(each)));
    }),
    await bus.follow(streams.decoded, subject.decoded('sat1'), { from: 'start' }, ({ data }) => {
      decoded.push(decodeBatch<DecodedBatch>(data));
    }),
  );
  gateway = createGateway(missions.current!.gateways.get('sim-1')!, {
    bus,
    clock: realClock,
    log,
    random,
    missions,
    missionFolder: DEMO_FOLDER,
  });
  gateway.start();
});
afterAll(async () => {
  await gateway?.stop();
  for (const service of services.reverse()) await service.stop();
  await nats?.stop();
});

async function ask<Reply>(verb: string, call: object): Promise<Reply> {
  const reply = await bus.request(verb, Buffer.from(JSON.stringify(call)), { timeoutMs: 10_000 });
  return JSON.parse(Buffer.from(reply).toString()) as Reply;
}

async function encodePing(): Promise<EncodeReply> {
  const call = { target: 'sat1', link: 'uhf', component: 'obc', telecommand: 'ping', args: {} };
  const answer = await ask<DriverAnswer<EncodeReply>>(subject.driverVerb('pus', 'encode'), call);
  if (!answer.ok) throw new Error(answer.faults[0].message);
  return answer.value;
}

const UPTIME = missions.current!.targets.get('sat1')!.platform!.ordinal('obc.uptime')!;

/** Every uptime decoded, in the order stored. */
function uptimes(): number[] {
  return decoded
    .flatMap((batch) => batch.blocks)
    .flatMap(({ ordinals, raw }) => {
      const column = ordinals.indexOf(UPTIME);
      return column < 0 ? [] : [...raw].filter((_, index) => index % ordinals.length === column);
    });
}

/** Every uptime in the frames: one a second, unless this process stood still. */
const sentUptimes = (): number[] =>
  frames
    .filter((frame) => frame[7] === 3 && frame[8] === 25 && frame.readUInt16BE(20) === 1)
    .map((frame) => frame.readUInt32BE(27));

const reports = () => decoded.flatMap((batch) => batch.reports);

describe('links on a bus', () => {
  it('a telecommand is encoded, sent once, and reported by its reference', async () => {
    const { frame, reference } = await encodePing();
    const send = { target: 'sat1', key: 'telecommand:1:2:0', epoch: 1, frame };
    const first = await ask<SendReply>(subject.gatewayVerb('sim-1', 'send'), send);
    expect(first).toMatchObject({ outcome: 'sent' });
    expect(await ask(subject.gatewayVerb('sim-1', 'send'), send)).toEqual(first);
    await until(() => reports().some(({ stage }) => stage === 'completion'));
    expect(reports().map(({ stage, ok }) => [stage, ok])).toEqual([
      ['acceptance', true],
      ['completion', true],
    ]);
    expect(new Set(reports().map((report) => report.reference))).toEqual(new Set([reference]));
    expect(await ask(subject.gatewayVerb('sim-1', 'stats'), {})).toMatchObject({
      received: { [reference ?? '']: 1 },
    });
  });

  it('MC-ENC-010 two processes of one driver never give the same sequence count', async () => {
    const frames = await Promise.all(Array.from({ length: 100 }, encodePing));
    expect(new Set(frames.map(({ reference }) => reference)).size).toBe(100);
  });

  it('housekeeping goes on after the bus was away, without loss and in order', async () => {
    await nats.kill();
    const killed = realClock.now();
    // Long enough for housekeeping that finds no bus.
    await until(() => realClock.now() > killed + 1_500);
    await nats.start();
    const before = uptimes().length;
    await until(() => uptimes().length > before + 4, { timeoutMs: 20_000 });
    await until(() => sentUptimes().length > 4);
    // The spacecraft counts its packets: those that are stored are all of them.
    const counts = frames.map((frame) => frame.readUInt16BE(2) & 0x3fff);
    expect(counts).toEqual(counts.map((_, index) => index));
    const sent = sentUptimes();
    await until(() => uptimes().length >= sent.length);
    expect(uptimes().slice(0, sent.length)).toEqual(sent);
    expect(gateway.dropped).toBe(0);
  });
});
