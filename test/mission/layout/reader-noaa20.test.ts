/** Recorded flight data of NOAA-20 against what an independent parser reads in it (test/data/noaa20). */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BlockBuilder } from '../../../contract/batch.ts';
import { demoDocuments, loaded } from '../documents.ts';

const PACKET_BYTES = 71;
const recording = readFileSync(
  new URL('../../../missions/demo/recordings/noaa20-geolocation.ccsds', import.meta.url),
);
const [header = '', ...rows] = readFileSync(
  new URL('../../data/noaa20/expected.csv', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n');
const columns = header.split(',').slice(1);
const platform = loaded(demoDocuments()).platforms.get('jpss-geolocation@1.0.0')!;
const packetAt = (index: number): Buffer =>
  recording.subarray(index * PACKET_BYTES, (index + 1) * PACKET_BYTES);

describe('the layout of the geolocation packet', () => {
  it('has a measure for each of the 27 fields', () => {
    const decoded = platform.measures.filter(({ definition }) => definition.derived === undefined);
    const names = decoded.map(({ definition }) => definition.name.toUpperCase());
    expect(names.toSorted()).toEqual(columns.toSorted());
    expect(columns).toHaveLength(27);
  });

  it('reads every field of every row as the independent parser does, floats to the bit', () => {
    expect(rows).toHaveLength(73);
    for (const row of rows) {
      const [index, ...expected] = row.split(',').map(Number);
      const into = new BlockBuilder();
      expect(platform.packets.read(packetAt(index!), 5, into)).toEqual({ layout: 'geolocation' });
      const [block] = into.take();
      const read = new Map(
        [...block!.ordinals].map((ordinal, column) => [
          platform.measures[ordinal]!.definition.name.toUpperCase(),
          block!.raw[column],
        ]),
      );
      expect(read.size).toBe(27);
      for (const [place, name] of columns.entries()) {
        expect(Object.is(read.get(name), expected[place]), `packet ${index} ${name}`).toBe(true);
      }
    }
  });

  it('reads the time on board from the secondary header', () => {
    for (const row of rows) {
      const [index, ...fields] = row.split(',').map(Number);
      const field = (name: string): number => fields[columns.indexOf(name)]!;
      const into = new BlockBuilder();
      platform.packets.read(packetAt(index!), 5, into);
      const expected =
        Date.UTC(1958, 0, 1) + field('DOY') * 86_400_000 + field('MSEC') + field('USEC') / 1000;
      const [block] = into.take();
      expect(block!.onboard[0]).toBeCloseTo(expected, 3);
      expect(block!.ground[0]).toBe(5);
    }
  });

  it('puts the whole recording into one block', () => {
    const into = new BlockBuilder();
    for (let index = 0; index < 7200; index += 1) platform.packets.read(packetAt(index), index, into);
    const blocks = into.take();
    expect(blocks).toHaveLength(1);
    expect(blocks[0]!.ground).toHaveLength(7200);
  });

  it('does not take a packet of another APID, type or version', () => {
    const into = new BlockBuilder();
    for (const change of [0x20, 0x10, 0x01]) {
      const packet = Buffer.from(packetAt(0));
      packet[0]! ^= change;
      expect(platform.packets.read(packet, 0, into)).toBeUndefined();
    }
    expect(into.empty).toBe(true);
  });

  it('refuses each shorter packet and leaves no row behind', () => {
    const into = new BlockBuilder();
    for (let length = 2; length < PACKET_BYTES; length += 1) {
      const read = platform.packets.read(packetAt(0).subarray(0, length), 0, into);
      expect(read).toEqual({ fault: expect.stringContaining(`${length} bytes`) });
    }
    expect(platform.packets.read(packetAt(0).subarray(0, 1), 0, into)).toBeUndefined();
    expect(platform.packets.read(Buffer.alloc(0), 0, into)).toBeUndefined();
    expect(into.empty).toBe(true);
  });
});
