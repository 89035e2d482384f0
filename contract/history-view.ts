/**
 * The past of measures as clients see it: buckets to draw, and samples. Ours; samples and measures are those of Mission
 * Control Service, sections 2.2 and 2.11.
 */

import Type, { type Static } from 'typebox';
import { Sample } from './value.ts';

const closed = { additionalProperties: false } as const;
const Moment = Type.String({ format: 'date-time' });
const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
const Limits = Type.Tuple([NumberOrNull, NumberOrNull]);

const measureFields = {
  name: Type.String({ description: '`component[instance].measure`' }),
  component: Type.String(),
  instance: Type.Optional(Type.String()),
  measure: Type.String(),
  in_catalogue: Type.Boolean({
    description: 'Whether the catalogue of today has it; what is said of it below is of that catalogue.',
  }),
  type: Type.Optional(Type.String()),
  unit: Type.Optional(Type.String()),
  soft: Type.Optional(Limits),
  hard: Type.Optional(Limits),
};

export const HistoryMeasure = Type.Object(measureFields, { ...closed, title: 'HistoryMeasure' });
export type HistoryMeasure = Static<typeof HistoryMeasure>;

export const HistoryBucket = Type.Object(
  {
    time: Type.String({ format: 'date-time', description: 'When it begins.' }),
    n: Type.Integer({ description: 'Samples of this time.' }),
    min: NumberOrNull,
    max: NumberOrNull,
    mean: NumberOrNull,
    first_time: Type.Union([Moment, Type.Null()], { description: 'Time of the first sample.' }),
    last_time: Type.Union([Moment, Type.Null()]),
    last: Type.Union([Type.Number(), Type.String(), Type.Null()], {
      description:
        'The last sample: a number (0 and 1 of a boolean), an enum value, a text; null where unknown.',
    }),
    lost: Type.Optional(
      Type.Literal(true, {
        description:
          'Something of this time was lost before it was archived: there may have been more samples.',
      }),
    ),
  },
  { ...closed, title: 'HistoryBucket' },
);
export type HistoryBucket = Static<typeof HistoryBucket>;

const Positions = Type.Tuple([Type.Integer(), Type.Integer()], {
  description: 'The first and last position in stream `TM_VALUES`.',
});

const reservations = {
  archive: Type.Object(
    {
      id: Type.String({ description: 'Which archive answered.' }),
      pending: Type.Integer({
        description: 'Messages of the stream that it has not read yet: their samples are missing at the end.',
      }),
      trouble: Type.Optional(Type.String({ description: 'Why it writes nothing at the moment.' })),
    },
    closed,
  ),
  gaps: Type.Array(Type.Object({ from: Moment, to: Moment, positions: Positions }, closed), {
    description: 'Times of which something was lost before it was archived; without one, nothing was sent.',
  }),
  damaged: Type.Array(Type.Object({ positions: Positions, reason: Type.String() }, closed), {
    description: 'Segments of the archive that cannot be read: what they had is missing.',
  }),
  thinned: Type.Boolean({
    description: 'Samples of a part of this time are deleted by age; one-minute buckets of them are left.',
  }),
};

const asked = {
  target: Type.String(),
  from: Type.String({ format: 'date-time', description: 'Counts in.' }),
  to: Type.String({ format: 'date-time', description: 'Does not count in.' }),
  delivery: Type.Enum(['realtime', 'deferred', 'all']),
};

export const HistoryBuckets = Type.Object(
  {
    ...asked,
    width_ms: Type.Integer({ description: 'How long each bucket is.' }),
    measures: Type.Array(
      Type.Object(
        {
          ...measureFields,
          buckets: Type.Array(HistoryBucket, {
            description:
              'In order of time. One without samples is not listed, unless something of its time was lost (`n` 0, `lost`).',
          }),
        },
        closed,
      ),
    ),
    ...reservations,
  },
  { ...closed, title: 'HistoryBuckets' },
);
export type HistoryBuckets = Static<typeof HistoryBuckets>;

const { time, ground_time, raw, value, link, delivery } = Sample.properties;

export const PastSample = Type.Object(
  {
    value,
    raw,
    time,
    ground_time,
    link,
    delivery,
    superseded: Type.Optional(
      Type.Literal(true, {
        description: 'A newer one was known when it came: it never was the current value.',
      }),
    ),
  },
  { ...closed, title: 'PastSample' },
);

export const PastValue = Type.Object(
  {
    component: Type.String(),
    instance: Type.Optional(Type.String()),
    measure: Type.String(),
    sample: PastSample,
  },
  { ...closed, title: 'PastValue' },
);
export type PastValue = Static<typeof PastValue>;

export const HistorySamples = Type.Object(
  {
    ...asked,
    measures: Type.Array(HistoryMeasure),
    samples: Type.Array(PastValue, { description: 'In order of time.' }),
    next: Type.Optional(Type.String({ description: '`cursor` of the next page; absent on the last.' })),
    ...reservations,
  },
  { ...closed, title: 'HistorySamples' },
);
export type HistorySamples = Static<typeof HistorySamples>;

const EXAMPLE_QUESTION = {
  target: 'sat1',
  from: '2026-01-02T03:00:00.000Z',
  to: '2026-01-02T04:00:00.000Z',
  delivery: 'realtime',
} as const;

export const History = Type.Union([HistoryBuckets, HistorySamples], {
  title: 'History',
  examples: [
    {
      ...EXAMPLE_QUESTION,
      width_ms: 60_000,
      measures: [
        {
          name: 'battery[1].voltage',
          component: 'battery',
          instance: '1',
          measure: 'voltage',
          in_catalogue: true,
          type: 'f64',
          unit: 'V',
          soft: [6.6, 8.4],
          buckets: [
            {
              time: '2026-01-02T03:00:00.000Z',
              n: 60,
              min: 7.41,
              max: 7.44,
              mean: 7.423,
              first_time: '2026-01-02T03:00:00.120Z',
              last_time: '2026-01-02T03:00:59.120Z',
              last: 7.42,
            },
          ],
        },
      ],
      archive: { id: 'a1', pending: 0 },
      gaps: [
        {
          from: '2026-01-02T03:10:00.000Z',
          to: '2026-01-02T03:12:30.000Z',
          positions: [120_311, 120_902],
        },
      ],
      damaged: [],
      thinned: false,
    },
  ],
});

/** Of all media types in which samples go out a row each; CSV has them in this order. */
export const SAMPLE_FIELDS = [
  'target',
  'measure',
  'time',
  'ground_time',
  'value',
  'raw',
  'link',
  'delivery',
  'superseded',
  'position',
] as const;

export const BUCKET_FIELDS = [
  'target',
  'measure',
  'time',
  'n',
  'min',
  'max',
  'mean',
  'first_time',
  'last_time',
  'last',
  'lost',
] as const;

export const HISTORY_MEDIA = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} as const;
export type HistoryMedia = keyof typeof HISTORY_MEDIA;

/** Headers of a page of rows, which has no room for what is said beside them. */
export const HISTORY_HEADERS = {
  next: 'x-mcs-next',
  samples: 'x-mcs-samples',
  gaps: 'x-mcs-gaps',
  damaged: 'x-mcs-damaged',
  thinned: 'x-mcs-thinned',
} as const;
