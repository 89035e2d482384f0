/**
 * The log of events: everything that happened, one sentence each. On stream `EVENTS` as batches, in the archive as
 * rows, and on the HTTP interface. Ours.
 *
 * E1. What is read of the bus is read without trust: bytes that are no batch are none.
 * E2. An event names what it was made from (`source`): a message by its stream and position, or a record with its
 *     change. Nothing with the same source stands in the log twice.
 */

import Type, { type Static } from 'typebox';
import { EVENT_KINDS, EVENT_SEVERITIES } from './event-kinds.ts';
import { parseJsonBytes } from './json-bytes.ts';
import { EVENT_PAGE } from './limits/event.ts';
import { asObject, type Foreign, oneOf, textIn } from './reply.ts';
import { ULID_PATTERN } from './token.ts';

const closed = { additionalProperties: false } as const;
const Moment = Type.String({ format: 'date-time' });

const fields = {
  time: Type.String({ format: 'date-time', description: 'When it happened.' }),
  kind: Type.Enum(EVENT_KINDS, {
    description: '`request`: somebody called a route that changes something; `log`: about the log itself.',
  }),
  severity: Type.Enum(EVENT_SEVERITIES, { description: '`detail`: steps of runs and of telecommands.' }),
  target: Type.Optional(Type.String()),
  subject: Type.String({
    description: 'What it is about: a telecommand or run by its identifier, an alarm by its key, and so on.',
  }),
  name: Type.Optional(
    Type.String({ description: '`component[instance].name` of a telecommand or alarm; a procedure.' }),
  ),
  state: Type.Optional(Type.String({ description: 'What it became.' })),
  by: Type.Optional(Type.String({ description: 'Who caused it.' })),
  run: Type.Optional(Type.String({ description: 'The run that caused it, or that it is about.' })),
  text: Type.String({ description: 'One sentence.' }),
  link: Type.Optional(Type.String({ description: 'Where the interface has the thing.' })),
};

export const LogEvent = Type.Object(
  {
    id: Type.String({ description: 'Its place in the log.' }),
    ...fields,
    data: Type.Optional(
      Type.Unknown({ description: 'The document it was made from, where `data` was asked for.' }),
    ),
  },
  { ...closed, title: 'LogEvent' },
);
export type LogEvent = Static<typeof LogEvent>;

const EXAMPLE: LogEvent = {
  id: '01J5ZK3M8QW7V9XH2C4T6R8YAD.1207.0',
  time: '2026-01-02T03:04:05.678Z',
  kind: 'telecommand',
  severity: 'info',
  target: 'sat1',
  subject: '01J5ZK3M8QW7V9XH2C4T6R8YAB',
  name: 'obc.set_watchdog',
  state: 'PENDING',
  by: 'ada',
  text: 'ada sent obc.set_watchdog to sat1.',
  link: '/v1/tc/sat1/01J5ZK3M8QW7V9XH2C4T6R8YAB/events',
};

/** What a page of the log says beside its events. */
export const EventGap = Type.Object(
  {
    from: Moment,
    to: Moment,
    messages: Type.Integer({ minimum: 0, description: '0: their number is not known.' }),
  },
  {
    ...closed,
    title: 'EventGap',
    description: 'Messages of the log that were lost before they were archived.',
  },
);
export type EventGap = Static<typeof EventGap>;

export const pageFields = {
  next: Type.Optional(
    Type.String({
      description:
        '`cursor` of the next page; a page with fewer entries than asked for has it too while older ones may match.',
    }),
  ),
  gaps: Type.Array(EventGap),
  damaged: Type.Integer({ minimum: 0, description: 'Segments of the archive that could not be read.' }),
  pending: Type.Integer({ minimum: 0, description: 'Messages of the log that the archive has not read.' }),
};

export const EventPage = Type.Object(
  { events: Type.Array(LogEvent, { maxItems: EVENT_PAGE, description: 'The newest first.' }), ...pageFields },
  {
    ...closed,
    title: 'EventPage',
    examples: [{ events: [EXAMPLE], gaps: [], damaged: 0, pending: 0 }],
  },
);
export type EventPage = Static<typeof EventPage>;

/** An event of the watch: it has no place in the log of an archive yet. */
export const WatchedEvent = Type.Object(fields, {
  ...closed,
  title: 'WatchedEvent',
  examples: [(({ id: _id, ...event }) => event)(EXAMPLE)],
});
export type WatchedEvent = Static<typeof WatchedEvent>;

export const TelecommandEntry = Type.Object(
  {
    id: Type.String({ pattern: ULID_PATTERN }),
    target: Type.String(),
    telecommand: Type.Optional(Type.String({ description: '`component[instance].name`.' })),
    by: Type.Optional(Type.String()),
    run: Type.Optional(Type.String()),
    reached: Type.String({
      description: 'The state that it is listed for: the one asked for, else `PENDING`.',
    }),
    reached_at: Moment,
    state: Type.Optional(
      Type.String({ description: 'Its state now; absent where that is not known any more.' }),
    ),
    detail: Type.Optional(Type.String({ description: 'Why it is in that state.' })),
  },
  { ...closed, title: 'TelecommandEntry' },
);
export type TelecommandEntry = Static<typeof TelecommandEntry>;

export const TelecommandPage = Type.Object(
  { telecommands: Type.Array(TelecommandEntry, { maxItems: EVENT_PAGE }), ...pageFields },
  {
    ...closed,
    title: 'TelecommandPage',
    examples: [
      {
        telecommands: [
          {
            id: '01J5ZK3M8QW7V9XH2C4T6R8YAB',
            target: 'sat1',
            telecommand: 'obc.set_watchdog',
            by: 'ada',
            reached: 'PENDING',
            reached_at: '2026-01-02T03:04:05.678Z',
            state: 'VERIFIED',
          },
        ],
        gaps: [],
        damaged: 0,
        pending: 0,
      },
    ],
  },
);
export type TelecommandPage = Static<typeof TelecommandPage>;

/** An event as it is recorded. */
export interface LoggedEvent extends WatchedEvent {
  /** E2 */
  readonly source: string;
  /** The document it was made from, as JSON text; absent where it is too long. */
  readonly data?: string;
}

/** How far a recorder came with what it reads. */
export interface RecordedUpTo {
  /** Position of a message, or revision of an entry. */
  readonly seq: number;
  /** When the bus stored that, ms since 1970. */
  readonly at: number;
}

/** Body of `mcs.event.<source>` (JSON). */
export interface EventBatch {
  readonly upTo?: RecordedUpTo;
  readonly events: readonly LoggedEvent[];
}

/** The batch of a message; undefined where it is none (E1). */
export function readEventBatch(bytes: Uint8Array): EventBatch | undefined {
  try {
    const batch = asObject(parseJsonBytes(bytes));
    if (batch === undefined || !Array.isArray(batch.events)) return undefined;
    const upTo = batch.upTo === undefined ? undefined : asObject(batch.upTo);
    if (batch.upTo !== undefined && !(isCount(upTo?.seq) && isCount(upTo?.at))) return undefined;
    return batch.events.every(isLogged) ? (batch as unknown as EventBatch) : undefined;
  } catch {
    return undefined;
  }
}

const OPTIONAL = ['target', 'name', 'state', 'by', 'run', 'link', 'data'] as const;

/** Whether it can stand in a batch (E1). */
export function isLogged(each: unknown): each is LoggedEvent {
  const event = asObject(each) as Foreign | undefined;
  if (event === undefined) return false;
  return (
    oneOf(event, 'kind', EVENT_KINDS) !== undefined &&
    oneOf(event, 'severity', EVENT_SEVERITIES) !== undefined &&
    ['subject', 'text', 'source'].every((name) => textIn(event, name) !== undefined) &&
    !Number.isNaN(Date.parse(textIn(event, 'time') ?? '')) &&
    OPTIONAL.every((name) => event[name] === undefined || typeof event[name] === 'string')
  );
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
