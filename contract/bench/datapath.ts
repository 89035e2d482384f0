/**
 * The datapath of the modem: blocks captured, fed, measured, and packets transmitted. RF Bench Service, section 4,
 * rules 8 to 11, and section 8.
 */

import Type, { type Static } from 'typebox';
import { CAPTURE_BLOCKS, TRANSMIT_PACKETS } from '../limits/bench.ts';
import { JSON_BODY_BYTES } from '../limits/request.ts';
import { ChainState, DroppedBytes } from './chain.ts';

const closed = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });

/** Useful bytes of one DMA block; a packet goes on the air only when its block is complete. */
export const BLOCK_BYTES = 4096;

export const MEASURE_VERDICTS = ['BytePerfect', 'Degraded', 'NoCorrelation'] as const;
export type MeasureVerdict = (typeof MEASURE_VERDICTS)[number];

export const BlockMatch = Type.Object(
  {
    index: Count,
    matched: Type.Integer({ minimum: 0, description: 'Bytes equal to the payload at this rotation.' }),
    total: Count,
    rotation: Type.Integer({ minimum: 0, description: 'Place in the payload where the block begins.' }),
    ratio: Type.Number({ minimum: 0, maximum: 1 }),
  },
  { ...closed, title: 'BlockMatchDRO' },
);
export type BlockMatch = Static<typeof BlockMatch>;

export const Measurement = Type.Object(
  {
    verdict: Type.Enum(MEASURE_VERDICTS),
    rotation_slip: Type.Boolean({
      description:
        'A byte was lost or inserted at the boundary of a block; not an error of the demodulation.',
    }),
    blocks: Type.Array(BlockMatch),
    overall_ratio: Type.Number({ minimum: 0, maximum: 1 }),
    worst_block_ratio: Type.Number({ minimum: 0, maximum: 1 }),
    capture_bytes: Count,
    warmup: Type.Integer({ minimum: 0, description: 'Blocks discarded first.' }),
    detail: Type.Optional(
      Type.String({
        description: 'Ours: why nothing correlates, where that is found; the carrier in a wrong phase.',
      }),
    ),
  },
  { ...closed, title: 'MeasureReply' },
);
export type Measurement = Static<typeof Measurement>;

/** A request holds no more. */
const Hex = Type.String({ pattern: '^([0-9a-fA-F]{2})*$', maxLength: JSON_BODY_BYTES });

const CspFields = Type.Object(
  {
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2, description: 'Default 1.' })),
    pri: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 3, description: '0 critical to 3 low; default 2.' }),
    ),
    src: Type.Integer({ minimum: 0, maximum: 16_383 }),
    dst: Type.Integer({ minimum: 0, maximum: 16_383 }),
    dport: Type.Integer({ minimum: 0, maximum: 63 }),
    sport: Type.Integer({ minimum: 0, maximum: 63 }),
    flags: Type.Optional(Type.Integer({ minimum: 0, maximum: 255, description: 'Default 0.' })),
    crc32: Type.Optional(Type.Boolean({ description: 'Sets the flag and appends a CRC-32C, big-endian.' })),
    crc_covers: Type.Optional(Type.Enum(['payload', 'packet'], { description: 'Default `payload`.' })),
  },
  closed,
);

const SpacePacketFields = Type.Object(
  {
    apid: Type.Integer({ minimum: 0, maximum: 2047 }),
    type: Type.Optional(Type.Enum(['tm', 'tc'], { description: 'Default `tc`.' })),
    sec_hdr: Type.Optional(Type.Boolean()),
    seq_flags: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3,
        description: '0 continuation, 1 first, 2 last, 3 unsegmented; default 3.',
      }),
    ),
    seq_count: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 16_383, description: 'Default: counted for each APID.' }),
    ),
  },
  closed,
);

export const TransmitPacket = Type.Union([
  Type.Object({ protocol: Type.Literal('raw'), payload_hex: Hex }, closed),
  Type.Object({ protocol: Type.Literal('csp'), header: CspFields, payload_hex: Hex }, closed),
  Type.Object(
    {
      protocol: Type.Literal('ccsds'),
      header: SpacePacketFields,
      payload_hex: Hex,
      crc16: Type.Optional(Type.Boolean({ description: 'Appends a CRC-16 as packet error control.' })),
    },
    closed,
  ),
]);
export type TransmitPacket = Static<typeof TransmitPacket>;

export const Framing = Type.Union([
  Type.Object({ mode: Type.Literal('stream') }, closed),
  Type.Object(
    {
      mode: Type.Literal('slot'),
      slot_len: Type.Integer({ minimum: 1, maximum: BLOCK_BYTES }),
      pad: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 255, description: 'Byte that fills a slot; default 170.' }),
      ),
    },
    closed,
  ),
]);
export type Framing = Static<typeof Framing>;

export const TransmitBody = Type.Object(
  {
    packets: Type.Array(TransmitPacket, { minItems: 1, maxItems: TRANSMIT_PACKETS }),
    framing: Type.Optional(Framing),
    force: Type.Optional(
      Type.Boolean({
        description: 'Transmits even when the chain cannot carry it; overrides no other refusal.',
      }),
    ),
  },
  {
    ...closed,
    title: 'TransmitBody',
    examples: [{ packets: [{ protocol: 'raw', payload_hex: 'deadbeef' }], framing: { mode: 'stream' } }],
  },
);
export type TransmitBody = Static<typeof TransmitBody>;

export const FlushBody = Type.Object(
  {
    blocks: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 4096,
        description: 'Default 1; 2 to see the result come back.',
      }),
    ),
    force: Type.Optional(
      Type.Boolean({ description: 'Also where the chain cannot carry it, as for transmit.' }),
    ),
  },
  { ...closed, title: 'FlushBody', examples: [{ blocks: 2 }] },
);
export type FlushBody = Static<typeof FlushBody>;

export const CaptureBody = Type.Object(
  {
    blocks: Type.Integer({ minimum: 0, maximum: CAPTURE_BLOCKS }),
    warmup: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: CAPTURE_BLOCKS,
        description: 'Blocks discarded first; default 0.',
      }),
    ),
    timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400_000,
        description: 'Of all blocks; default by the rate of the applied profile.',
      }),
    ),
    release: Type.Optional(
      Type.Boolean({ description: 'Gives the devices of the modem back afterwards; default false.' }),
    ),
  },
  { ...closed, title: 'CaptureBody', examples: [{ blocks: 8, warmup: 4 }] },
);
export type CaptureBody = Static<typeof CaptureBody>;

export const Acquired = Type.Object(
  { acquired: Type.Boolean({ description: 'The daemon holds the IIO devices of the modem.' }) },
  { ...closed, title: 'DatapathState', examples: [{ acquired: true }] },
);
export type Acquired = Static<typeof Acquired>;

export const Enabled = Type.Object(
  { enabled: Type.Boolean(), dropped_bytes: DroppedBytes },
  { ...closed, title: 'EnableReply', examples: [{ enabled: true }] },
);
export type Enabled = Static<typeof Enabled>;

const ChainRuns = Type.Union([Type.Boolean(), Type.Null()], {
  description: 'Whether egress is open; null without a driver of the logic.',
});

export const FlushReply = Type.Object(
  {
    useful_bytes: Type.Integer({
      minimum: 0,
      description: 'Bytes handed to the DMA, not bytes on the air; 0: nothing was pending.',
    }),
    tx_chain_running: ChainRuns,
    dropped_bytes: DroppedBytes,
  },
  { ...closed, title: 'FlushReply', examples: [{ useful_bytes: 300, tx_chain_running: true }] },
);
export type FlushReply = Static<typeof FlushReply>;

export const TransmitReply = Type.Object(
  {
    packets: Count,
    useful_bytes: Count,
    wire_bytes: Count,
    block_useful_bytes: Count,
    boundaries_preserved: Type.Boolean({ description: 'False in stream mode.' }),
    tx_chain_running: ChainRuns,
    chain: Type.Optional(ChainState),
    dropped_bytes: DroppedBytes,
  },
  { ...closed, title: 'TransmitReply' },
);
export type TransmitReply = Static<typeof TransmitReply>;
