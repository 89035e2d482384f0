/**
 * The transport of a link that carries CSP packets, in a topology document. Addresses and ports are those of libcsp:
 * version 1 has 5 bits of address, version 2 has 14, both 6 bits of port.
 */

import Type, { type Static } from 'typebox';
import { closed, Identifier } from './name.ts';

const Address = Type.Integer({ minimum: 0, maximum: 16_383 });
const Port = Type.Integer({ minimum: 0, maximum: 63 });
/** Known, so that the refusal can say why. */
const Refused = Type.Optional(Type.Unknown());

export const CspTransportDocument = Type.Object(
  {
    kind: Type.Literal('csp'),
    version: Type.Enum([1, 2]),
    source: Type.Integer({ ...Address, description: 'Address of the ground.' }),
    destination: Type.Integer({ ...Address, description: 'Address on board, unless nodes says another.' }),
    nodes: Type.Optional(
      Type.Record(Identifier, Address, { ...closed, description: 'Address by component.' }),
    ),
    port: Type.Optional(Port),
    ports: Type.Optional(Type.Record(Identifier, Port, { ...closed, description: 'Port by component.' })),
    source_port: Type.Optional(Port),
    priority: Type.Optional(Type.Enum(['critical', 'high', 'normal', 'low'])),
    crc: Type.Optional(Type.Boolean({ description: 'Packets carry a CRC-32C, both ways.' })),
    kiss: Type.Optional(Type.Boolean({ description: 'A frame is a KISS frame, as on a serial line.' })),
    hmac: Refused,
    xtea: Refused,
    rdp: Refused,
    fragments: Refused,
    compression: Refused,
  },
  { ...closed, title: 'CspTransport' },
);
export type CspTransportDocument = Static<typeof CspTransportDocument>;
