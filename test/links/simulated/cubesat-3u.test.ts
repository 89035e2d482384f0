/** The simulated three-unit CubeSat against its interface control document, by the driver of the demo mission. */

import { beforeEach, describe, expect, it } from 'vitest';
import { BlockBuilder, type FileSample, type VerificationReport } from '../../../contract/batch.ts';
import type { DecodedSample, ResolvedValue } from '../../../contract/telecommand.ts';
import { CounterBlocks } from '../../../links/driver/counter-blocks.ts';
import type { Driver } from '../../../links/driver/driver.ts';
import { createPusDriver } from '../../../links/driver/pus-c.ts';
import { CUBESAT_3U } from '../../../links/simulated/designs.ts';
import { createSpacecraft, type Spacecraft } from '../../../links/simulated/spacecraft.ts';
import { writePusTelecommand } from '../../../protocol/pus-telecommand.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { demoMission } from '../../support/missions.ts';
import { MemoryBus } from '../memory-bus.ts';

const START_MS = Date.UTC(2026, 0, 1, 12);
const mission = demoMission();
const address = { target: 'sat2', link: 's-band' };

let driver: Driver;
let clock: ManualClock;
let spacecraft: Spacecraft;
let downlink: Buffer[];

beforeEach(() => {
  const bucket = new MemoryBus().bucket({ name: 'mcs_drivers', history: 1 });
  const { settings } = mission.drivers.get('pus-files')!;
  const made = createPusDriver(settings, new CounterBlocks(bucket, 'pus-files'));
  if (!made.ok) throw new Error(made.faults.join('; '));
  driver = made.value;
  clock = new ManualClock(START_MS);
  spacecraft = createSpacecraft({ clock, seed: 1 }, CUBESAT_3U);
  downlink = [];
  spacecraft.onDownlink((packet) => downlink.push(packet));
});

async function send(path: string, args: Record<string, ResolvedValue> = {}, instance?: string) {
  const [component, telecommand] = path.split('.') as [string, string];
  const of = { ...address, component, telecommand, args, ...(instance !== undefined && { instance }) };
  const answer = await driver.encode!(of, mission);
  if (!answer.ok) throw new Error(answer.faults[0].message);
  downlink.length = 0;
  spacecraft.uplink(Buffer.from(answer.value.frame, 'hex'));
  clock.advance(200);
  return read();
}

function decoded(): DecodedSample[] {
  return downlink.flatMap((frame) => {
    const answer = driver.decode!({ ...address, frame: frame.toString('hex') }, mission);
    if (!answer.ok) throw new Error(answer.faults[0].message);
    return answer.value.samples;
  });
}

/** Reports and listed files of what came down. */
function read() {
  const target = mission.targets.get('sat2')!;
  const source = { target, link: target.links.get('s-band')!, platform: target.platform! };
  const faults: string[] = [];
  const into = {
    samples: new BlockBuilder(),
    files: { samples: [] as FileSample[], chunks: [] },
    reports: [] as VerificationReport[],
    fault: (detail: string) => faults.push(detail),
  };
  for (const frame of downlink) driver.read(frame, clock.now(), source, into);
  expect(faults).toEqual([]);
  return { stages: into.reports.map(({ stage, ok }) => [stage, ok]), files: into.files.samples };
}

const DONE = [
  ['acceptance', true],
  ['completion', true],
];

describe('the three-unit CubeSat', () => {
  it('every housekeeping field is decoded to what the spacecraft holds', () => {
    clock.advance(10_100);
    const values: Record<string, unknown> = {};
    for (const { component, measure, value } of decoded()) values[`${component}.${measure}`] = value;
    const { computer, supply, memory } = spacecraft.readings;
    expect(values).toEqual({
      'obc.mode': 'SAFE',
      'obc.counter': computer?.counter,
      'obc.watchdog': computer?.watchdog,
      'obc.uptime': computer?.uptime,
      'obc.temperature': expect.closeTo(computer?.temperature ?? 0, 6),
      'power.voltage': expect.closeTo(supply?.voltage ?? 0, 6),
      'power.current': expect.closeTo(supply?.current ?? 0, 6),
      'power.temperature': expect.closeTo(supply?.temperature ?? 0, 6),
      'power.panel_current': expect.closeTo(supply?.panelCurrent ?? 0, 6),
      'memory.files': 4,
      'memory.used': memory?.used,
      'memory.transactions': 0,
      'memory.sent': 0,
    });
    expect(memory?.used).toBe(12_600 + 150_000 + 3_000_000);
  });

  it('stays inside its limits over two orbits', () => {
    const voltages: number[] = [];
    for (let at = 0; at < 2 * 95 * 60_000; at += 10_000) {
      clock.advance(10_000);
      voltages.push(spacecraft.readings.supply!.voltage);
    }
    expect(Math.min(...voltages)).toBeGreaterThan(6.8);
    expect(Math.max(...voltages)).toBeLessThan(8.4);
  });

  it('obeys what its platform document defines, and nothing of the six-unit CubeSat beside it', async () => {
    expect((await send('obc.ping')).stages).toEqual(DONE);
    expect((await send('obc.set_watchdog', { period: 90 })).stages).toEqual(DONE);
    expect((await send('obc.set_mode', { mode: 'NOMINAL' })).stages).toEqual(DONE);
    expect((await send('files.regenerate', {}, '2')).stages).toEqual(DONE);
    expect((await send('files.delete', {}, '4')).stages).toEqual(DONE);
    expect((await send('files.delete', {}, '4')).stages).toEqual([
      ['acceptance', true],
      ['completion', false],
    ]);
    const head = { apid: 0x74, sequenceCount: 9, flags: 9, service: 8, subtype: 1, source: 0 };
    for (const data of ['040141200000', '050101', '0a0002000000000064']) {
      const packet = writePusTelecommand({ ...head, data: Buffer.from(data, 'hex') });
      downlink.length = 0;
      if (packet.ok) spacecraft.uplink(packet.value);
      clock.advance(200);
      expect(read().stages).toEqual([['acceptance', false]]);
    }
  });

  it('MC-FILE-008 lists its files with their checksums', async () => {
    const { files } = await send('files.list');
    const onboard = await spacecraft.contents();
    expect(files).toMatchObject(
      onboard.map(({ id, file_type, size, crc32, generation }) => ({
        file: id,
        file_type,
        size,
        checksum: crc32,
        generation,
      })),
    );
    expect(onboard.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
  });
});
