/** Events and logs of the bench. RF Bench Service, sections 2 and 6; severities and kinds are not shown there. */

import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

/** From the least to the gravest. */
export const SEVERITIES = ['debug', 'info', 'warning', 'error'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Of a line of the log of the daemon; every other kind is an event. */
export const LOG_KIND = 'log';

export const BenchEvent = Type.Object(
  {
    id: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Rising, kept over restarts; a line of the log has none.' }),
    ),
    kind: Type.String({ description: '`profile.applied`, `board.lost`, …; of a line of the log `log`.' }),
    source: Type.String({ description: 'Part of the daemon: `radio`, `campaign`, `scenario`, …' }),
    severity: Type.Enum(SEVERITIES),
    message: Type.String(),
    timestamp: Type.String({ format: 'date-time' }),
  },
  {
    ...closed,
    title: 'EventDRO',
    examples: [
      {
        id: 7,
        kind: 'profile.applied',
        source: 'radio',
        severity: 'info',
        message: 'profile qpsk-1m applied',
        timestamp: '2026-01-01T12:00:00.000Z',
      },
    ],
  },
);
export type BenchEvent = Static<typeof BenchEvent>;

export const PurgeBody = Type.Object(
  {
    older_than_hours: Type.Integer({
      minimum: 0,
      // The largest int64 is this number as a double.
      maximum: 2 ** 63,
      format: 'int64',
      description: 'An int64; 0 purges every event.',
    }),
  },
  { ...closed, title: 'PurgeBody', examples: [{ older_than_hours: 24 }] },
);
export type PurgeBody = Static<typeof PurgeBody>;

export const Purged = Type.Object(
  { purged: Type.Integer({ minimum: 0 }) },
  { ...closed, title: 'PurgeReply', examples: [{ purged: 12 }] },
);
export type Purged = Static<typeof Purged>;
