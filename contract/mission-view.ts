/** The mission as a console needs it at its start. Ours: `GET /v1/mission`. */

import Type, { type Static } from 'typebox';
import { ProcedureView } from './procedure.ts';

const closed = { additionalProperties: false } as const;
const Names = Type.Array(Type.String());

export const MissionTarget = Type.Object(
  {
    target: Type.String(),
    platform: Type.String({ description: '`package@version`; its catalogue has measures and telecommands.' }),
    environments: Names,
    modes: Names,
    default_link: Type.String(),
    links: Names,
  },
  { ...closed, title: 'MissionTarget' },
);
export type MissionTarget = Static<typeof MissionTarget>;

const MissionEnvironment = Type.Object(
  {
    environment: Type.String(),
    in_orbit: Type.Boolean({ description: 'Its gateways are those of passes.' }),
    identity: Type.Enum(['declared', 'jwt']),
    human_orchestration: Type.Boolean({ description: 'Questions of runs are answered by people.' }),
    hazardous_confirmation: Type.Array(Type.String(), {
      description: 'Roles that confirm what is hazardous.',
    }),
  },
  closed,
);

const MissionGateway = Type.Object(
  { gateway: Type.String(), kind: Type.String(), tags: Names, faults: Names },
  { ...closed, title: 'MissionGateway' },
);

const degrees = (description: string) => Type.Optional(Type.Number({ description }));
const MissionStation = Type.Object(
  {
    station: Type.String(),
    latitude_deg: degrees('WGS 84, north positive.'),
    longitude_deg: degrees('WGS 84, east positive.'),
    altitude_m: Type.Optional(Type.Number({ description: 'Above the ellipsoid.' })),
    min_elevation_deg: degrees('From which on a pass counts.'),
  },
  {
    ...closed,
    title: 'MissionStation',
    description: 'A ground station; its place where the mission says it.',
  },
);

export const MissionView = Type.Object(
  {
    revision: Type.String({ description: 'Of the configuration; also the ETag.' }),
    environments: Type.Array(MissionEnvironment),
    targets: Type.Array(MissionTarget),
    gateways: Type.Array(MissionGateway),
    stations: Type.Array(MissionStation),
    procedures: Type.Array(ProcedureView, { description: 'Of every library.' }),
  },
  {
    ...closed,
    title: 'MissionView',
    examples: [
      {
        revision: '9f2c3b1e5f0a47d8a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718',
        environments: [
          {
            environment: 'bench',
            in_orbit: false,
            identity: 'declared',
            human_orchestration: true,
            hazardous_confirmation: [],
          },
        ],
        targets: [
          {
            target: 'sat1',
            platform: 'cubesat-6u@1.0.0',
            environments: ['bench'],
            modes: ['nominal', 'safe'],
            default_link: 'uhf',
            links: ['uhf'],
          },
        ],
        gateways: [{ gateway: 'sim-1', kind: 'simulated', tags: [], faults: ['reject_all'] }],
        stations: [
          {
            station: 'kiruna',
            latitude_deg: 67.8571,
            longitude_deg: 20.9643,
            altitude_m: 402,
            min_elevation_deg: 5,
          },
        ],
        procedures: [],
      },
    ],
  },
);
export type MissionView = Static<typeof MissionView>;
