/**
 * The PUS-C driver on the demo mission, against the simulated spacecraft, which reads the interface document itself.
 */

import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { BlockBuilder, type VerificationReport } from '../../../contract/batch.ts';
import type { DecodeReply, DriverAnswer, EncodeReply } from '../../../contract/link.ts';
import type { DecodedSample, ResolvedValue } from '../../../contract/telecommand.ts';
import { CounterBlocks } from '../../../links/driver/counter-blocks.ts';
import type { Driver, LinkSource } from '../../../links/driver/driver.ts';
import { createPusDriver } from '../../../links/driver/pus-c.ts';
import { createSpacecraft, type Spacecraft } from '../../../links/simulated/spacecraft.ts';
import type { Mission } from '../../../mission/mission.ts';
import { readPusTelecommand } from '../../../protocol/pus-telecommand.ts';
import { writePusTelemetry } from '../../../protocol/pus-telemetry.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { demoMission, withoutEncoding } from '../../support/missions.ts';
import { MemoryBus } from '../memory-bus.ts';

const START_MS = Date.UTC(2026, 0, 1, 12);
const mission = demoMission();

function driverOf(settings: Record<string, unknown> = {}): Driver {
  const bucket = new MemoryBus().bucket({ name: 'mcs_drivers', history: 1 });
  const driver = createPusDriver(settings, new CounterBlocks(bucket, 'pus'));
  if (!driver.ok) throw new Error(driver.faults.join('; '));
  return driver.value;
}

function sourceOf(of: Mission): LinkSource {
  const target = of.targets.get('sat1')!;
  return { target, link: target.links.get('uhf')!, platform: target.platform! };
}

const source = sourceOf(mission);
const address = { target: 'sat1', link: 'uhf' };
let driver: Driver;
let clock: ManualClock;
let spacecraft: Spacecraft;
let downlink: Buffer[];

beforeEach(() => {
  driver = driverOf();
  clock = new ManualClock(START_MS);
  spacecraft = createSpacecraft({ clock, seed: 1 });
  downlink = [];
  spacecraft.onDownlink((packet) => downlink.push(packet));
});

function encode(
  path: string,
  args: Record<string, ResolvedValue> = {},
  instance?: string,
  of: Mission = mission,
): Promise<DriverAnswer<EncodeReply>> {
  const [component, telecommand] = path.split('.') as [string, string];
  return driver.encode!(
    { ...address, component, telecommand, args, ...(instance !== undefined && { instance }) },
    of,
  );
}

async function encoded(
  path: string,
  args: Record<string, ResolvedValue> = {},
  instance?: string,
): Promise<EncodeReply> {
  const answer = await encode(path, args, instance);
  if (!answer.ok) throw new Error(answer.faults[0].message);
  return answer.value;
}

function decode(frame: Buffer | string): DriverAnswer<DecodeReply> {
  return driver.decode!({ ...address, frame: frame.toString('hex') }, mission);
}

function read(
  frames: readonly Buffer[],
  from: LinkSource = source,
): {
  samples: DecodedSample[];
  reports: VerificationReport[];
  faults: string[];
} {
  const faults: string[] = [];
  const into = {
    samples: new BlockBuilder(),
    files: { samples: [], chunks: [] },
    reports: [] as VerificationReport[],
    fault: (detail: string) => faults.push(detail),
  };
  for (const frame of frames) driver.read(frame, clock.now(), from, into);
  const blocks = into.samples.take();
  const samples = blocks.flatMap((block) =>
    [...block.raw].map((raw) => ({ raw }) as unknown as DecodedSample),
  );
  return { samples, reports: into.reports, faults };
}

function faultsOf(answer: DriverAnswer<unknown>): string {
  if (answer.ok) throw new Error('accepted');
  return `${answer.faults[0].code}: ${answer.faults[0].message}`;
}

describe('encode', () => {
  const all: [string, Record<string, ResolvedValue>, string | undefined, () => unknown, unknown][] = [
    ['obc.ping', {}, undefined, () => spacecraft.state.counter, 1],
    ['obc.set_mode', { mode: 'NOMINAL' }, undefined, () => spacecraft.state.mode, 2],
    ['obc.set_watchdog', { period: 120 }, undefined, () => spacecraft.state.watchdogS, 120],
    ['obc.reboot', {}, undefined, () => spacecraft.state.mode, 0],
    ['battery.set_heater', { on_below: -5.5 }, '2', () => spacecraft.state.batteries[1].heaterOnBelow, -5.5],
    ['power.switch', { channel: 'heater', on: false }, undefined, () => spacecraft.state.heater, false],
    ['camera.ping', {}, undefined, () => spacecraft.state.counter, 1],
    ['files.list', {}, undefined, () => spacecraft.state.counter, 1],
    ['files.read', { offset: 0, length: 200 }, '1', () => spacecraft.state.counter, 1],
    [
      'files.write',
      { offset: 2, data: 'cafe', generation: 1 },
      '7',
      () => spacecraft.state.files.bytesOf(7)?.toString('hex'),
      '0000cafe',
    ],
    ['files.delete', {}, '2', () => spacecraft.state.files.bytesOf(2), undefined],
    ['files.regenerate', {}, '2', () => spacecraft.state.files.generationOf(2), 2],
  ];

  it.each(all)('%s reaches the spacecraft, which does it', async (path, args, instance, state, expected) => {
    const { frame, reference } = await encoded(path, args, instance);
    spacecraft.uplink(Buffer.from(frame, 'hex'));
    clock.advance(200);
    expect(state()).toEqual(expected);
    const { reports, faults } = read(downlink);
    expect(faults).toEqual([]);
    const asked = source.platform.components.get(path.split('.')[0]!)!.telecommands.get(path.split('.')[1]!)!;
    const stages = asked.verify?.reports === undefined ? [] : ['acceptance', 'completion'];
    expect(reports.map(({ stage }) => stage)).toEqual(stages);
    for (const report of reports) expect(report).toMatchObject({ reference, ok: true, at: clock.now() });
  });

  it('covers every telecommand of the catalogue', () => {
    const paths = [...source.platform.components.values()].flatMap(({ telecommands }) =>
      [...telecommands.values()].map(({ path }) => path),
    );
    const tested = all.map(([path]) => path);
    expect(paths.toSorted()).toEqual([...tested, 'camera.shoot'].toSorted());
  });

  it('camera.shoot takes an image in NOMINAL with the payload on, and fails its completion before', async () => {
    const shoot = { exposure: 12.5, tag: 'abcd' };
    const send = async (path: string, args: Record<string, ResolvedValue>) => {
      spacecraft.uplink(Buffer.from((await encoded(path, args)).frame, 'hex'));
      clock.advance(200);
    };
    await send('camera.shoot', shoot);
    expect(read(downlink).reports.at(-1)).toMatchObject({ stage: 'completion', ok: false, code: 5 });
    await send('obc.set_mode', { mode: 'NOMINAL' });
    await send('power.switch', { channel: 'payload', on: true });
    await send('camera.shoot', shoot);
    expect(spacecraft.state).toMatchObject({ images: 1, lastExposureMs: 12.5 });
  });

  it('MC-ENC-006 gives the frame as hexadecimal and MC-ENC-007 no text, for a packet is not printable', async () => {
    const { frame, text } = await encoded('obc.ping');
    expect(frame).toMatch(/^([0-9a-f]{2}){13}$/);
    expect(text).toBeUndefined();
  });

  it('MC-ENC-010 advances the sequence count', async () => {
    const counts = [];
    for (let index = 0; index < 3; index += 1) {
      const packet = readPusTelecommand(Buffer.from((await encoded('obc.ping')).frame, 'hex'));
      counts.push(packet.ok && packet.value.sequenceCount);
    }
    expect(counts).toEqual([0, 1, 2]);
  });

  it('MC-ENC-011 gives the same packet on a link without transport, with the APID of the driver', async () => {
    const bare = demoMission((text) =>
      text.replace('transport: { kind: space-packet, apid: 0x73 }', 'description: x'),
    );
    expect(source.link.transport).toBeDefined();
    expect(sourceOf(bare).link.transport).toBeUndefined();
    const unit = await encoded('obc.ping');
    expect(faultsOf(await encode('obc.ping', {}, undefined, bare))).toMatch(/encode-failed.*APID/);
    driver = driverOf({ apid: 0x73 });
    const frame = await encode('obc.ping', {}, undefined, bare);
    expect(frame.ok && frame.value.frame).toBe(unit.frame);
  });

  it('pus-encoding.E1 asks for the reports that the verification awaits', async () => {
    const flags = async (path: string) => {
      const packet = readPusTelecommand(Buffer.from((await encoded(path)).frame, 'hex'));
      return packet.ok && packet.value.flags;
    };
    expect([await flags('obc.ping'), await flags('camera.ping')]).toEqual([0b1001, 0]);
  });

  it('names the telecommand by its first four bytes', async () => {
    const { frame, reference } = await encoded('obc.ping');
    expect(reference).toBe(frame.slice(0, 8));
  });

  it('refuses what it cannot write, and draws no count for it (pus-encoding.E2)', async () => {
    expect(faultsOf(await encode('obc.fly'))).toMatch(/encode-failed.*no such telecommand/);
    expect(faultsOf(await encode('obc.set_mode'))).toMatch(/encode-failed.*no value for mode/);
    expect(faultsOf(await encode('obc.set_mode', { mode: 'UPSIDE_DOWN' }))).toMatch(/encode-failed/);
    expect(faultsOf(await encode('obc.set_watchdog', { period: 70_000 }))).toMatch(/encode-failed/);
    const call = { component: 'obc', telecommand: 'ping', args: {} };
    expect(faultsOf(await driver.encode!({ target: 'x', link: 'uhf', ...call }, mission))).toMatch(
      /no target "x"/,
    );
    expect(faultsOf(await driver.encode!({ target: 'sat1', link: 'x', ...call }, mission))).toMatch(
      /no link "x"/,
    );
    const packet = readPusTelecommand(Buffer.from((await encoded('obc.ping')).frame, 'hex'));
    expect(packet.ok && packet.value.sequenceCount).toBe(0);
  });

  it('refuses a telecommand that the catalogue does not define its encoding to write', async () => {
    const bare = withoutEncoding(demoMission(), 'obc.ping');
    expect(faultsOf(await encode('obc.ping', {}, undefined, bare))).toMatch(
      /encode-failed.*does not define its encoding/,
    );
  });
});

describe('telemetry', () => {
  it('decodes every housekeeping field to what the spacecraft holds', () => {
    spacecraft.state.payload = true;
    clock.advance(10_100);
    const values: Record<string, unknown> = {};
    for (const packet of downlink) {
      const answer = decode(packet);
      if (!answer.ok) throw new Error(faultsOf(answer));
      for (const { component, instance, measure, value } of answer.value.samples) {
        values[`${component}${instance === undefined ? '' : `[${instance}]`}.${measure}`] = value;
      }
    }
    const { computer, batteries, power } = spacecraft.readings;
    const expected: Record<string, unknown> = {
      'obc.mode': 'SAFE',
      'obc.counter': computer?.counter,
      'obc.watchdog': computer?.watchdog,
      'obc.uptime': computer?.uptime,
      'obc.temperature': expect.closeTo(computer?.temperature ?? 0, 6),
      'power.panel_current': expect.closeTo(power?.panelCurrent ?? 0, 6),
      'power.payload': true,
      'power.heater': power?.heater,
      'camera.images': power?.images,
      'camera.exposure': power?.lastExposure,
    };
    for (const [index, battery] of (batteries ?? []).entries()) {
      expected[`battery[${index + 1}].voltage`] = expect.closeTo(battery.voltage, 6);
      expected[`battery[${index + 1}].current`] = expect.closeTo(battery.current, 6);
      expected[`battery[${index + 1}].temperature`] = expect.closeTo(battery.temperature, 6);
      expected[`battery[${index + 1}].heater_on`] = battery.heaterOn;
      expected[`battery[${index + 1}].heating`] = battery.heating;
    }
    expect(values).toEqual(expected);
  });

  it('gives samples of every packet to the platform, and none twice', () => {
    clock.advance(100);
    const { samples, faults } = read(downlink);
    expect(faults).toEqual([]);
    expect(samples).toHaveLength(5 + 10 + 5);
  });

  it('MC-ENC-018 gives component, instance, measure, raw, value, unit and on-board time', () => {
    clock.advance(100);
    const answer = decode(downlink.find((packet) => packet.readUInt16BE(20) === 2)!);
    const voltage =
      answer.ok &&
      answer.value.samples.find(({ measure, instance }) => measure === 'voltage' && instance === '1');
    expect(voltage).toMatchObject({
      component: 'battery',
      instance: '1',
      unit: 'V',
      onboard_time: new Date(START_MS).toISOString(),
    });
    const { raw, value } = voltage as DecodedSample;
    expect(value).toBeCloseTo((raw as number) / 1000, 9);
  });

  it('MC-ENC-020 gives null for a raw value that the calibration does not cover', () => {
    clock.advance(100);
    const packet = downlink.find((each) => each.readUInt16BE(20) === 2)!;
    const data = Buffer.from(packet.subarray(20, -2));
    data.writeUInt16BE(12_001, 2);
    const answer = decode(telemetryOf(3, 25, data));
    const voltage = answer.ok && answer.value.samples.find(({ measure }) => measure === 'voltage');
    expect(voltage).toMatchObject({ raw: 12_001, value: null });
  });

  it('MC-ENC-019 gives null for what the catalogue has no measure of: a verification report', async () => {
    const { frame, reference } = await encoded('obc.ping');
    spacecraft.uplink(Buffer.from(frame, 'hex'));
    clock.advance(100);
    const report = downlink.find((packet) => packet[7] === 1)!;
    expect(decode(report)).toEqual({
      ok: true,
      value: {
        samples: [
          { component: 'verification', measure: 'reference', raw: reference, value: null },
          { component: 'verification', measure: 'stage', raw: 'acceptance', value: null },
          { component: 'verification', measure: 'ok', raw: true, value: null },
        ],
      },
    });
  });

  it('gives null for a number that its enumeration has no name for', () => {
    clock.advance(100);
    const data = Buffer.from(downlink.find((each) => each.readUInt16BE(20) === 1)!.subarray(20, -2));
    data[2] = 9;
    const answer = decode(telemetryOf(3, 25, data));
    expect(answer.ok && answer.value.samples[0]).toMatchObject({ measure: 'mode', raw: 9, value: null });
  });

  it('a valid packet without a layout has no samples', () => {
    expect(decode(telemetryOf(17, 2, Buffer.alloc(0)))).toEqual({ ok: true, value: { samples: [] } });
  });

  it('refuses to decode what is no telemetry, with the reason', async () => {
    clock.advance(100);
    const damaged = Buffer.from(downlink[0]!);
    damaged[25]! ^= 0x10;
    expect(faultsOf(decode(damaged))).toMatch(/decode-failed.*CRC/);
    expect(faultsOf(decode(downlink[0]!.subarray(0, 20)))).toMatch(/decode-failed.*announces/);
    expect(faultsOf(decode((await encoded('obc.ping')).frame))).toMatch(/decode-failed.*telecommand/);
    expect(faultsOf(decode(telemetryOf(1, 1, Buffer.alloc(2))))).toMatch(/decode-failed.*at least 4/);
    expect(faultsOf(decode(telemetryOf(3, 25, Buffer.from([0, 1, 2]))))).toMatch(/decode-failed/);
  });

  it('driver.D2 never throws on random frames, and counts each once', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 })), (frames) => {
        const { samples, reports, faults } = read(frames.map((frame) => Buffer.from(frame)));
        expect(samples).toEqual([]);
        expect(reports).toEqual([]);
        expect(faults.length).toBeLessThanOrEqual(frames.length);
      }),
    );
    expect(read([Buffer.alloc(3)]).faults).toHaveLength(1);
  });

  it('pus-c.E3 passes over the packets of another APID and idle packets in silence', () => {
    const report = Buffer.from('1873c015', 'hex');
    const idle = Buffer.from('07ffc00000010000', 'hex');
    expect(read([telemetryOf(1, 1, report, 0x74), idle])).toEqual({ samples: [], reports: [], faults: [] });
    expect(read([telemetryOf(1, 1, report)]).reports).toHaveLength(1);
  });

  it('pus-c.E3 passes over the PDUs of CFDP beside telecommands, also where no APID is named', () => {
    const transport = { kind: 'space-packet', cfdp: { entity: 42, apid: 0x75 } };
    const beside = { ...source, link: { ...source.link, transport } } as LinkSource;
    const pdu = Buffer.from('0075c00000010000', 'hex');
    expect(read([pdu], beside)).toEqual({ samples: [], reports: [], faults: [] });
    expect(read([pdu]).faults).toEqual([]);
    expect(read([telemetryOf(1, 1, Buffer.from('1873c015', 'hex'))], beside).reports).toHaveLength(1);
  });
});

describe('settings', () => {
  it('are refused all at once', () => {
    const bucket = new MemoryBus().bucket({ name: 'mcs_drivers', history: 1 });
    const made = createPusDriver(
      { apid: 4_000, time_bytes: 'x', colour: 'red' },
      new CounterBlocks(bucket, 'pus'),
    );
    expect(made.ok).toBe(false);
    if (!made.ok) expect(made.faults).toHaveLength(3);
  });

  it('say the sizes in telemetry headers and reports', () => {
    driver = driverOf({ time_bytes: 4, code_bytes: 1 });
    const data = Buffer.from('1873c0150a', 'hex');
    const packet = telemetryOf(1, 2, data, 0x73, Buffer.alloc(4));
    expect(read([packet]).reports).toMatchObject([{ stage: 'acceptance', ok: false, code: 10 }]);
  });
});

function telemetryOf(
  service: number,
  subtype: number,
  data: Buffer,
  apid = 0x73,
  time: Buffer = Buffer.from('40610502932e7b', 'hex'),
): Buffer {
  return writePusTelemetry({
    apid,
    sequenceCount: 0,
    timeReference: 0,
    service,
    subtype,
    messageCounter: 0,
    destination: 0,
    time,
    data,
  });
}
