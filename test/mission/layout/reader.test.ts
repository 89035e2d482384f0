/** Layouts of every kind, against a slow reading of the bits. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockBuilder, type WideValue } from '../../../contract/batch.ts';
import type { Platform } from '../../../mission/platform.ts';
import { loadedPlatform } from '../documents.ts';

type Read = Record<string, number | WideValue>;

/** One packet read: the values by measure, the layout, the time on board. */
function readOne(
  platform: Platform,
  packet: Buffer,
): { values: Read; outcome: unknown; onboardMs: number | undefined } {
  const into = new BlockBuilder();
  const outcome = platform.packets.read(packet, 0, into);
  const [block] = into.take();
  const wide = new Map(block?.wide ?? []);
  const entries = [...(block?.ordinals ?? [])].map((ordinal, column) => {
    const value = wide.get(column) ?? block!.raw[column]!;
    return [platform.measures[ordinal]!.key, value] as const;
  });
  return { values: Object.fromEntries(entries), outcome, onboardMs: block?.onboard[0] };
}

/** A platform with one component `a` of these measures and one layout `p`. */
const withPacket = (measures: object, packet: object): Platform =>
  loadedPlatform({
    components: { a: { measures } },
    packets: { p: { match: [{ at: 0, bits: 8, equals: 1 }], ...packet } },
  });

/** The bits of a packet from the first, as text. */
const bitsOf = (packet: Buffer): string =>
  [...packet].map((byte) => byte.toString(2).padStart(8, '0')).join('');

describe('integers', () => {
  it('reads any width at any bit as the bits say, signed and unsigned, past 2^53 exactly', () => {
    const field = fc.record({
      bits: fc.integer({ min: 1, max: 64 }),
      at: fc.integer({ min: 8, max: 70 }),
      signed: fc.boolean(),
    });
    fc.assert(
      fc.property(field, fc.uint8Array({ minLength: 20, maxLength: 20 }), ({ bits, at, signed }, bytes) => {
        const packet = Buffer.from(bytes);
        packet[0] = 1;
        const type = signed ? 'i64' : 'u64';
        const place = { at: at >> 3, bit: at % 8, bits, type };
        const platform = withPacket({ m: { type } }, { fields: [{ ...place, to: 'a.m' }] });
        const unsigned = BigInt(`0b${bitsOf(packet).slice(at, at + bits)}`);
        const expected = signed ? BigInt.asIntN(bits, unsigned) : unsigned;
        const value = readOne(platform, packet).values['a.m']!;
        expect(BigInt(value)).toBe(expected);
        expect(typeof value).toBe(Number.isSafeInteger(Number(expected)) ? 'number' : 'bigint');
      }),
      { numRuns: 150 },
    );
  });

  it('reads little-endian integers and floats', () => {
    const packet = Buffer.alloc(40, 0);
    packet[0] = 1;
    packet.writeUInt16LE(0xfedc, 1);
    packet.writeInt32LE(-2, 3);
    packet.writeFloatLE(1.5, 7);
    packet.writeDoubleLE(-0.1, 11);
    packet.writeBigUInt64LE(2n ** 63n + 1n, 19);
    packet.writeBigInt64LE(-(2n ** 62n) - 1n, 27);
    const fields = ['u16', 'i32', 'f32', 'f64', 'u64', 'i64'].map((type, index) => ({
      ...(index === 0 && { at: 1 }),
      type,
      endian: 'little',
      to: `a.${type}`,
    }));
    const measures = Object.fromEntries(fields.map(({ type }) => [type, { type }]));
    expect(readOne(withPacket(measures, { fields }), packet).values).toEqual({
      'a.u16': 0xfedc,
      'a.i32': -2,
      'a.f32': 1.5,
      'a.f64': -0.1,
      'a.u64': 2n ** 63n + 1n,
      'a.i64': -(2n ** 62n) - 1n,
    });
  });

  it('reads floats that begin inside a byte', () => {
    const bits = `00000001${'101'}${bitsOf(Buffer.from('c0490fdb', 'hex'))}00000`;
    const packet = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
    const platform = withPacket(
      { m: { type: 'f32' } },
      { fields: [{ at: 1, bits: 3, to: 'skip' }, { to: 'a.m' }] },
    );
    expect(readOne(platform, packet).values).toEqual({ 'a.m': Buffer.from('c0490fdb', 'hex').readFloatBE() });
  });

  it('multiplies by the scale, and takes every number but zero as true', () => {
    const measures = { t: { type: 'f64' }, on: { type: 'bool' }, bit: { type: 'bool' } };
    const fields = [
      { at: 1, type: 'i16', scale: 0.25, to: 'a.t' },
      { type: 'u8', to: 'a.on' },
      { at: 4, bit: 1, to: 'a.bit' },
    ];
    const platform = withPacket(measures, { fields });
    const packet = (last: number): Buffer => Buffer.from([1, 0xff, 0xfe, 0x80, last]);
    expect(readOne(platform, packet(0x40)).values).toEqual({ 'a.t': -0.5, 'a.on': 1, 'a.bit': 1 });
    expect(readOne(platform, packet(0xbf)).values['a.bit']).toBe(0);
  });
});

describe('text, bytes and lengths', () => {
  const measures = {
    name: { type: 'string' },
    blob: { type: 'bytes' },
    after: { type: 'u16' },
    last: { type: 'bytes' },
  };

  it('reads fixed sizes, text without its padding', () => {
    const fields = [
      { at: 1, size: 6, to: 'a.name' },
      { size: 2, to: 'a.blob' },
    ];
    const packet = Buffer.concat([Buffer.from([1]), Buffer.from('sat\0\0\0'), Buffer.from([0, 0xff])]);
    expect(readOne(withPacket(measures, { fields }), packet).values).toEqual({
      'a.name': 'sat',
      'a.blob': '00ff',
    });
  });

  const varying = withPacket(measures, {
    tail: 2,
    fields: [
      { at: 1, type: 'string', length: 'u8', to: 'a.name' },
      { type: 'bytes', length: 'u16', to: 'a.blob' },
      { to: 'a.after' },
      { size: 'rest', to: 'a.last' },
    ],
  });

  it('places the fields behind one of varying length', () => {
    const packet = Buffer.from('01 03 616263 0002 beef 1234 cafe01 ffff'.replaceAll(' ', ''), 'hex');
    expect(readOne(varying, packet).values).toEqual({
      'a.name': 'abc',
      'a.blob': 'beef',
      'a.after': 0x1234,
      'a.last': 'cafe01',
    });
  });

  it('refuses a packet that ends inside a field, whatever the lengths say, and leaves no row', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
        const packet = Buffer.from([1, ...bytes]);
        const { outcome, values } = readOne(varying, packet);
        const nameEnd = 2 + (packet[1] ?? 0);
        const blobEnd = nameEnd + 2 + (packet.length >= nameEnd + 2 ? packet.readUInt16BE(nameEnd) : 1e9);
        if (blobEnd + 2 > packet.length - 2) {
          expect(outcome).toEqual({ fault: expect.stringContaining(`${packet.length} bytes`) });
          expect(values).toEqual({});
        } else {
          expect(outcome).toEqual({ layout: 'p' });
          expect(Object.keys(values)).toHaveLength(4);
        }
      }),
    );
  });

  it('refuses a packet outside the length of its layout', () => {
    const platform = withPacket(
      { m: { type: 'u8' } },
      { length: { min: 4, max: 5 }, fields: [{ at: 1, to: 'a.m' }] },
    );
    expect(readOne(platform, Buffer.from([1, 2, 3])).outcome).toEqual({
      fault: expect.stringContaining('at least 4'),
    });
    expect(readOne(platform, Buffer.from([1, 2, 3, 4])).outcome).toEqual({ layout: 'p' });
    expect(readOne(platform, Buffer.alloc(6, 1)).outcome).toEqual({
      fault: expect.stringContaining('at most 5'),
    });
  });
});

describe('conditional groups', () => {
  const measures = {
    kind: { type: 'u8' },
    x: { type: 'u8' },
    y: { type: 'u16' },
    sub: { type: 'u8' },
    z: { type: 'i8' },
  };
  const platform = withPacket(measures, {
    fields: [{ at: 1, to: 'a.kind' }],
    when: [
      { match: [{ field: 'a.kind', equals: 1 }], fields: [{ to: 'a.x' }] },
      {
        match: [{ field: 'a.kind', equals: [2, 3] }],
        fields: [{ to: 'a.y' }, { to: 'a.sub' }],
        when: [
          {
            match: [
              { field: 'a.sub', min: 10 },
              { at: 1, type: 'u8', max: 2 },
            ],
            fields: [{ to: 'a.z' }],
          },
        ],
      },
    ],
  });
  const values = (...bytes: number[]): Read => readOne(platform, Buffer.from([1, ...bytes])).values;

  it('reads the groups whose match holds, nested ones inside them, each behind the fields around it', () => {
    expect(values(0)).toEqual({ 'a.kind': 0 });
    expect(values(1, 7)).toEqual({ 'a.kind': 1, 'a.x': 7 });
    expect(values(2, 1, 2, 9)).toEqual({ 'a.kind': 2, 'a.y': 258, 'a.sub': 9 });
    expect(values(2, 1, 2, 10, 0xff)).toEqual({ 'a.kind': 2, 'a.y': 258, 'a.sub': 10, 'a.z': -1 });
    expect(values(3, 1, 2, 10, 0xff)).toEqual({ 'a.kind': 3, 'a.y': 258, 'a.sub': 10 });
  });

  it('refuses a packet too short for the group it has, and takes it without the group', () => {
    expect(readOne(platform, Buffer.from([1, 2, 1])).outcome).toEqual({
      fault: expect.stringContaining('at least 5'),
    });
    expect(readOne(platform, Buffer.from([1, 2])).outcome).toEqual({ fault: expect.anything() });
    expect(readOne(platform, Buffer.from([1, 0])).outcome).toEqual({ layout: 'p' });
  });

  it('layout/reader.P2 gives rows of one variant one block, and each variant its own', () => {
    const into = new BlockBuilder();
    for (const bytes of [
      [1, 1, 5],
      [1, 0],
      [1, 1, 6],
      [1, 2, 0, 0, 0],
      [1, 3, 0, 0, 0],
    ]) {
      platform.packets.read(Buffer.from(bytes), 0, into);
    }
    expect(into.take().map(({ ground }) => ground.length)).toEqual([2, 1, 2]);
  });
});

describe('times on board', () => {
  const onboard = (time: object, packet: Buffer): number | undefined =>
    readOne(withPacket({ m: { type: 'u8' } }, { time, fields: [{ at: 1, to: 'a.m' }] }), packet).onboardMs;
  const packet = (hex: string): Buffer => Buffer.from(`01ff${hex}`, 'hex');
  const epoch = '2000-01-01';
  const zero = Date.UTC(2000, 0, 1);

  it('reads CDS of both day segments and each submillisecond segment', () => {
    expect(onboard({ cds: { at: 2, epoch } }, packet('0002 00000003'.replace(' ', '')))).toBe(
      zero + 172_800_003,
    );
    expect(onboard({ cds: { at: 2, epoch, preamble: true } }, packet('40000200000003'))).toBe(
      zero + 172_800_003,
    );
    expect(onboard({ cds: { at: 2, epoch, fraction: 'us' } }, packet('00000000000301f4'))).toBe(zero + 3.5);
    const ps = onboard(
      { cds: { at: 2, epoch, days: 'u24', fraction: 'ps' } },
      packet('010000000000031dcd6500'),
    );
    expect(ps).toBe(zero + 65_536 * 86_400_000 + 3.5);
  });

  it('reads CUC with its fraction, and moves it by an offset', () => {
    expect(onboard({ cuc: { at: 2, epoch } }, packet('0000000a'))).toBe(zero + 10_000);
    expect(onboard({ cuc: { at: 2, epoch, fine: 1 } }, packet('0000000a80'))).toBe(zero + 10_500);
    expect(onboard({ cuc: { at: 2, epoch, coarse: 2, fine: 2, offset: '-37 s' } }, packet('000a4000'))).toBe(
      zero - 26_750,
    );
  });

  it('reads a time in parts, little endian too, and has none without a time field', () => {
    const parts = { epoch, s: { at: 2, type: 'u16', endian: 'little' }, ms: { at: 4, bit: 6, bits: 10 } };
    expect(onboard({ parts }, packet('0a0003e7'))).toBe(zero + 10_000 + 999);
    const without = withPacket({ m: { type: 'u8' } }, { fields: [{ at: 1, to: 'a.m' }] });
    expect(readOne(without, packet('00')).onboardMs).toBeNaN();
  });

  it('needs the bytes of the time even where no field does', () => {
    const platform = withPacket(
      { m: { type: 'u8' } },
      { time: { cds: { at: 2, epoch } }, fields: [{ at: 1, to: 'a.m' }] },
    );
    expect(readOne(platform, packet('000000000')).outcome).toEqual({
      fault: expect.stringContaining('at least 8'),
    });
  });
});

describe('which layout', () => {
  const measures = { x: { type: 'u8' }, y: { type: 'u8' } };
  const platform = loadedPlatform({
    components: { a: { measures } },
    packets: {
      special: { apid: 5, match: [{ at: 6, bits: 8, equals: 9 }], fields: [{ at: 7, to: 'a.x' }] },
      loose: { match: [{ at: 6, bits: 8, equals: 9 }], fields: [{ at: 7, to: 'a.y' }] },
      seven: { match: [{ at: 6, bits: 8, equals: 7 }], fields: [] },
      plain: { apid: 5, fields: [{ at: 6, to: 'a.y' }] },
    },
  });
  const layoutOf = (apid: number, byte: number): unknown =>
    readOne(platform, Buffer.from([apid >> 8, apid & 0xff, 0, 0, 0, 0, byte, 0])).outcome;

  it('layout/reader.P1 is the first of the document that matches', () => {
    expect(layoutOf(5, 9)).toEqual({ layout: 'special' });
    expect(layoutOf(5, 8)).toEqual({ layout: 'plain' });
    expect(layoutOf(5, 7)).toEqual({ layout: 'seven' });
    expect(layoutOf(6, 9)).toEqual({ layout: 'loose' });
    expect(layoutOf(6, 8)).toBeUndefined();
    expect(layoutOf(0x705, 8)).toBeUndefined();
  });
});
