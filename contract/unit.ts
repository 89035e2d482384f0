/** Units of the fleet as the API shows them, and their verbs. Mission Control Service, sections 2.9 and 4.8. */

import Type, { type Static } from 'typebox';
import { nameBound } from './bounded.ts';
import { UNIT_IMAGE_CHARACTERS } from './limits/unit.ts';
import { LINK_STATES } from './link.ts';
import { TOKEN_PATTERN } from './token.ts';
import { HEALTH_STATES } from './unit-wire.ts';

const closed = { additionalProperties: false } as const;

export const UNIT_VERBS = ['selftest', 'update', 'reboot'] as const;
export type UnitVerb = (typeof UNIT_VERBS)[number];

/** Semantic versioning 2.0.0. */
export const SEMVER_PATTERN =
  '^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)' +
  '(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?' +
  '(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$';

const UnitGateway = Type.Object(
  {
    name: Type.String(),
    registered: Type.Boolean({ description: 'Whether a process serves it on the bus now.' }),
    health: Type.Object(
      {
        state: Type.Enum(['absent', ...LINK_STATES], {
          description: 'How its radio is; `absent` where nothing answers for it.',
        }),
        reason: Type.Optional(Type.String()),
      },
      closed,
    ),
    links: Type.Array(Type.Object({ target: Type.String(), link: Type.String() }, closed), {
      description: 'The links it says are bound to it.',
    }),
  },
  closed,
);
export type UnitGateway = Static<typeof UnitGateway>;

const UnitView = Type.Object(
  {
    serial: Type.String(),
    software: Type.Object({ name: Type.String(), version: Type.String() }, closed),
    hardware_revision: Type.String(),
    alive: Type.Boolean({
      description: 'False when nothing came from it for three of its heartbeat periods.',
    }),
    health: Type.Object(
      {
        state: Type.Enum([...HEALTH_STATES, 'unknown'], {
          description: 'As its last heartbeat said; `unknown` before the first.',
        }),
        reason: Type.Optional(Type.String()),
      },
      closed,
    ),
    last_heard: Type.String({ format: 'date-time' }),
    registered_at: Type.String({ format: 'date-time', description: 'Its last registration.' }),
    heartbeat_period_ms: Type.Integer(),
    boot: Type.Optional(Type.String({ description: 'Another one at each start of the unit.' })),
    activity: Type.Optional(
      Type.Object(
        { verb: Type.String(), phase: Type.String(), percent: Type.Optional(Type.Number()) },
        { ...closed, description: 'What a living unit is busy with.' },
      ),
    ),
    gateways: Type.Array(UnitGateway),
  },
  closed,
);
export type UnitView = Static<typeof UnitView>;

export const UnitList = Type.Object(
  { units: Type.Array(UnitView, { description: 'By serial number.' }) },
  {
    ...closed,
    title: 'UnitList',
    examples: [
      {
        units: [
          {
            serial: 'bench-07',
            software: { name: 'bench-unit', version: '1.4.0' },
            hardware_revision: 'C2',
            alive: true,
            health: { state: 'degraded', reason: 'fan 2 stands still' },
            last_heard: '2026-01-02T03:04:05.678Z',
            registered_at: '2026-01-02T00:00:00.000Z',
            heartbeat_period_ms: 1_000,
            boot: '01J5ZK3M8QW7V9XH2C4T6R8YAB',
            gateways: [
              {
                name: 'uhf-07',
                registered: true,
                health: { state: 'up' },
                links: [{ target: 'sat1', link: 'uhf' }],
              },
            ],
          },
        ],
      },
    ],
  },
);
export type UnitList = Static<typeof UnitList>;

/** MC-UNIT-007 */
export const UpdateRequest = Type.Object(
  {
    image: Type.String({
      minLength: 1,
      maxLength: UNIT_IMAGE_CHARACTERS,
      description: 'URL the unit fetches the image from.',
    }),
    version: Type.String({
      ...nameBound,
      pattern: SEMVER_PATTERN,
      description: 'Version of the image (semver).',
    }),
  },
  {
    ...closed,
    title: 'UpdateRequest',
    examples: [{ image: 'https://images.example/bench-1.5.0.img', version: '1.5.0' }],
  },
);
export type UpdateRequest = Static<typeof UpdateRequest>;

const anything = { additionalProperties: true } as const;

const SelftestReport = Type.Object(
  {
    passed: Type.Boolean(),
    checks: Type.Array(
      Type.Object(
        { name: Type.String(), passed: Type.Boolean(), detail: Type.Optional(Type.String()) },
        anything,
      ),
    ),
  },
  anything,
);
export type SelftestReport = Static<typeof SelftestReport>;

/** What the unit said, as it said it: units of others say what they want. */
export const UnitAnswer = Type.Record(Type.String(), Type.Unknown(), {
  title: 'UnitAnswer',
  description:
    'The reply of the unit as it is. To `selftest`: `passed` and `checks` with `name`, `passed` and `detail`; to ' +
    '`update`: `version`; to `reboot`: `rebooting`.',
  examples: [{ passed: true, checks: [{ name: 'memory', passed: true, detail: '512 MiB free' }] }],
});

export const EnrolRequest = Type.Object(
  {
    serial: Type.String({ pattern: TOKEN_PATTERN, description: 'Serial number of the unit.' }),
    public_key: Type.String({
      ...nameBound,
      description: 'Public user key of the unit, which keeps its seed.',
    }),
  },
  {
    ...closed,
    title: 'EnrolRequest',
    examples: [
      { serial: 'bench-07', public_key: 'UCL7Q5L7VNGYQLFQ7Z2X5WUXBBQ3HQZT4UXCF6SSOO3X2CJQXM4AGCPM' },
    ],
  },
);

export const Enrolled = Type.Object(
  {
    serial: Type.String(),
    jwt: Type.String({
      description: 'User token of the bus, for the registration of this unit and what follows.',
    }),
    expires: Type.Integer({ description: 'Its end, seconds since 1970. A registration gets a longer one.' }),
  },
  {
    ...closed,
    title: 'Enrolled',
    examples: [
      { serial: 'bench-07', jwt: 'eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ…', expires: 1_789_000_000 },
    ],
  },
);
export type Enrolled = Static<typeof Enrolled>;
