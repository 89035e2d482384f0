/**
 * The radio: commands and the status that every radio route answers with. RF Bench Service, sections 2 and 4.
 *
 * R1. A value that could not be read is null, or absent where the interface marks the field so: never a number that
 *     somebody could take for the setting.
 */

import Type, { type Static } from 'typebox';
import { DroppedBytes } from './chain.ts';

const closed = { additionalProperties: false } as const;
const Hertz = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Decibels = Type.Integer({ minimum: -0x8000_0000, maximum: 0x7fff_ffff });
const UNREADABLE = 'Null: unreadable.';
const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const TX_SOURCES = ['modem', 'tone', 'samples'] as const;

export const RadioStatus = Type.Object(
  {
    rx_state: Type.String(),
    tx_state: Type.String(),
    center_frequency_hz: orNull(
      Type.Integer({
        ...Hertz,
        description: 'Of the receiver: oscillator and digital offset together; null: unreadable.',
      }),
    ),
    rx_gain_db: orNull(Type.Integer({ ...Decibels, description: UNREADABLE })),
    tx_gain_db: orNull(
      Type.Integer({ ...Decibels, description: `${UNREADABLE} It counts as radiating then.` }),
    ),
    loopback: orNull(Type.Boolean({ description: UNREADABLE })),
    timing_lock: orNull(Type.Boolean({ description: UNREADABLE })),
    carrier_lock: orNull(Type.Boolean({ description: UNREADABLE })),
    rx_lo_hz: Type.Optional(Hertz),
    tx_lo_hz: Type.Optional(Hertz),
    rx_nco_offset_hz: orNull(Type.Integer({ description: UNREADABLE })),
    tx_nco_offset_hz: orNull(Type.Integer({ description: UNREADABLE })),
    profile_center_frequency_hz: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Of the applied profile; a manual tune does not move it.' }),
    ),
    rx_rf_gain_db: Type.Optional(Type.Number({ description: 'At the connector.' })),
    tx_rf_gain_db: Type.Optional(Type.Number({ description: 'At the connector: an attenuation.' })),
    rx_bandwidth_hz: orNull(
      Type.Integer({ minimum: 0, description: 'Analog filter as quantised; null: unreadable.' }),
    ),
    tx_bandwidth_hz: orNull(
      Type.Integer({ minimum: 0, description: 'Analog filter as quantised; null: unreadable.' }),
    ),
    sample_rate_sps: Type.Optional(Type.Integer()),
    tx_source: Type.Optional(
      Type.Enum(TX_SOURCES, {
        description:
          'What the transmitter is fed with. `tone`, `samples`: by another tool, whether the egress is open or not. Absent: unreadable.',
      }),
    ),
    dropped_bytes: DroppedBytes,
  },
  { ...closed, title: 'RadioStatusDRO' },
);
export type RadioStatus = Static<typeof RadioStatus>;

export const RADIO_CHANNELS = ['rx', 'tx', 'both'] as const;
export const RESET_SCOPES = ['rx', 'tx', 'all'] as const;
export type ResetScope = (typeof RESET_SCOPES)[number];

export const FrequencyBody = Type.Object(
  {
    center_frequency_hz: Hertz,
    channel: Type.Optional(Type.Enum(RADIO_CHANNELS, { description: 'Default `both`.' })),
    tune_lo: Type.Optional(
      Type.Boolean({
        description: 'Default true: also drives the analog oscillator; false: only the digital one.',
      }),
    ),
  },
  { ...closed, title: 'FrequencyBody', examples: [{ center_frequency_hz: 2_400_000_000, channel: 'both' }] },
);
export type FrequencyBody = Static<typeof FrequencyBody>;

export const GainBody = Type.Object(
  {
    rx_gain_db: Type.Optional(orNull(Decibels)),
    tx_gain_db: Type.Optional(orNull(Decibels)),
  },
  { ...closed, title: 'GainBody', examples: [{ rx_gain_db: 40, tx_gain_db: -10 }] },
);
export type GainBody = Static<typeof GainBody>;

export const LoopbackBody = Type.Object(
  { enabled: Type.Boolean() },
  { ...closed, title: 'LoopbackBody', examples: [{ enabled: true }] },
);
export const ResetBody = Type.Object(
  { scope: Type.Enum(RESET_SCOPES) },
  { ...closed, title: 'ResetBody', examples: [{ scope: 'rx' }] },
);
