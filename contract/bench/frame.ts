/**
 * Captured frames: one entry is one DMA block, cut with no relation to a frame of a protocol. RF Bench Service, section
 * 2. Times are counted from the start of the daemon: RFC 3339 with the epoch as that instant.
 */

import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

export const BenchFrame = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    timestamp: Type.String({ format: 'date-time', description: 'Counted from the start of the daemon.' }),
    profile: Type.Optional(Type.String({ description: 'Applied when it was captured.' })),
    protocol: Type.String({ description: '`raw`: a block has no protocol.' }),
    fec_status: Type.String({ description: '`none`, `clean`, `corrected <bytes>` or `uncorrectable`.' }),
    crc_ok: Type.Optional(Type.Boolean()),
    payload_hex: Type.String(),
  },
  {
    ...closed,
    title: 'FrameDRO',
    examples: [
      {
        id: '0192f0c4-7b1e-7a33-9c1d-3f2a9be4a001',
        timestamp: '1970-01-01T00:00:12.345Z',
        profile: 'qpsk-1m',
        protocol: 'raw',
        fec_status: 'none',
        payload_hex: 'deadbeef',
      },
    ],
  },
);
export type BenchFrame = Static<typeof BenchFrame>;

export const FramePage = Type.Object(
  {
    granularity: Type.Literal('dma_block'),
    clock: Type.Literal('boot_relative'),
    empty_reason: Type.Optional(Type.String({ description: 'Why the page is empty.' })),
    frames: Type.Array(BenchFrame, { description: 'Newest first.' }),
  },
  { ...closed, title: 'FramePage' },
);
export type FramePage = Static<typeof FramePage>;
