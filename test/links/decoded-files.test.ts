/** Files in what a gateway receives: the simulated spacecraft's packets, through the decoder, to the bus. */

import { beforeEach, describe, expect, it } from 'vitest';
import { type DecodedBatch, decodeBatch, encodeBatch, type FileSample } from '../../contract/batch.ts';
import { header } from '../../contract/bus/headers.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { readFileChunk } from '../../contract/file-chunk.ts';
import { FILES_PER_MESSAGE } from '../../contract/limits/transfer.ts';
import { CounterBlocks } from '../../links/driver/counter-blocks.ts';
import { createPusDriver } from '../../links/driver/pus-c.ts';
import { createFrameDecoder, type FrameDecoder } from '../../links/frame-decoder.ts';
import { TelemetryWriter } from '../../links/simulated/onboard-packet.ts';
import { createSpacecraft, type Spacecraft } from '../../links/simulated/spacecraft.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import { writePusTelecommand } from '../../protocol/pus-telecommand.ts';
import { firstTerm } from '../support/decoding.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { demoMission, TestMissions } from '../support/missions.ts';
import { bookOf } from '../support/passes.ts';
import { type KeptLog, keptLog } from '../support/silent-log.ts';
import { MemoryBucket, MemoryBus } from './memory-bus.ts';

const START_MS = Date.UTC(2026, 0, 1);
const mission = demoMission();
let bus: MemoryBus;
let log: KeptLog;
let clock: ManualClock;
let spacecraft: Spacecraft;
let packets: Buffer[];

const newDecoder = (term = firstTerm): FrameDecoder =>
  createFrameDecoder({
    bus,
    missions: new TestMissions(mission),
    passes: bookOf([]),
    gateway: 'sim-1',
    log,
    term,
  });

beforeEach(() => {
  bus = new MemoryBus();
  log = keptLog();
  clock = new ManualClock(START_MS);
  packets = [];
  spacecraft = createSpacecraft({ clock, seed: 3 });
  spacecraft.onDownlink((packet) => packets.push(packet));
});

let count = 0;

/** What comes down of functions of the file memory, housekeeping left out. */
function answers(...functions: string[]): Buffer[] {
  clock.advance(100);
  packets = [];
  for (const data of functions) {
    count += 1;
    const head = { apid: 0x73, sequenceCount: count, flags: 0, service: 8, subtype: 1, source: 0 };
    const packet = writePusTelecommand({ ...head, data: Buffer.from(data, 'hex') });
    if (packet.ok) spacecraft.uplink(packet.value);
  }
  clock.advance(200);
  return packets.filter((packet) => packet[7] === 8);
}

function message(seq: number, frames: readonly Buffer[]): StreamMessage {
  const data = encodeBatch({ at: frames.map((_, index) => 1_000 * seq + index), frames });
  return { subject: 'mcs.tm.frame.sim-1', data, headers: {}, seq, at: seq, pending: 0 };
}

const decoded = (): DecodedBatch[] =>
  bus.on(subject.decoded('sat1')).map(({ data }) => decodeBatch<DecodedBatch>(data));
const listed = (): FileSample[] => decoded().flatMap(({ files = [] }) => files);
const chunks = (file: string) => bus.on(subject.fileChunk('sat1', file));

/** Packets of a listing of so many files. */
function listingOf(files: number, entry = (id: number) => ({ id, generation: 1 })): Buffer[] {
  const writer = new TelemetryWriter();
  return Array.from({ length: Math.ceil(files / 16) }, (_, part) => {
    const ids = Array.from({ length: Math.min(16, files - part * 16) }, (_, index) => part * 16 + index + 1);
    const entries = ids.map((each) => {
      const { id, generation } = entry(each);
      const bytes = Buffer.alloc(13);
      bytes.writeUInt16BE(id, 0);
      bytes.writeUInt16BE(generation, 11);
      return bytes;
    });
    const data = Buffer.concat([Buffer.from([ids.length]), ...entries]);
    return writer.packet({ service: 8, subtype: 130, data }, START_MS);
  });
}

describe('a listing', () => {
  it('MC-FILE-008 MC-BUS-012 becomes samples of the files, with the times of its packet', async () => {
    await newDecoder().handle(message(5, answers('09')));
    const contents = await spacecraft.contents();
    expect(listed()).toEqual(
      contents.map(({ id, file_type, size, crc32, generation }) => ({
        file: id,
        ground: 5_000,
        onboard: expect.closeTo(START_MS + 160, -2),
        file_type,
        size,
        checksum: crc32,
        generation,
      })),
    );
    const [{ headers }] = bus.on(subject.decoded('sat1')) as [StreamMessage];
    expect(headers).toEqual({
      [header.source]: '5',
      [header.sourceAt]: '5',
      [header.config]: mission.revision,
    });
    expect(decoded()).toMatchObject([{ link: 'uhf', blocks: [], reports: [] }]);
  });

  it('of five thousand files is one message, below the size the bus takes; of more it is several', async () => {
    const decoder = newDecoder();
    await decoder.handle(message(1, listingOf(FILES_PER_MESSAGE)));
    expect(decoded().map(({ files }) => files?.length)).toEqual([FILES_PER_MESSAGE]);
    const worst = {
      file: '18446744073709551615',
      ground: START_MS + 0.5,
      onboard: START_MS + 0.5,
      file_type: 2 ** 32 - 1,
      size: Number.MAX_SAFE_INTEGER,
      checksum: 'f'.repeat(64),
      generation: Number.MAX_SAFE_INTEGER,
    };
    const files = Array.from({ length: FILES_PER_MESSAGE }, () => worst);
    const largest = encodeBatch({ platform: 'f'.repeat(64), link: 'uhf', blocks: [], reports: [], files });
    expect(largest.length).toBeLessThan(2 ** 20 - 4_096);
    await decoder.handle(message(2, listingOf(FILES_PER_MESSAGE + 1)));
    expect(decoded().map(({ files }) => files?.length)).toEqual([FILES_PER_MESSAGE, FILES_PER_MESSAGE, 1]);
  });

  it('decoded-output.O1 is stored once when its message is decoded again, all parts of it', async () => {
    const again = message(1, [...listingOf(FILES_PER_MESSAGE + 1), ...answers('0a0002000000000010')]);
    await newDecoder().handle(again);
    const before = bus.stored.length;
    await newDecoder().handle(again);
    expect(bus.stored).toHaveLength(before);
    expect(before).toBe(3);
  });

  it('decoding-term.J2 of which a part is stored that no id recognizes any more is stored from the next part on', async () => {
    await newDecoder({ storedBefore: async () => 1 }).handle(message(1, listingOf(FILES_PER_MESSAGE + 1)));
    expect(listed().map(({ file }) => file)).toEqual([String(FILES_PER_MESSAGE + 1)]);
  });

  it('beside telemetry is a message of its own behind it', async () => {
    clock.advance(100);
    await newDecoder().handle(message(1, [...packets, ...answers('09')]));
    expect(decoded().map(({ blocks, files }) => [blocks.length, files?.length])).toEqual([
      [3, undefined],
      [0, 5],
    ]);
  });

  it('MC-FILE-008 is shown by the decode verb', () => {
    const driver = createPusDriver({}, new CounterBlocks(new MemoryBucket(bus), 'pus'));
    if (!driver.ok) throw new Error(driver.faults[0]);
    const [listing, part] = answers('09', '0a0002000000100002') as [Buffer, Buffer];
    const decode = (frame: Buffer) =>
      driver.value.decode!(
        { target: 'sat1', link: 'uhf', frame: frame.toString('hex') } as never,
        mission,
      ) as unknown as {
        readonly value: { readonly samples: readonly unknown[] };
      };
    expect(decode(listing)).toMatchObject({ ok: true });
    const { samples } = decode(listing).value;
    expect(samples.slice(0, 2)).toMatchObject([
      { component: 'files', instance: '1', measure: 'file_type', raw: 1, value: 1 },
      { component: 'files', instance: '1', measure: 'size', raw: 12_600, value: 12_600, unit: 'B' },
    ]);
    expect(decode(part).value.samples).toEqual([
      { component: 'files', instance: '2', measure: 'generation', raw: 1, value: null },
      { component: 'files', instance: '2', measure: 'offset', raw: 16, value: null },
      expect.objectContaining({ measure: 'data', value: null }),
    ]);
  });
});

describe('a chunk', () => {
  it('MC-XFER-045 MC-XFER-046 MC-BUS-012 is stored on the subject of its file, with generation and offset in headers', async () => {
    await newDecoder().handle(
      message(7, answers('0a0002000000000010', '0a0002000000640003', '0a0003000000000004')),
    );
    const found = chunks('2').map((each) => readFileChunk(each)!);
    expect(
      found.map(({ file, generation, offset, data }) => [file, generation, offset, data.length]),
    ).toEqual([
      ['2', 1, 0, 16],
      ['2', 1, 100, 3],
    ]);
    const whole = spacecraft.state.files.bytesOf(2)!;
    for (const { offset, data } of found)
      expect(Buffer.from(data)).toEqual(whole.subarray(offset, offset + data.length));
    expect(chunks('2')[0]?.headers).toEqual({
      'Mcs-Generation': '1',
      'Mcs-Offset': '0',
      [header.config]: mission.revision,
    });
    expect(chunks('3')).toHaveLength(1);
    expect(bus.on(subject.decoded('sat1'))).toEqual([]);
  });

  it('of no bytes, or of a damaged packet, is none; damage is counted', async () => {
    const [part] = answers('0a0002000000000010') as [Buffer];
    const damaged = Buffer.from(part);
    damaged[25]! ^= 1;
    const decoder = newDecoder();
    await decoder.handle(message(1, [...answers('0a0005000000000000'), damaged]));
    expect(bus.stored).toEqual([]);
    expect(decoder.faults).toBe(1);
  });

  it('frame-decoder.G2 that is not taken by the bus is handed over again with its message, and stored once', async () => {
    const decoder = newDecoder();
    const frames = answers('0a0002000000000010', '0a0002000000100010', '0a0002000000200010');
    let stored = 0;
    bus.before = () => {
      stored += 1;
      if (stored === 2) bus.connected = false;
    };
    await expect(decoder.handle(message(1, frames))).rejects.toMatchObject({ code: 'bus.unavailable' });
    bus.before = () => undefined;
    bus.connected = true;
    await decoder.handle(message(1, frames));
    const offsets = chunks('2').map(({ headers }) => headers['Mcs-Offset']);
    expect(offsets.toSorted()).toEqual(['0', '16', '32']);
  });
});

describe('what cannot be taken up', () => {
  it('layout/files.Y3 is left out and counted, and reported once a second', async () => {
    const wide = demoMission((text) =>
      text.replace(
        '        - { type: u16, to: generation }\n  file_part',
        '        - { type: u64, to: generation }\n  file_part',
      ),
    );
    const writer = new TelemetryWriter();
    const entries = [1n, 2n ** 60n, 2n ** 61n].map((generation, index) => {
      const entry = Buffer.alloc(19);
      entry.writeUInt16BE(index + 1, 0);
      entry.writeBigUInt64BE(generation, 11);
      return entry;
    });
    const packet = writer.packet(
      { service: 8, subtype: 130, data: Buffer.concat([Buffer.from([3]), ...entries]) },
      START_MS,
    );
    const decoder = createFrameDecoder({
      bus,
      missions: new TestMissions(wide),
      passes: bookOf([]),
      gateway: 'sim-1',
      log,
      term: firstTerm,
    });
    await decoder.handle(message(1, [packet]));
    expect(listed().map(({ file, generation }) => [file, generation])).toEqual([['1', 1]]);
    expect(decoder.faults).toBe(2);
    expect(log.said).toHaveLength(1);
    expect(log.said[0]?.fields).toMatchObject({ detail: `file 2: generation ${2n ** 60n} is beyond 2^53` });
  });
});
