/** Listings and chunks in packets: bytes made by hand, every width, and whatever else may come. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockBuilder } from '../../../contract/batch.ts';
import type { FileReadings, Platform } from '../../../mission/platform.ts';
import { loadedPlatform } from '../documents.ts';

const GROUND = 1_000;

/** A platform with one packet `p`, of those that begin with byte 1. */
const withPacket = (packet: object): Platform =>
  loadedPlatform({ files: {}, packets: { p: { match: [{ at: 0, bits: 8, equals: 1 }], ...packet } } });

function readFiles(platform: Platform, packet: Buffer): FileReadings & { outcome: unknown } {
  const files: FileReadings = { samples: [], chunks: [] };
  const outcome = platform.packets.read(packet, GROUND, new BlockBuilder(), files);
  return { ...files, outcome };
}

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

const ENTRY = [
  { type: 'u16', to: 'id' },
  { type: 'u8', to: 'file_type' },
  { type: 'u32', to: 'size' },
  { type: 'bytes', size: 4, to: 'checksum' },
  { type: 'u16', to: 'generation' },
];

describe('a listing', () => {
  const counted = withPacket({ tail: 2, listing: { at: 2, count: { at: 1, type: 'u8' }, entry: ENTRY } });

  it('MC-FILE-008 MC-FILE-001 is read entry by entry, from bytes made by hand', () => {
    const packet = hex('01 02  0007 02 00000800 deadbeef 0003  00ff 01 00000000 00000000 0001  aaaa');
    const { samples, chunks, outcome } = readFiles(counted, packet);
    const times = { ground: GROUND, onboard: Number.NaN };
    expect(outcome).toEqual({ layout: 'p' });
    expect(chunks).toEqual([]);
    expect(samples).toEqual([
      { file: '7', ...times, file_type: 2, size: 2048, checksum: 'deadbeef', generation: 3 },
      { file: '255', ...times, file_type: 1, size: 0, checksum: '00000000', generation: 1 },
    ]);
  });

  it('carries the time on board of its packet', () => {
    const platform = withPacket({
      time: { parts: { epoch: '1970-01-01', s: { at: 1, type: 'u32' } } },
      listing: { at: 5, entry: [{ type: 'u8', to: 'id' }] },
    });
    const { samples } = readFiles(platform, hex('01 00000064 09'));
    expect(samples).toEqual([{ file: '9', ground: GROUND, onboard: 100_000 }]);
  });

  it('without a count goes to the end of the data; of no entries it is empty', () => {
    const platform = withPacket({ tail: 1, listing: { at: 1, entry: [{ type: 'u16', to: 'id' }] } });
    expect(readFiles(platform, hex('01 0001 0002 ff')).samples.map(({ file }) => file)).toEqual(['1', '2']);
    expect(readFiles(platform, hex('01 ff'))).toMatchObject({ samples: [], outcome: { layout: 'p' } });
    expect(readFiles(counted, hex('01 00 ffff'))).toMatchObject({ samples: [], outcome: { layout: 'p' } });
  });

  it('with a count leaves what fills the packet up', () => {
    const packet = hex('01 01  0007 02 00000800 deadbeef 0003  0000000000000000 aaaa');
    expect(readFiles(counted, packet).samples.map(({ file }) => file)).toEqual(['7']);
  });

  it.each([
    ['inside its second entry', '01 02  0007 02 00000800 deadbeef 0003  00ff 01 aaaa', /inside entry 2/],
    ['before its first entry', '01', /too short|before the listing/],
    ['inside its tail', '01 01 aa', /./],
  ])('layout/files.Y1 that ends %s gives nothing at all', (_, packet, reason) => {
    const { samples, outcome } = readFiles(counted, hex(packet));
    expect(samples).toEqual([]);
    expect((outcome as { fault: string }).fault).toMatch(reason);
  });

  it('reads identifiers of 64 bits whole, little endian, sub-byte fields, scales and checksums as numbers', () => {
    const platform = withPacket({
      listing: {
        at: 1,
        entry: [
          { type: 'u64', to: 'id' },
          { bits: 4, to: 'file_type' },
          { bits: 4, to: 'skip' },
          { type: 'u16', endian: 'little', scale: 512, to: 'size' },
          { type: 'u16', to: 'checksum' },
          { length: 'u8', to: 'skip' },
        ],
      },
    });
    const packet = hex('01  ffffffffffffffff a5 0300 00ff 03 414243   0000000000000001 10 0100 beef 00');
    expect(readFiles(platform, packet).samples).toMatchObject([
      { file: '18446744073709551615', file_type: 10, size: 1536, checksum: '00ff' },
      { file: '1', file_type: 1, size: 512, checksum: 'beef' },
    ]);
  });

  it('layout/files.Y3 MC-GEN-022 leaves out a size or generation that no double holds, with the reason', () => {
    const platform = withPacket({
      listing: {
        at: 1,
        entry: [
          { type: 'u8', to: 'id' },
          { type: 'u64', to: 'generation' },
        ],
      },
    });
    const packet = hex('01  01 001fffffffffffff  02 0020000000000001  03 0000000000000001');
    const { samples, outcome } = readFiles(platform, packet);
    expect(samples.map(({ file, generation }) => [file, generation])).toEqual([
      ['1', 2 ** 53 - 1],
      ['3', 1],
    ]);
    expect(outcome).toEqual({ layout: 'p', left: ['file 2: generation 9007199254740993 is beyond 2^53'] });
  });

  it('comes beside measures of the same packet', () => {
    const platform = loadedPlatform({
      components: { a: { measures: { m: { type: 'u8' } } } },
      files: {},
      packets: {
        p: {
          match: [{ at: 0, bits: 8, equals: 1 }],
          fields: [{ at: 1, to: 'a.m' }],
          listing: { at: 2, entry: [{ type: 'u8', to: 'id' }] },
        },
      },
    });
    const files: FileReadings = { samples: [], chunks: [] };
    const into = new BlockBuilder();
    platform.packets.read(hex('01 2a 05'), GROUND, into, files);
    expect(into.take()[0]?.raw).toEqual(Float64Array.of(42));
    expect(files.samples.map(({ file }) => file)).toEqual(['5']);
  });
});

describe('a chunk', () => {
  const chunk = (fields: object[]): Platform => withPacket({ tail: 1, chunk: { at: 1, fields } });
  const HEAD = [
    { type: 'u16', to: 'id' },
    { type: 'u16', to: 'generation' },
    { type: 'u32', to: 'offset' },
  ];

  it('MC-XFER-045 is read from bytes made by hand, its data up to the end, by a length, or of a size', () => {
    const expected = [{ file: '7', generation: 2, offset: 200, data: hex('010203') }];
    const rest = chunk([...HEAD, { size: 'rest', to: 'data' }]);
    expect(readFiles(rest, hex('01 0007 0002 000000c8 010203 ff')).chunks).toEqual(expected);
    const prefixed = chunk([...HEAD, { length: 'u16', to: 'data' }]);
    expect(readFiles(prefixed, hex('01 0007 0002 000000c8 0003 010203 0000 ff')).chunks).toEqual(expected);
    const sized = chunk([...HEAD, { size: 3, to: 'data' }]);
    expect(readFiles(sized, hex('01 0007 0002 000000c8 010203 ff')).chunks).toEqual(expected);
  });

  it('MC-XFER-019 without a generation is of generation 0', () => {
    const fields = [
      { type: 'u8', to: 'id' },
      { type: 'u8', to: 'offset' },
      { size: 'rest', to: 'data' },
    ];
    const [only] = readFiles(chunk(fields), hex('01 05 06 07 ff')).chunks;
    expect(only).toEqual({ file: '5', generation: 0, offset: 6, data: hex('07') });
  });

  it('of no bytes says nothing; one that ends early gives nothing', () => {
    const prefixed = chunk([...HEAD, { length: 'u16', to: 'data' }]);
    expect(readFiles(prefixed, hex('01 0007 0002 000000c8 0000 ff'))).toMatchObject({
      chunks: [],
      outcome: { layout: 'p' },
    });
    const { chunks, outcome } = readFiles(prefixed, hex('01 0007 0002 000000c8 0004 010203 ff'));
    expect(chunks).toEqual([]);
    expect((outcome as { fault: string }).fault).toMatch(/end inside the chunk of a file/);
  });

  it('layout/files.Y3 MC-GEN-022 beyond 2^53 is left out with the reason', () => {
    const fields = [
      { type: 'u8', to: 'id' },
      { type: 'u64', to: 'offset' },
      { size: 'rest', to: 'data' },
    ];
    const { chunks, outcome } = readFiles(chunk(fields), hex('01 05 0020000000000000 07 ff'));
    expect(chunks).toEqual([]);
    expect(outcome).toEqual({
      layout: 'p',
      left: ['file 5: a chunk of generation 0 at 9007199254740992 is beyond 2^53'],
    });
  });
});

describe('bytes of any kind', () => {
  const listings = [
    withPacket({ listing: { at: 5, count: { at: 1, type: 'u32' }, entry: ENTRY } }),
    withPacket({ tail: 2, listing: { at: 1, entry: [...ENTRY, { length: 'u16', to: 'skip' }] } }),
    withPacket({ listing: { at: 300, count: { at: 1, bits: 3 }, entry: [{ type: 'u8', to: 'id' }] } }),
    withPacket({
      chunk: {
        at: 1,
        fields: [
          { length: 'u8', to: 'skip' },
          { type: 'u64', to: 'id' },
          { type: 'u64', to: 'offset' },
          { length: 'u16', to: 'data' },
          { length: 'u8', to: 'skip' },
        ],
      },
    }),
  ];

  it('layout/files.Y2 never make reading throw, and give no more than they are long', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(listings.length - 1), (bytes, which) => {
        const packet = Buffer.from([1, ...bytes]);
        const { samples, chunks, outcome } = readFiles(listings[which]!, packet);
        expect(outcome).toBeDefined();
        const taken = chunks.reduce((sum, { data }) => sum + data.length, samples.length);
        expect(taken).toBeLessThanOrEqual(packet.length);
        for (const { file, size = 0, generation = 0 } of samples) {
          expect(file).toMatch(/^\d{1,20}$/);
          expect([size, generation].every(Number.isSafeInteger)).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('layout/files.Y2 a count of four thousand millions costs what the packet is long', () => {
    const packet = Buffer.concat([hex('01 ffffffff'), Buffer.alloc(13 * 1_000 + 5, 1)]);
    const { samples, outcome } = readFiles(listings[0]!, packet);
    expect(samples).toEqual([]);
    expect((outcome as { fault: string }).fault).toMatch(/entry 1001 of the listing.*4294967295/);
  });
});
