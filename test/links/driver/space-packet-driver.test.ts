/** The driver of plain space packets on recorded flight data of NOAA-20. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BlockBuilder } from '../../../contract/batch.ts';
import type { LinkSource } from '../../../links/driver/driver.ts';
import { createSpacePacketDriver } from '../../../links/driver/space-packet-driver.ts';
import { PacketSplitter } from '../../../protocol/packet-splitter.ts';
import { DEMO_FOLDER, demoMission } from '../../support/missions.ts';

const mission = demoMission();
const target = mission.targets.get('noaa20')!;
const source: LinkSource = { target, link: target.links.get('replay')!, platform: target.platform! };
const made = createSpacePacketDriver({});
if (!made.ok) throw new Error('no driver');
const driver = made.value;
const splitter = new PacketSplitter();
const recording = readFileSync(`${DEMO_FOLDER}/recordings/noaa20-geolocation.ccsds`);
const packets = [...splitter.push(recording), ...splitter.end()];

/** The 27 fields of the first packet as an independent decoder read them (test/data/noaa20). */
const FIRST_ROW = [
  0, 0, 1, 11, 3, 2606, 64, 23109, 7, 137, 159, 23109, 30, 941, 6389695.5, 2786021.5, 1825377.375,
  2383.52880859375, -785.8864135742188, -7105.89892578125, 23108, 86399930, 941, -0.2163526564836502,
  0.7624724507331848, 0.25699475407600403, 0.5529747009277344,
];

function read(frames: readonly Buffer[]) {
  const faults: string[] = [];
  const into = {
    samples: new BlockBuilder(),
    files: { samples: [], chunks: [] },
    reports: [],
    fault: (detail: string) => faults.push(detail),
  };
  for (const [index, frame] of frames.entries()) driver.read(frame, index, source, into);
  return { blocks: into.samples.take(), faults };
}

describe('plain space packets', () => {
  it('the whole recording is cut and read, one row of 27 fields a packet, in one block', () => {
    expect(splitter.skipped).toBe(0);
    expect(packets).toHaveLength(7_200);
    const { blocks, faults } = read(packets);
    expect(faults).toEqual([]);
    expect(blocks).toHaveLength(1);
    expect(blocks[0]?.ordinals).toHaveLength(27);
    expect(blocks[0]?.ground).toHaveLength(7_200);
  });

  it('decodes the first packet to what the reference decoder read', () => {
    const answer = driver.decode!(
      { target: 'noaa20', link: 'replay', frame: packets[0]!.toString('hex') },
      mission,
    );
    if (!answer.ok) throw new Error(answer.faults[0].message);
    expect(answer.value.samples.map(({ value }) => value)).toEqual(FIRST_ROW);
    const midnight = Date.UTC(1958, 0, 1) + 23_109 * 86_400_000;
    expect(Date.parse(answer.value.samples[0]?.onboard_time ?? '')).toBe(midnight + 7);
  });

  it('cannot encode: the verb is absent', () => {
    expect(driver.encode).toBeUndefined();
  });

  it('refuses to decode packets it cannot read', () => {
    const fault = (frame: string) => {
      const answer = driver.decode!({ target: 'noaa20', link: 'replay', frame }, mission);
      return answer.ok ? 'accepted' : `${answer.faults[0].code} ${answer.faults[0].message}`;
    };
    expect(fault('00')).toMatch(/driver::decode-failed .*too short/);
    expect(fault('0801c000000000')).toMatch(/driver::decode-failed no packet of platform jpss/);
    expect(fault('080bc000000000')).toMatch(/driver::decode-failed/);
  });

  it('passes over other APIDs and idle packets, and counts damaged frames', () => {
    const other = Buffer.from('0801c000000000', 'hex');
    const idle = Buffer.from('07ffc000000000', 'hex');
    expect(read([other, idle])).toEqual({ blocks: [], faults: [] });
    expect(read([Buffer.alloc(2), packets[0]!.subarray(0, 30)]).faults).toHaveLength(2);
  });

  it('has no settings', () => {
    expect(createSpacePacketDriver({ apid: 1 }).ok).toBe(false);
  });
});
