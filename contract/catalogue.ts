/** The catalogue of a target as clients see it. Mission Control Service, section 2.11. */

import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;
function quantity(description: string) {
  return Type.String({ description: `${description} A quantity, \`5 s\`.` });
}

const Interval = Type.Tuple([
  Type.Union([Type.Number(), Type.Null()]),
  Type.Union([Type.Number(), Type.Null()]),
]);

export const MeasureView = Type.Object(
  {
    name: Type.String(),
    description: Type.Optional(Type.String()),
    type: Type.String(),
    unit: Type.Optional(Type.String()),
    soft: Type.Optional(Interval),
    hard: Type.Optional(Interval),
    derived: Type.Boolean(),
  },
  { ...closed, title: 'MeasureView' },
);
export type MeasureView = Static<typeof MeasureView>;

export const ArgumentView = Type.Object(
  {
    name: Type.String(),
    description: Type.Optional(Type.String()),
    type: Type.String(),
    unit: Type.Optional(Type.String()),
    values: Type.Optional(Type.Array(Type.String())),
    range: Type.Optional(Interval),
    default: Type.Optional(Type.Unknown({ description: 'As written.' })),
  },
  { ...closed, title: 'ArgumentView' },
);
export type ArgumentView = Static<typeof ArgumentView>;

export const RequirementView = Type.Object(
  { that: Type.String({ description: 'A condition.' }), max_age: quantity('How old its samples may be.') },
  { ...closed, title: 'RequirementView' },
);

export const VerificationView = Type.Object(
  {
    expect: Type.Optional(Type.String({ description: 'The condition that must become true.' })),
    fail: Type.Optional(Type.String({ description: 'The condition that fails it at once.' })),
    reports: Type.Optional(
      Type.Enum(['acceptance', 'completion'], {
        description: 'The reports of the spacecraft that it waits for.',
      }),
    ),
    within: quantity('How long it may take.'),
  },
  { ...closed, title: 'VerificationView' },
);

export const TelecommandView = Type.Object(
  {
    name: Type.String(),
    description: Type.Optional(Type.String()),
    args: Type.Array(ArgumentView),
    changes_state: Type.Boolean(),
    hazardous: Type.Boolean(),
    requires: Type.Optional(
      Type.Array(RequirementView, { description: 'What must be so before it is sent.' }),
    ),
    verify: Type.Optional(VerificationView),
  },
  { ...closed, title: 'TelecommandView' },
);
export type TelecommandView = Static<typeof TelecommandView>;

export const ComponentView = Type.Object(
  {
    name: Type.String(),
    description: Type.Optional(Type.String()),
    instances: Type.Array(Type.String()),
    measures: Type.Array(MeasureView),
    telecommands: Type.Array(TelecommandView),
  },
  { ...closed, title: 'ComponentView' },
);
export type ComponentView = Static<typeof ComponentView>;

export const FilesView = Type.Object(
  {
    component: Type.String({ description: 'Its instances are the identifiers of files.' }),
    types: Type.Array(
      Type.Object({ number: Type.Integer(), name: Type.String(), decode: Type.Boolean() }, closed),
      { description: 'Types of files; those with `decode` hold telemetry.' },
    ),
    transfer: Type.Object(
      {
        list: Type.Optional(Type.String({ description: 'Telecommand that asks for a listing.' })),
        read: Type.Optional(Type.String()),
        write: Type.Optional(Type.String()),
        max_chunk: Type.Optional(Type.Integer({ description: 'Bytes of one read or write.' })),
        checksum: Type.Optional(Type.String()),
        protocol: Type.Optional(Type.String()),
      },
      closed,
    ),
  },
  { ...closed, title: 'FilesView', description: 'The on-board directory of the platform.' },
);
export type FilesView = Static<typeof FilesView>;

export const CatalogueView = Type.Object(
  {
    platform: Type.String({ description: '`package@version`.' }),
    components: Type.Array(ComponentView),
    files: Type.Optional(FilesView),
  },
  {
    ...closed,
    title: 'CatalogueView',
    examples: [
      {
        platform: 'cubesat-6u@1.0.0',
        components: [
          {
            name: 'obc',
            instances: [],
            measures: [{ name: 'temperature', type: 'f64', unit: 'degC', soft: [-10, 50], derived: false }],
            telecommands: [
              {
                name: 'set_watchdog',
                args: [{ name: 'period', type: 'u16', unit: 's', range: [10, 600] }],
                changes_state: true,
                hazardous: false,
              },
            ],
          },
        ],
      },
    ],
  },
);
export type CatalogueView = Static<typeof CatalogueView>;
