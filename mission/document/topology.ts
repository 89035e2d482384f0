/**
 * The topology document: environments, gateways, drivers, and the targets with their links. Mission Control Service,
 * sections 2.1 (links), 2.5 (modes and parameters), 5 item 4 (environment policies).
 */

import Type, { type Static } from 'typebox';
import { NAME_CHARACTERS } from '../../contract/limits/request.ts';
import { FramingDocument, TcpDocument, UdpDocument } from './endpoint.ts';
import { closed, DurationText, Identifier, Name, PlatformReference, QuantityText, Text } from './name.ts';

export const EnvironmentDocument = Type.Object(
  {
    description: Type.Optional(Text),
    kind: Type.Optional(Type.Literal('in_orbit', { description: 'The rules of flight hold.' })),
    identity: Type.Optional(Type.Enum(['declared', 'jwt'])),
    human_orchestration: Type.Optional(Type.Boolean()),
    hazardous_confirmation: Type.Optional(Type.Array(Name)),
    hazardous_requires_plan: Type.Optional(Type.Boolean()),
    drafts: Type.Optional(Type.Enum(['allowed', 'refused'])),
  },
  { ...closed, title: 'Environment' },
);
export type EnvironmentDocument = Static<typeof EnvironmentDocument>;

const Free = Type.Record(Type.String(), Type.Unknown());

export const RecordingDocument = Type.Object(
  {
    file: Type.String({ minLength: 1, description: 'Path relative to the folder of the mission.' }),
    rate: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'Packets a second.' })),
    as_fast_as_possible: Type.Optional(Type.Boolean()),
    loop: Type.Optional(Type.Boolean()),
  },
  { ...closed, title: 'Recording' },
);

export const GatewayDocument = Type.Object(
  {
    description: Type.Optional(Text),
    simulated: Type.Optional(Type.Boolean()),
    model: Type.Optional(Name),
    recording: Type.Optional(RecordingDocument),
    udp: Type.Optional(UdpDocument),
    tcp: Type.Optional(TcpDocument),
    framing: Type.Optional(FramingDocument),
    silent_after: Type.Optional(DurationText),
    echo: Type.Optional(Type.Boolean()),
    tags: Type.Optional(Type.Array(Name)),
    faults: Type.Optional(Type.Array(Name)),
    rate: Type.Optional(QuantityText),
    settings: Type.Optional(Free),
  },
  { ...closed, title: 'Gateway' },
);
export type GatewayDocument = Static<typeof GatewayDocument>;

export const DriverDocument = Type.Object(
  { protocol: Name, description: Type.Optional(Text) },
  {
    additionalProperties: true,
    title: 'Driver',
    description: 'Every other key is a setting of the protocol.',
  },
);
export type DriverDocument = Static<typeof DriverDocument>;

const linkParameters = {
  gateway: Type.Optional(Name),
  tags: Type.Optional(Type.Array(Name, { minItems: 1 })),
  rate: Type.Optional(QuantityText),
};
export const LinkParametersDocument = Type.Object(linkParameters, { ...closed, title: 'LinkParameters' });
export type LinkParametersDocument = Static<typeof LinkParametersDocument>;

export const LinkDocument = Type.Object(
  {
    description: Type.Optional(Text),
    default: Type.Optional(Type.Boolean()),
    driver: Type.Optional(Name),
    transport: Type.Optional(Free),
    ...linkParameters,
    components: Type.Optional(Type.Array(Identifier, { minItems: 1 })),
    environments: Type.Optional(Type.Record(Name, LinkParametersDocument, closed)),
  },
  { ...closed, title: 'Link' },
);
export type LinkDocument = Static<typeof LinkDocument>;

const WORD = `[A-Za-z][A-Za-z0-9_-]{0,${NAME_CHARACTERS - 1}}`;
/** Value of a parameter in one mode. */
const ParameterValue = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

export const TargetDocument = Type.Object(
  {
    description: Type.Optional(Text),
    platform: PlatformReference,
    environments: Type.Array(Name, { minItems: 1 }),
    modes: Type.Optional(Type.Array(Name, { minItems: 1 })),
    links: Type.Record(Name, LinkDocument, closed),
    parameters: Type.Optional(
      Type.Record(
        Type.String({ pattern: `^${WORD}(\\[[A-Za-z0-9_-]{1,${NAME_CHARACTERS}}\\])?\\.${WORD}$` }),
        Type.Record(Name, Type.Union([ParameterValue, Free])),
        closed,
      ),
    ),
  },
  { ...closed, title: 'Target' },
);
export type TargetDocument = Static<typeof TargetDocument>;

export const StationsDocument = Type.Record(
  Name,
  Type.Object(
    {
      description: Type.Optional(Text),
      latitude: Type.Optional(QuantityText),
      longitude: Type.Optional(QuantityText),
      altitude: Type.Optional(QuantityText),
      min_elevation: Type.Optional(QuantityText),
    },
    closed,
  ),
  closed,
);
export type StationsDocument = Static<typeof StationsDocument>;

export const TopologyDocument = Type.Object(
  {
    topology: Name,
    description: Type.Optional(Text),
    environments: Type.Record(Name, EnvironmentDocument, closed),
    stations: Type.Optional(StationsDocument),
    gateways: Type.Optional(Type.Record(Name, GatewayDocument, closed)),
    drivers: Type.Optional(Type.Record(Name, DriverDocument, closed)),
    targets: Type.Record(Name, TargetDocument, closed),
  },
  { ...closed, title: 'Topology' },
);
export type TopologyDocument = Static<typeof TopologyDocument>;
