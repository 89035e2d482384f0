/**
 * What the topology document says of gateways over UDP and TCP: their sockets and their framing. Mission Control
 * Service, section 1 (gateways); the keys are ours. What a framing may have depends on its kind, which
 * `mission/check/framing.ts` knows.
 */

import Type, { type Static } from 'typebox';
import { UDP_RECEIVE_BYTES_LEAST, UDP_RECEIVE_BYTES_MOST } from '../../contract/limits/link.ts';
import { closed } from './name.ts';

const Host = Type.String({
  pattern: '^[A-Za-z0-9._:-]+$',
  title: 'host',
  description: 'A host name or an address, like 127.0.0.1.',
});
const Port = Type.Integer({ minimum: 1, maximum: 65_535, description: 'A port is 1 to 65535.' });

const Sources = Type.Array(
  Type.String({
    maxLength: 64,
    description: 'An address, an address with port, or a network: 192.0.2.7, 192.0.2.7:5000, 192.0.2.0/24.',
  }),
  { minItems: 1, maxItems: 64, title: 'Sources' },
);

const AddressDocument = Type.Object({ host: Host, port: Port }, { ...closed, title: 'Address' });

export const UdpDocument = Type.Object(
  {
    port: Port,
    bind: Type.Optional(Host),
    peer: Type.Optional(AddressDocument),
    accept: Type.Optional(Type.Union([Type.Enum(['peer', 'any']), Sources])),
    receive_buffer: Type.Optional(
      Type.Integer({
        minimum: UDP_RECEIVE_BYTES_LEAST,
        maximum: UDP_RECEIVE_BYTES_MOST,
        description: 'Bytes that the kernel is asked to hold.',
      }),
    ),
    multicast: Type.Optional(
      Type.Object(
        {
          group: Host,
          interface: Type.Optional(Host),
          ttl: Type.Optional(Type.Integer({ minimum: 1, maximum: 255 })),
        },
        { ...closed, title: 'Multicast' },
      ),
    ),
  },
  { ...closed, title: 'Udp' },
);
export type UdpDocument = Static<typeof UdpDocument>;

const ListenDocument = Type.Object(
  {
    host: Host,
    port: Port,
    accept: Type.Optional(Sources),
    replace: Type.Optional(Type.Boolean({ description: 'A new connection replaces the existing one.' })),
  },
  { ...closed, title: 'Listen' },
);

export const TcpDocument = Type.Object(
  { connect: Type.Optional(AddressDocument), listen: Type.Optional(ListenDocument) },
  { ...closed, title: 'Tcp', minProperties: 1, maxProperties: 1 },
);
export type TcpDocument = Static<typeof TcpDocument>;

const LengthFieldDocument = Type.Object(
  {
    at: Type.Integer({ minimum: 0 }),
    bytes: Type.Enum([1, 2, 4]),
    endian: Type.Optional(Type.Enum(['big', 'little'])),
    add: Type.Optional(Type.Integer()),
  },
  { ...closed, title: 'LengthField' },
);
export type LengthFieldDocument = Static<typeof LengthFieldDocument>;

export const FramingDocument = Type.Object(
  {
    kind: Type.Enum(['space-packet', 'line', 'marker', 'kiss']),
    max: Type.Optional(Type.Integer({ minimum: 1, description: 'Bytes of the longest frame.' })),
    apids: Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 0x7ff }), { minItems: 1 })),
    ending: Type.Optional(Type.Enum(['lf', 'crlf'])),
    marker: Type.Optional(
      Type.Union([Type.String(), Type.Integer()], { description: 'Hexadecimal in quotes, like "1ACFFC1D".' }),
    ),
    length: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), LengthFieldDocument])),
    contiguous: Type.Optional(Type.Boolean()),
    keep: Type.Optional(Type.Boolean()),
  },
  { ...closed, title: 'Framing' },
);
export type FramingDocument = Static<typeof FramingDocument>;
