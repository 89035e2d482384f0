/**
 * How bytes are described in a platform document: packets read into measures, and the data of telecommands. The driver
 * needs no code of its own for a spacecraft. Positions count from the first bit of the packet, the most significant
 * bit of a byte is bit 0.
 */

import Type, { type Static } from 'typebox';
import { closed, DurationText, Identifier, Text } from './name.ts';

export const FieldType = Type.Enum([
  'u8',
  'u16',
  'u32',
  'u64',
  'i8',
  'i16',
  'i32',
  'i64',
  'f32',
  'f64',
  'bool',
  'string',
  'bytes',
]);
const Endian = Type.Enum(['big', 'little'], { description: 'big unless said otherwise.' });
const Bits = Type.Integer({ minimum: 1, maximum: 64 });
const At = Type.Integer({
  minimum: 0,
  maximum: 65_541,
  description: 'Byte of the packet; omitted: after the previous field.',
});
const Bit = Type.Integer({
  minimum: 0,
  maximum: 7,
  description: 'Bit of that byte, 0 the most significant.',
});
const LengthPrefix = Type.Enum(['u8', 'u16'], {
  description: 'Type of the length written before the bytes.',
});

export const PacketField = Type.Object(
  {
    at: Type.Optional(At),
    bit: Type.Optional(Bit),
    bits: Type.Optional(Bits),
    type: Type.Optional(FieldType),
    endian: Type.Optional(Endian),
    size: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 65_542 }), Type.Literal('rest')], {
        description: 'Bytes of a string or bytes field; rest: up to the end of the data.',
      }),
    ),
    length: Type.Optional(LengthPrefix),
    to: Type.String({ description: '`component[instance].measure`, or `skip`.' }),
    scale: Type.Optional(Type.Number({ description: 'The raw value is the number read, times this.' })),
  },
  { ...closed, title: 'PacketField' },
);
export type PacketField = Static<typeof PacketField>;

export const PacketMatch = Type.Object(
  {
    field: Type.Optional(Type.String({ description: 'A field before it, by what it is read to.' })),
    at: Type.Optional(At),
    bit: Type.Optional(Bit),
    bits: Type.Optional(Bits),
    type: Type.Optional(FieldType),
    endian: Type.Optional(Endian),
    equals: Type.Optional(Type.Union([Type.Integer(), Type.Array(Type.Integer(), { minItems: 1 })])),
    min: Type.Optional(Type.Integer()),
    max: Type.Optional(Type.Integer()),
  },
  { ...closed, title: 'PacketMatch' },
);
export type PacketMatch = Static<typeof PacketMatch>;

/** Fields that are there only under a condition on the packet, nested as deep as the packet is. */
export interface PacketGroup {
  readonly match: readonly PacketMatch[];
  readonly fields: readonly PacketField[];
  readonly when?: readonly PacketGroup[];
}
const groupOf = (when: Type.TSchema) =>
  Type.Object(
    {
      match: Type.Array(PacketMatch, { minItems: 1 }),
      fields: Type.Array(PacketField),
      when: Type.Optional(Type.Array(when)),
    },
    { ...closed, title: 'PacketGroup' },
  );
/** Eight levels: containers of known missions nest four deep. */
const deepest = Type.Object(
  { match: Type.Array(PacketMatch, { minItems: 1 }), fields: Type.Array(PacketField) },
  { ...closed, title: 'PacketGroup' },
);
export const PacketGroup = [1, 2, 3, 4, 5, 6, 7].reduce<Type.TSchema>((inner) => groupOf(inner), deepest);

const Epoch = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$',
  title: 'epoch',
  description: 'Like 1958-01-01 (UTC).',
});
const timed = {
  at: At,
  epoch: Epoch,
  preamble: Type.Optional(Type.Boolean({ description: 'A P-field comes first; it is not interpreted.' })),
  offset: Type.Optional(DurationText),
};
export const CdsTime = Type.Object(
  {
    ...timed,
    days: Type.Optional(Type.Enum(['u16', 'u24'])),
    fraction: Type.Optional(Type.Enum(['none', 'us', 'ps'], { description: 'Submillisecond segment.' })),
  },
  { ...closed, title: 'CdsTime' },
);
export const CucTime = Type.Object(
  {
    ...timed,
    coarse: Type.Optional(Type.Integer({ minimum: 1, maximum: 4, description: 'Bytes of seconds.' })),
    fine: Type.Optional(Type.Integer({ minimum: 0, maximum: 3, description: 'Bytes of fraction.' })),
  },
  { ...closed, title: 'CucTime' },
);
const TimePart = Type.Object(
  {
    at: At,
    bit: Type.Optional(Bit),
    bits: Type.Optional(Bits),
    type: Type.Optional(FieldType),
    endian: Type.Optional(Endian),
  },
  { ...closed, title: 'TimePart' },
);
export const PartsTime = Type.Object(
  {
    epoch: Epoch,
    offset: Type.Optional(DurationText),
    days: Type.Optional(TimePart),
    s: Type.Optional(TimePart),
    ms: Type.Optional(TimePart),
    us: Type.Optional(TimePart),
    ns: Type.Optional(TimePart),
  },
  { ...closed, title: 'PartsTime' },
);
export const PacketTime = Type.Object(
  { cds: Type.Optional(CdsTime), cuc: Type.Optional(CucTime), parts: Type.Optional(PartsTime) },
  { ...closed, title: 'PacketTime', minProperties: 1, maxProperties: 1 },
);
export type PacketTime = Static<typeof PacketTime>;

const CspPort = Type.Integer({ minimum: 0, maximum: 63 });
export const CspSelection = Type.Object(
  {
    port: Type.Optional(CspPort),
    source_port: Type.Optional(CspPort),
    source: Type.Optional(Type.Integer({ minimum: 0, maximum: 16_383 })),
  },
  {
    ...closed,
    title: 'CspSelection',
    description:
      'CSP packets it is for. Positions then count from the first byte of the data, after the header.',
    minProperties: 1,
  },
);

/** What the fields of an entry of the directory, and of a chunk, can say. */
const ENTRY_PARTS = ['id', 'file_type', 'size', 'checksum', 'generation', 'skip'] as const;
const CHUNK_PARTS = ['id', 'generation', 'offset', 'data', 'skip'] as const;
const fileField = {
  bits: Type.Optional(Bits),
  type: Type.Optional(FieldType),
  endian: Type.Optional(Endian),
  size: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 65_542 }), Type.Literal('rest')], {
      description: 'Bytes of a bytes field; rest: up to the end of the data.',
    }),
  ),
  length: Type.Optional(LengthPrefix),
  scale: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The size or offset is the number read, times this.' }),
  ),
};
export const EntryField = Type.Object(
  { ...fileField, to: Type.Enum([...ENTRY_PARTS]) },
  { ...closed, title: 'EntryField' },
);
export const ChunkField = Type.Object(
  { ...fileField, to: Type.Enum([...CHUNK_PARTS]) },
  { ...closed, title: 'ChunkField' },
);
export type FileField = Static<typeof EntryField> | Static<typeof ChunkField>;
export const ListingDocument = Type.Object(
  {
    at: At,
    count: Type.Optional(TimePart),
    entry: Type.Array(EntryField, { minItems: 1 }),
  },
  {
    ...closed,
    title: 'Listing',
    description: 'Entries of the on-board directory from a byte of the packet on, one behind the other.',
  },
);
export type ListingDocument = Static<typeof ListingDocument>;
export const ChunkDocument = Type.Object(
  { at: At, fields: Type.Array(ChunkField, { minItems: 1 }) },
  { ...closed, title: 'Chunk', description: 'A part of a file from a byte of the packet on.' },
);
export type ChunkDocument = Static<typeof ChunkDocument>;

export const Packet = Type.Object(
  {
    description: Type.Optional(Text),
    apid: Type.Optional(Type.Integer({ minimum: 0, maximum: 2047 })),
    service: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    subtype: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    csp: Type.Optional(CspSelection),
    match: Type.Optional(Type.Array(PacketMatch)),
    length: Type.Optional(
      Type.Object(
        {
          min: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_542 })),
          max: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_542 })),
        },
        { ...closed, description: 'Bytes of the whole packet.' },
      ),
    ),
    tail: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 64,
        description: 'Bytes at the end that are not data, like a CRC.',
      }),
    ),
    time: Type.Optional(PacketTime),
    fields: Type.Optional(Type.Array(PacketField)),
    when: Type.Optional(Type.Array(PacketGroup)),
    listing: Type.Optional(ListingDocument),
    chunk: Type.Optional(ChunkDocument),
  },
  { ...closed, title: 'Packet' },
);
export type Packet = Static<typeof Packet>;

export const EncodeField = Type.Object(
  {
    type: FieldType,
    bits: Type.Optional(Bits),
    endian: Type.Optional(Endian),
    value: Type.Optional(Type.Union([Type.Number(), Type.Boolean(), Type.String()])),
    from: Type.Optional(
      Type.String({
        pattern: '^\\$[A-Za-z][A-Za-z0-9_-]*$',
        title: 'argument reference',
        description: '`$argument`, or `$instance`.',
      }),
    ),
    length: Type.Optional(LengthPrefix),
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    scale: Type.Optional(Type.Number({ description: 'The number written, times this, is the argument.' })),
  },
  { ...closed, title: 'EncodeField' },
);
export type EncodeField = Static<typeof EncodeField>;

export const Encode = Type.Object(
  {
    service: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    subtype: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    apid: Type.Optional(Type.Integer({ minimum: 0, maximum: 2047 })),
    port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
    line: Type.Optional(
      Type.String({
        minLength: 1,
        title: 'line',
        description: 'Like `SET HEATER {state}`, instead of fields.',
      }),
    ),
    fields: Type.Optional(Type.Array(EncodeField)),
  },
  { ...closed, title: 'Encode' },
);
export type Encode = Static<typeof Encode>;

export const PacketMap = Type.Record(Identifier, Packet, closed);
