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

const EXAMPLE_VALUE = {
  component: 'battery',
  instance: '1',
  measure: 'voltage',
  sample: {
    value: 7.42,
    raw: 7420,
    time: '2026-01-02T03:04:05.678Z',
    ground_time: '2026-01-02T03:04:05.702Z',
    link: 'uhf',
    delivery: 'realtime',
  },
};

export const CurrentValue = Type.Object(
  {
    component: Type.String(),
    instance: Type.Optional(Type.String()),
    measure: Type.String(),
    sample: Sample,
  },
  { ...closed, title: 'CurrentValue', examples: [EXAMPLE_VALUE] },
);
export type CurrentValue = Static<typeof CurrentValue>;

export const CurrentValues = Type.Object(
  { values: Type.Array(CurrentValue) },
  { ...closed, title: 'CurrentValues', examples: [{ values: [EXAMPLE_VALUE] }] },
);
export type CurrentValues = Static<typeof CurrentValues>;
