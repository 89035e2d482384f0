/** The file memory of the simulated spacecraft against its interface control document, and against what it says it has. */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededContent } from '../../../links/simulated/file-content.ts';
import { ONBOARD_FILE_BYTES, OnboardFiles } from '../../../links/simulated/onboard-files.ts';
import { createSpacecraft, type Spacecraft } from '../../../links/simulated/spacecraft.ts';
import { writePusTelecommand } from '../../../protocol/pus-telecommand.ts';
import { type PusTelemetry, readPusTelemetry } from '../../../protocol/pus-telemetry.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const START_MS = Date.UTC(2026, 0, 1, 12);
const bytes = (text: string): Buffer => Buffer.from(text, 'hex');
const hashOf = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

interface Entry {
  readonly id: number;
  readonly type: number;
  readonly size: number;
  readonly crc32: number;
  readonly generation: number;
}

/** The ground by hand: telecommands as bytes, telemetry read by the document. */
class Ground {
  readonly clock = new ManualClock(START_MS);
  readonly spacecraft: Spacecraft;
  #telemetry: PusTelemetry[] = [];
  #count = 0;

  constructor(seed = 7, files?: ReadonlyMap<number, number>) {
    this.spacecraft = createSpacecraft({ clock: this.clock, seed, ...(files !== undefined && { files }) });
    this.spacecraft.onDownlink((packet) => {
      const message = readPusTelemetry(packet, 7);
      if (!message.ok) throw new Error(message.faults[0]);
      this.#telemetry.push(message.value);
    });
  }

  /** Reports of service 1, and the messages of the file memory. */
  send(data: string | Buffer): { reports: string[]; messages: PusTelemetry[] } {
    this.#count += 1;
    const packet = writePusTelecommand({
      apid: 0x73,
      sequenceCount: this.#count,
      flags: 9,
      service: 8,
      subtype: 1,
      source: 0,
      data: Buffer.from(data as string, 'hex'),
    });
    if (!packet.ok) throw new Error(packet.faults[0]);
    this.#telemetry = [];
    this.spacecraft.uplink(packet.value);
    this.clock.advance(200);
    const reports = this.#telemetry
      .filter(({ service }) => service === 1)
      .map(({ subtype, data: source }) =>
        source.length > 4 ? `1,${subtype} ${source.readUInt16BE(4)}` : `1,${subtype}`,
      );
    return { reports, messages: this.#telemetry.filter(({ service }) => service === 8) };
  }

  list(): Entry[] {
    const { messages } = this.send('09');
    return messages.flatMap(({ subtype, data }) => {
      expect(subtype).toBe(130);
      expect(data.length).toBe(1 + 13 * data[0]!);
      return Array.from({ length: data[0]! }, (_, index) => {
        const at = 1 + 13 * index;
        return {
          id: data.readUInt16BE(at),
          type: data[at + 2]!,
          size: data.readUInt32BE(at + 3),
          crc32: data.readUInt32BE(at + 7),
          generation: data.readUInt16BE(at + 11),
        };
      });
    });
  }

  entry(id: number): Entry | undefined {
    return this.list().find((each) => each.id === id);
  }

  /** The parts that answer a read, as `file generation offset bytes`. */
  read(id: number, offset: number, length: number) {
    const asked = Buffer.alloc(9);
    asked.writeUInt8(10, 0);
    asked.writeUInt16BE(id, 1);
    asked.writeUInt32BE(offset, 3);
    asked.writeUInt16BE(length, 7);
    const { reports, messages } = this.send(asked.toString('hex'));
    const parts = messages.map(({ subtype, data }) => {
      expect(subtype).toBe(131);
      return {
        id: data.readUInt16BE(0),
        generation: data.readUInt16BE(2),
        offset: data.readUInt32BE(4),
        data: data.subarray(8),
      };
    });
    return { reports, parts };
  }

  write(id: number, offset: number, data: Buffer, generation?: number): string[] {
    const head = Buffer.alloc(9);
    head.writeUInt8(11, 0);
    head.writeUInt16BE(id, 1);
    head.writeUInt32BE(offset, 3);
    head.writeUInt16BE(data.length, 7);
    const tail =
      generation === undefined ? Buffer.alloc(0) : Buffer.from([generation >> 8, generation & 255]);
    return this.send(Buffer.concat([head, data, tail]).toString('hex')).reports;
  }

  download(id: number, size: number, chunk: number): Buffer {
    const parts: Buffer[] = [];
    for (let at = 0; at < size; at += chunk) {
      const [part] = this.read(id, at, Math.min(chunk, size - at)).parts;
      expect(part).toMatchObject({ id, offset: at });
      parts.push(part!.data);
    }
    return Buffer.concat(parts);
  }
}

const DONE = ['1,1', '1,7'];
const OUT_OF_RANGE = ['1,1', '1,8 4'];

describe('the files it has from the beginning', () => {
  it('MC-FILE-001 are listed by identifier: housekeeping, images of 2 kB, 200 kB and 4 MB, an empty log', () => {
    const listed = new Ground().list().map(({ id, type, size, generation }) => [id, type, size, generation]);
    expect(listed).toEqual([
      [1, 1, 12_600, 1],
      [2, 2, 2_048, 1],
      [3, 2, 200_000, 1],
      [4, 2, 4_000_000, 1],
      [5, 3, 0, 1],
    ]);
  });

  it('are, read in parts, what their checksums say and what the simulation says it has', async () => {
    const ground = new Ground();
    const contents = await ground.spacecraft.contents();
    for (const { id, size, crc32: listed, generation } of ground.list().filter(({ id }) => id !== 4)) {
      const data = ground.download(id, size, 9_973);
      expect(data.length).toBe(size);
      expect(crc32(data)).toBe(listed);
      expect(contents.find((each) => each.id === String(id))).toEqual({
        id: String(id),
        file_type: id === 1 ? 1 : id === 5 ? 3 : 2,
        generation,
        size,
        crc32: listed.toString(16).padStart(8, '0'),
        sha256: hashOf(data),
      });
    }
  });

  it('file-content.B1 are the same for the same seed, others for another seed, file or generation', async () => {
    const hashes = async (seed: number) =>
      (await new OnboardFiles(seed, START_MS).contents()).map(({ sha256 }) => sha256);
    const [one, again, other] = [await hashes(1), await hashes(1), await hashes(2)];
    expect(again).toEqual(one);
    // The empty one is the empty one.
    expect(other.filter((hash, index) => hash === one[index])).toEqual([hashOf(Buffer.alloc(0))]);
    const of = (file: number, generation: number) =>
      hashOf(seededContent(1, file, generation, 5_000).read(0, 5_000));
    expect(new Set([of(2, 1), of(3, 1), of(2, 2)]).size).toBe(3);
  });

  it('file-content.B1 a part is the same whichever way it is read', () => {
    const content = seededContent(3, 9, 1, 40_000);
    const whole = content.read(0, 40_000);
    fc.assert(
      fc.property(fc.nat(40_000), fc.nat(40_000), (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        expect(content.read(from, to - from).equals(whole.subarray(from, to))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('housekeeping is packets as they are sent in real time, of the hour before', () => {
    const ground = new Ground();
    const data = ground.download(1, 12_600, 65_500);
    const packets = Array.from({ length: 360 }, (_, index) => data.subarray(index * 35, (index + 1) * 35));
    const read = packets.map((packet) => readPusTelemetry(packet, 7));
    expect(read.every((each) => each.ok && each.value.service === 3 && each.value.subtype === 25)).toBe(true);
  });

  it('are more where the gateway is given sizes, and listed in as many packets as it takes', () => {
    const more = new Map(Array.from({ length: 100 }, (_, index) => [1_000 + index, index]));
    const ground = new Ground(7, more);
    const { messages } = ground.send('09');
    expect(messages).toHaveLength(7);
    expect(ground.list()).toHaveLength(105);
    expect(ground.entry(1_099)).toMatchObject({ type: 2, size: 99, generation: 1 });
  });

  it('a listing of no files is one packet without entries', () => {
    const ground = new Ground();
    for (const id of ['01', '02', '03', '04', '05']) expect(ground.send(`0c00${id}`).reports).toEqual(DONE);
    const { messages } = ground.send('09');
    expect(messages.map(({ data }) => data.toString('hex'))).toEqual(['00']);
  });
});

describe('reading', () => {
  it('of nothing gives a part of no bytes; behind the end, of another file or too much it is refused', () => {
    const ground = new Ground();
    expect(ground.read(5, 0, 0)).toMatchObject({ reports: DONE, parts: [{ id: 5, data: Buffer.alloc(0) }] });
    expect(ground.read(2, 2_048, 1)).toEqual({ reports: OUT_OF_RANGE, parts: [] });
    expect(ground.read(99, 0, 1)).toEqual({ reports: OUT_OF_RANGE, parts: [] });
    expect(ground.read(4, 0, 65_501)).toEqual({ reports: ['1,2 4'], parts: [] });
  });
});

describe('writing', () => {
  it('MC-FILE-002 of the next generation begins the file again; it is listed with what is there so far', () => {
    const ground = new Ground();
    expect(ground.write(2, 0, bytes('0102'), 2)).toEqual(DONE);
    expect(ground.entry(2)).toEqual({ id: 2, type: 2, size: 2, crc32: crc32(bytes('0102')), generation: 2 });
    expect(ground.write(2, 4, bytes('05'), 2)).toEqual(DONE);
    const there = bytes('0102000005');
    expect(ground.entry(2)).toEqual({ id: 2, type: 2, size: 5, crc32: crc32(there), generation: 2 });
    expect(ground.read(2, 0, 5).parts).toMatchObject([{ generation: 2, data: there }]);
    expect(ground.write(2, 2, bytes('0304'), 2)).toEqual(DONE);
    expect(ground.download(2, 5, 5)).toEqual(bytes('0102030405'));
  });

  it('of a new file begins with generation 1, also where its first part comes last', () => {
    const ground = new Ground();
    expect(ground.write(300, 2, bytes('0304'), 1)).toEqual(DONE);
    expect(ground.write(300, 0, bytes('0102'), 1)).toEqual(DONE);
    expect(ground.entry(300)).toMatchObject({
      type: 0,
      size: 4,
      generation: 1,
      crc32: crc32(bytes('01020304')),
    });
  });

  it('onboard-files.M1 MC-GEN-022 of any other generation is refused, and changes nothing', () => {
    const ground = new Ground();
    const before = ground.list();
    for (const generation of [1, 3, 65_535])
      expect(ground.write(2, 0, bytes('01'), generation)).toEqual(OUT_OF_RANGE);
    expect(ground.write(300, 0, bytes('01'), 2)).toEqual(OUT_OF_RANGE);
    expect(ground.list()).toEqual(before);
  });

  it('onboard-files.M2 without a generation goes on with the file begun; a repetition is one; other beginnings begin the next generation', () => {
    const ground = new Ground();
    for (const [offset, part] of [
      [0, '0102'],
      [2, '0304'],
      [0, '0102'],
      [0, '01'],
    ] as const)
      expect(ground.write(2, offset, bytes(part))).toEqual(DONE);
    expect(ground.entry(2)).toMatchObject({ size: 4, generation: 2 });
    expect(ground.write(2, 0, bytes('09'))).toEqual(DONE);
    expect(ground.entry(2)).toMatchObject({ size: 1, generation: 3 });
  });

  it('onboard-files.M1 a file that was deleted comes back with the next generation', () => {
    const ground = new Ground();
    expect(ground.send('0c0002').reports).toEqual(DONE);
    expect(ground.entry(2)).toBeUndefined();
    expect(ground.send('0c0002').reports).toEqual(OUT_OF_RANGE);
    expect(ground.write(2, 0, bytes('01'), 1)).toEqual(OUT_OF_RANGE);
    expect(ground.write(2, 0, bytes('01'), 2)).toEqual(DONE);
    expect(ground.entry(2)).toMatchObject({ generation: 2, type: 0 });
  });

  it('MC-FILE-002 a file the spacecraft writes again has other bytes of the same size, and the next generation', () => {
    const ground = new Ground();
    const before = ground.list();
    for (const id of ['01', '02', '05']) expect(ground.send(`0d00${id}`).reports).toEqual(DONE);
    const after = ground.list();
    expect(after.map(({ size, type }) => [size, type])).toEqual(before.map(({ size, type }) => [size, type]));
    expect(after.map(({ generation }) => generation)).toEqual([2, 2, 1, 1, 2]);
    expect(after.map(({ crc32: sum }, index) => sum === before[index]!.crc32)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(ground.send('0d0063').reports).toEqual(OUT_OF_RANGE);
  });

  it('file-content.B2 beyond the largest file or the memory is refused, and takes no memory', () => {
    const files = new OnboardFiles(1, START_MS);
    expect(files.write(9, 0, ONBOARD_FILE_BYTES, bytes('01'))).toBe(false);
    expect(files.write(9, 0, ONBOARD_FILE_BYTES - 1, bytes('01'))).toBe(true);
    let written = 0;
    while (written < 10_000 && files.write(10_000 + written, 0, 0, bytes('01'))) written += 1;
    expect(written).toBeGreaterThan(5_000);
    expect(written).toBeLessThan(10_000);
  });

  it('file-content.B2 written in any order it is what was written', () => {
    const parts = fc.array(fc.tuple(fc.nat(150_000), fc.uint8Array({ minLength: 1, maxLength: 70_000 })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(parts, (writes) => {
        const files = new OnboardFiles(1, START_MS);
        let expected = Buffer.alloc(0);
        for (const [offset, data] of writes) {
          expect(files.write(9, 1, offset, Buffer.from(data))).toBe(true);
          const after = Buffer.alloc(Math.max(expected.length, offset + data.length));
          expected.copy(after);
          after.set(data, offset);
          expected = after;
        }
        expect((files.bytesOf(9) ?? Buffer.alloc(0)).equals(expected)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

describe('faults of the file memory', () => {
  const broken = (fault: 'bad_checksum' | 'short_files' | 'wrong_generation' | 'no_chunks'): Ground => {
    const ground = new Ground();
    ground.spacecraft.fault(fault, true);
    return ground;
  };

  it('bad_checksum lists wrong checksums; the files are as they were', async () => {
    const [sound, ground] = [new Ground(), broken('bad_checksum')];
    const pairs = ground.list().map(({ crc32: sum }, index) => [sum, sound.list()[index]!.crc32]);
    expect(pairs.every(([wrong, right]) => wrong !== right)).toBe(true);
    expect(await ground.spacecraft.contents()).toEqual(await sound.spacecraft.contents());
  });

  it('short_files lists whole files, of which the second half cannot be read', () => {
    const ground = broken('short_files');
    expect(ground.entry(2)).toMatchObject({ size: 2_048 });
    expect(ground.read(2, 0, 1_024).parts).toHaveLength(1);
    expect(ground.read(2, 1_024, 1)).toEqual({ reports: OUT_OF_RANGE, parts: [] });
  });

  it('wrong_generation has parts of a generation that is not listed', () => {
    const ground = broken('wrong_generation');
    expect(ground.entry(2)).toMatchObject({ generation: 1 });
    expect(ground.read(2, 0, 4).parts).toMatchObject([{ generation: 2 }]);
  });

  it('no_chunks reports reading as done, and nothing comes, until it is switched off', () => {
    const ground = broken('no_chunks');
    expect(ground.read(2, 0, 4)).toEqual({ reports: DONE, parts: [] });
    ground.spacecraft.fault('no_chunks', false);
    expect(ground.read(2, 0, 4).parts).toHaveLength(1);
  });
});
