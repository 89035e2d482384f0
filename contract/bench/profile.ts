/**
 * Radio profiles: the document, and what the routes show of it. RF Bench Service, sections 2 and 4. The fields of
 * ProfileDRO are not shown there; they are those of its summary plus pulse, coding, framing and gains.
 */

import Type, { type Static } from 'typebox';
import { bounded } from '../bounded.ts';

const closed = { additionalProperties: false } as const;

export const MODULATIONS = ['bpsk', 'dbpsk', 'qpsk', 'oqpsk', '8psk'] as const;
export type Modulation = (typeof MODULATIONS)[number];

/** Names that a path of the interface has for itself (`/profiles/active`). */
export const RESERVED_NAMES = ['active', 'validate'] as const;
export const BENCH_NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$';
export const BenchName = Type.String({ pattern: BENCH_NAME_PATTERN });

const Hertz = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const SignedHertz = Type.Integer();

const ReceiverSettings = Type.Object(
  {
    gain_db: Type.Integer({
      description: 'Gain of the full table, in dB; the legal range depends on the band.',
    }),
    gain_mode: Type.Optional(
      Type.Enum(['manual', 'fast_attack', 'slow_attack', 'hybrid'], { description: 'Default `manual`.' }),
    ),
    bandwidth_hz: Type.Optional(Hertz),
    nco_offset_hz: Type.Optional(SignedHertz),
  },
  closed,
);

const TransmitterSettings = Type.Object(
  {
    gain_db: Type.Number({
      minimum: -89.75,
      maximum: 0,
      description: 'Attenuation as a number of dB at most 0, in steps of 0.25.',
    }),
    bandwidth_hz: Type.Optional(Hertz),
    nco_offset_hz: Type.Optional(SignedHertz),
  },
  closed,
);

const Pulse = Type.Object(
  {
    shape: Type.Enum(['rrc']),
    rolloff: Type.Number({ minimum: 0.05, maximum: 1 }),
    span: Type.Optional(Type.Integer({ minimum: 2, maximum: 32, description: 'In symbols.' })),
  },
  closed,
);

const Coding = Type.Object(
  {
    inner: Type.Optional(Type.Enum(['none', 'conv-1/2'])),
    outer: Type.Optional(Type.Enum(['none', 'rs-255-223'])),
    interleave: Type.Optional(Type.Integer({ minimum: 1, maximum: 8 })),
  },
  closed,
);

const ProfileFraming = Type.Object(
  {
    kind: Type.Enum(['stream', 'slot']),
    frame_len: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 4096, description: 'Bytes of a frame of the modem.' }),
    ),
    sync_word_hex: Type.Optional(Type.String({ pattern: '^([0-9a-fA-F]{2}){1,8}$' })),
    scrambler: Type.Optional(Type.Enum(['none', 'ccsds'])),
    differential: Type.Optional(Type.Boolean()),
  },
  closed,
);

const EXAMPLE_PROFILE = {
  name: 'qpsk-1m',
  display_name: 'QPSK 1 MBd, S band',
  modulation: 'qpsk',
  symbol_rate_baud: 1_000_000,
  center_frequency_hz: 2_400_000_000,
  rx: { gain_db: 40, gain_mode: 'manual', bandwidth_hz: 2_000_000, nco_offset_hz: 0 },
  tx: { gain_db: -10, bandwidth_hz: 2_000_000, nco_offset_hz: 0 },
  pulse: { shape: 'rrc', rolloff: 0.35, span: 8 },
  fec: { inner: 'none', outer: 'none' },
  framing: {
    kind: 'slot',
    frame_len: 256,
    sync_word_hex: '1acffc1d',
    scrambler: 'ccsds',
    differential: false,
  },
} as const;

export const Profile = bounded(
  Type.Object(
    {
      name: BenchName,
      display_name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      modulation: Type.Enum(MODULATIONS),
      symbol_rate_baud: Type.Number({ exclusiveMinimum: 0 }),
      center_frequency_hz: Hertz,
      rx: ReceiverSettings,
      tx: TransmitterSettings,
      pulse: Type.Optional(Pulse),
      fec: Type.Optional(Coding),
      framing: Type.Optional(ProfileFraming),
    },
    { ...closed, title: 'ProfileDRO', examples: [EXAMPLE_PROFILE] },
  ),
);
export type Profile = Static<typeof Profile>;

export const ProfileSummary = Type.Object(
  {
    name: Type.String(),
    display_name: Type.Optional(Type.String()),
    modulation: Type.String(),
    symbol_rate_baud: Type.Number(),
    center_frequency_hz: Hertz,
  },
  { ...closed, title: 'ProfileSummaryDRO' },
);
export type ProfileSummary = Static<typeof ProfileSummary>;

export const ActiveProfile = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'Absent while none was applied.' })),
    dirty: Type.Boolean({ description: 'A manual change landed after the apply.' }),
    dirty_reason: Type.Optional(
      Type.String({
        description:
          'Route of that change; where it was made elsewhere, what the board reads and what the profile asks for.',
      }),
    ),
  },
  { ...closed, title: 'ActiveProfileDRO', examples: [{ name: 'qpsk-1m', dirty: false }] },
);
export type ActiveProfile = Static<typeof ActiveProfile>;

export const ApplyResult = Type.Object(
  {
    profile_name: Type.String(),
    cfg_epoch: Type.Integer({
      minimum: 0,
      maximum: 0x7fff_ffff,
      description: 'Count of applies, kept over restarts.',
    }),
    tuning: Type.String({ description: 'One sentence on what the apply did to the radio.' }),
  },
  { ...closed, title: 'ApplyResultDRO' },
);
export type ApplyResult = Static<typeof ApplyResult>;

export const ProfileRevision = Type.Object(
  {
    version: Type.Integer({ minimum: 1 }),
    cfg_epoch: Type.Integer({ minimum: 0 }),
    applied_at: Type.String({ format: 'date-time' }),
    applied_by: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
  },
  { ...closed, title: 'ProfileRevisionDRO' },
);
export type ProfileRevision = Static<typeof ProfileRevision>;

export const RegisterReply = Type.Object(
  {
    name: Type.String(),
    replaced: Type.Boolean({ description: 'The name existed.' }),
    persisted: Type.Literal(false, {
      description: 'A registered profile is gone after a restart of the daemon.',
    }),
    note: Type.String(),
  },
  { ...closed, title: 'RegisterReply' },
);
export type RegisterReply = Static<typeof RegisterReply>;

/** Of profiles and scenarios. */
export const Validated = Type.Object(
  {
    ok: Type.Boolean(),
    errors: Type.Array(Type.String({ description: '`path: reason`' })),
  },
  {
    ...closed,
    title: 'ValidateReply',
    examples: [{ ok: false, errors: ['tx.gain_db: is 3; the maximum is 0'] }],
  },
);
export type Validated = Static<typeof Validated>;
