/** Current values as clients see them. Mission Control Service, section 2.2. */

import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

export const Sample = Type.Object(
  {
    value: Type.Union([Type.Number(), Type.Boolean(), Type.String(), Type.Null()], {
      description:
        'Number in the unit of the measure, boolean, enum value or hexadecimal bytes; null when unknown.',
    }),
    raw: Type.Optional(Type.Union([Type.Number(), Type.Boolean(), Type.String()])),
    time: Type.String({
      format: 'date-time',
      description: 'On-board time when known, else ground reception time.',
    }),
    ground_time: Type.String({ format: 'date-time' }),
    link: Type.Optional(Type.String()),
    delivery: Type.Enum(['realtime', 'deferred']),
  },
  { ...closed, title: 'Sample' },
);
export type Sample = Static<typeof Sample>;

export const CurrentValue = Type.Object(
  {
    component: Type.String(),
    instance: Type.Optional(Type.String()),
    measure: Type.String(),
    sample: Sample,
  },
  { ...closed, title: 'CurrentValue' },
);
export type CurrentValue = Static<typeof CurrentValue>;

export const CurrentValues = Type.Object(
  { values: Type.Array(CurrentValue) },
  { ...closed, title: 'CurrentValues' },
);
export type CurrentValues = Static<typeof CurrentValues>;
