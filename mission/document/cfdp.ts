/**
 * What a topology document says of CFDP: the settings of a driver that speaks it, alone or beside telecommands (section
 * `cfdp`), and the transport of a link that carries its PDUs, alone or beside telecommands. `docs/cfdp.md` explains
 * each.
 */

import Type, { type Static } from 'typebox';
import { FRAME_BYTES } from '../../contract/limits/link.ts';
import { closed, DurationText } from './name.ts';

/** What a PDU holds at least: its header with the widest identifiers, and a request for a file. */
const LEAST_PDU_BYTES = 128;
const LARGEST_APID = 2_046;

const Entity = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Width = Type.Integer({ minimum: 1, maximum: 8 });
const Attempts = Type.Integer({ minimum: 1, maximum: 1_000 });
const Duration = Type.Optional(DurationText);

export const CfdpDriverDocument = Type.Object(
  {
    entity: Type.Integer({ ...Entity, description: 'Identifier of the ground.' }),
    entity_bytes: Type.Optional(Width),
    sequence_bytes: Type.Optional(Width),
    pdu: Type.Optional(
      Type.Integer({
        minimum: LEAST_PDU_BYTES,
        maximum: FRAME_BYTES,
        description: 'Bytes of the largest PDU that is sent.',
      }),
    ),
    checksum: Type.Optional(
      Type.Enum(['modular', 'crc32', 'crc32c', 'none'], { description: 'Of files that are sent.' }),
    ),
    crc: Type.Optional(Type.Boolean({ description: 'PDUs carry a CRC, both ways.' })),
    naks: Type.Optional(Type.Enum(['immediate', 'deferred'])),
    ack_timer: Duration,
    ack_limit: Type.Optional(Attempts),
    nak_timer: Duration,
    nak_limit: Type.Optional(Attempts),
    inactivity_timer: Duration,
    begin_timer: Duration,
  },
  { ...closed, title: 'CfdpDriver' },
);
export type CfdpDriverDocument = Static<typeof CfdpDriverDocument>;

const Spacecraft = Type.Integer({ ...Entity, description: 'Identifier of the spacecraft.' });
const Apid = Type.Integer({
  minimum: 0,
  maximum: LARGEST_APID,
  description: 'PDUs travel in space packets of it.',
});

/** Of a link that carries nothing else. */
export const CfdpTransportDocument = Type.Object(
  { kind: Type.Literal('cfdp'), entity: Spacecraft, apid: Type.Optional(Apid) },
  { ...closed, title: 'CfdpTransport' },
);
export type CfdpTransportDocument = Static<typeof CfdpTransportDocument>;

/** `cfdp` in the transport of a link that carries space packets of other APIDs too. */
export const CfdpCarriedDocument = Type.Object(
  { entity: Spacecraft, apid: Apid },
  { ...closed, title: 'CfdpCarried' },
);
export type CfdpCarriedDocument = Static<typeof CfdpCarriedDocument>;
