/**
 * What the board can do, its auxiliary registers and its clocks. RF Bench Service, section 2; the paths are not shown
 * there: `/api/v1/capabilities`, `/api/v1/radio/aux`, `/api/v1/radio/clocks`.
 */

import Type, { type Static } from 'typebox';
import { MODULATIONS } from './profile.ts';

const closed = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0, maximum: 0x7fff_ffff });

export const SymbolRate = Type.Object(
  {
    baud: Type.Number(),
    label: Type.String(),
    available: Type.Boolean(),
    ad9361_rate_sps: Type.Optional(Type.Integer({ description: 'Sample rate of the data port.' })),
    interp: Type.Optional(
      Type.Integer({ description: 'Interpolation in the modem, over samples per symbol.' }),
    ),
    unavailable_reason: Type.Optional(
      Type.String({ description: 'The bound it hits; present exactly when it is not available.' }),
    ),
  },
  { ...closed, title: 'SymbolRateDRO' },
);
export type SymbolRate = Static<typeof SymbolRate>;

export const Capabilities = Type.Object(
  {
    modulations: Type.Array(Type.Enum(MODULATIONS)),
    rx_channels: Count,
    tx_channels: Count,
    mock: Type.Boolean({ description: 'The board is a model.' }),
    symbol_rates: Type.Array(SymbolRate),
  },
  { ...closed, title: 'CapabilitiesDRO' },
);
export type Capabilities = Static<typeof Capabilities>;

export const AuxRegister = Type.Object(
  {
    name: Type.String(),
    addr: Type.String({ description: 'Address in the register bank of the modem, hexadecimal.' }),
    value: Type.Optional(Type.Integer()),
    doc: Type.String(),
    error: Type.Optional(Type.String({ description: 'Why the value is absent.' })),
  },
  { ...closed, title: 'AuxRegDRO' },
);
export type AuxRegister = Static<typeof AuxRegister>;

export const Aux = Type.Object(
  { available: Type.Boolean(), reason: Type.Optional(Type.String()), regs: Type.Array(AuxRegister) },
  { ...closed, title: 'AuxDRO' },
);
export type Aux = Static<typeof Aux>;

export const ClockState = Type.Object(
  {
    name: Type.String(),
    enable: Type.Integer({ description: 'Authoritative.' }),
    prepare: Type.Integer({ description: 'Authoritative.' }),
    rate_hz: Type.Integer({
      description: 'As the clock framework reports it: the oscillators are registered at half their rate.',
    }),
  },
  { ...closed, title: 'ClockDRO' },
);
export type ClockState = Static<typeof ClockState>;

export const Clocks = Type.Object(
  { available: Type.Boolean(), source: Type.String(), clocks: Type.Array(ClockState) },
  { ...closed, title: 'ClocksDRO' },
);
export type Clocks = Static<typeof Clocks>;
