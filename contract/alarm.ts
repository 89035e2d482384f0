/**
 * Alarms: their records, events and commands, on the HTTP interface and on the bus. Mission Control Service, sections
 * 2.4, 3.3, 4.4 and 6.
 */

import Type, { type Static } from 'typebox';
import type { AlarmName } from './alarm-name.ts';
import { AlarmReaction } from './alarm-reaction.ts';
import { quantityBound } from './bounded.ts';
import { pageFields } from './event.ts';
import { parseJsonBytes } from './json-bytes.ts';
import { oneOf, readReply, textIn } from './reply.ts';

const closed = { additionalProperties: false } as const;
const Time = Type.String({ format: 'date-time' });

export const ALARM_STATES = ['NORMAL', 'ACTIVE_UNACK', 'ACTIVE_ACK', 'CLEARED_UNACK'] as const;
export type AlarmState = (typeof ALARM_STATES)[number];
export const SEVERITIES = ['warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];
export const ALARM_CAUSES = ['condition', 'acknowledged', 'shelved', 'unshelved'] as const;
export type AlarmCause = (typeof ALARM_CAUSES)[number];

const AlarmValue = Type.Union([Type.Number(), Type.Boolean(), Type.String(), Type.Null()], {
  description:
    'Of a limits alarm: the measure at the last transition, in its unit. Of `<alarm>-reaction`: why the reaction failed.',
});

/** What happened last, the same in the record of an alarm and in its events. */
const standing = {
  previous: Type.Enum(ALARM_STATES, { description: 'State before the last transition.' }),
  state: Type.Enum(ALARM_STATES),
  severity: Type.Optional(
    Type.Enum(SEVERITIES, {
      description: 'Of the activation, kept while cleared and unacknowledged.',
    }),
  ),
  value: Type.Optional(AlarmValue),
  seq: Type.Integer({ minimum: 1, description: 'Number of the last transition, from 1.' }),
  by: Type.Optional(
    Type.String({
      description: 'Operator of the transition; absent when the condition or the term caused it.',
    }),
  ),
  shelved_until: Type.Optional(
    Type.String({ format: 'date-time', description: 'End of the shelving in progress.' }),
  ),
};

export const AlarmRecord = Type.Object(
  {
    ...standing,
    active_since: Type.Optional(
      Type.String({ format: 'date-time', description: 'Start of the activation.' }),
    ),
    changed_at: Type.Optional(Type.String({ format: 'date-time', description: 'Last transition.' })),
    cause: Type.Optional(Type.Enum(ALARM_CAUSES)),
  },
  { ...closed, title: 'AlarmRecord' },
);
export type AlarmRecord = Static<typeof AlarmRecord>;

const named = {
  target: Type.String(),
  component: Type.String(),
  instance: Type.Optional(Type.String()),
  alarm: Type.String({ description: 'Name of the alarm, or of the measure whose limits it is of.' }),
};

const EXAMPLE_NAME = { target: 'sat1', component: 'battery', instance: '1', alarm: 'voltage' };
const EXAMPLE_RECORD = {
  previous: 'NORMAL',
  state: 'ACTIVE_UNACK',
  severity: 'warning',
  seq: 1,
  cause: 'condition',
  value: 6.2,
  active_since: '2026-01-02T03:04:05.678Z',
  changed_at: '2026-01-02T03:04:05.678Z',
} as const;

export const Alarm = Type.Object(
  {
    ...named,
    record: AlarmRecord,
    reactions: Type.Optional(
      Type.Array(AlarmReaction, { description: 'Those under way, the oldest first; absent: none. Ours.' }),
    ),
  },
  { ...closed, title: 'Alarm', examples: [{ ...EXAMPLE_NAME, record: EXAMPLE_RECORD }] },
);
export type Alarm = Static<typeof Alarm>;

export const AlarmList = Type.Object(
  { alarms: Type.Array(Alarm) },
  { ...closed, title: 'AlarmList', examples: [{ alarms: [{ ...EXAMPLE_NAME, record: EXAMPLE_RECORD }] }] },
);
export type AlarmList = Static<typeof AlarmList>;

/** A transition, as `mcs.alarm.evt.<target>.<component>.<instance>.<alarm>` and the watch route report it. */
export const AlarmEvent = Type.Object(
  { ...named, ...standing, at: Time, cause: Type.Enum(ALARM_CAUSES) },
  {
    ...closed,
    title: 'AlarmEvent',
    examples: [
      {
        ...EXAMPLE_NAME,
        previous: 'NORMAL',
        state: 'ACTIVE_UNACK',
        severity: 'warning',
        value: 6.2,
        seq: 1,
        at: '2026-01-02T03:04:05.678Z',
        cause: 'condition',
      },
    ],
  },
);
export type AlarmEvent = Static<typeof AlarmEvent>;

export const AlarmEventPage = Type.Object(
  { events: Type.Array(AlarmEvent, { description: 'The newest first.' }), ...pageFields },
  {
    ...closed,
    title: 'AlarmEventPage',
    examples: [
      {
        events: [
          {
            ...EXAMPLE_NAME,
            previous: 'NORMAL',
            state: 'ACTIVE_UNACK',
            seq: 1,
            at: '2026-01-02T03:04:05.678Z',
            cause: 'condition',
          },
        ],
        gaps: [],
        damaged: 0,
        pending: 0,
      },
    ],
  },
);
export type AlarmEventPage = Static<typeof AlarmEventPage>;

/** The event in a message of ALARMS; undefined for anything else: a record may be made of it (alarm/recovery.V2). */
export function readAlarmEvent(data: Uint8Array): AlarmEvent | undefined {
  try {
    const event = parseJsonBytes(data) as Partial<AlarmEvent> | null;
    return isEvent(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

function isEvent(read: Partial<AlarmEvent> | null): read is AlarmEvent {
  const { seq, previous, state, at } = read ?? {};
  return (
    typeof seq === 'number' &&
    isState(previous) &&
    isState(state) &&
    typeof at === 'string' &&
    Number.isFinite(Date.parse(at))
  );
}

function isState(read: unknown): read is AlarmState {
  return (ALARM_STATES as readonly unknown[]).includes(read);
}

/** Which alarm a command was accepted for. */
export const AlarmTold = Type.Object(named, {
  ...closed,
  title: 'AlarmTold',
  examples: [EXAMPLE_NAME],
});
export type AlarmTold = Static<typeof AlarmTold>;

export const ShelveBody = Type.Object(
  { for: Type.String({ ...quantityBound, description: 'Duration, as in `30 min`.' }) },
  { ...closed, title: 'ShelveBody', examples: [{ for: '30 min' }] },
);
export type ShelveBody = Static<typeof ShelveBody>;

// On the bus ----------------------------------------------------------------------------------------------------------

/** Entry of bucket `mcs_alarms`: the record as people see it, and what its writer needs. */
export interface StoredAlarm {
  readonly record: AlarmRecord;
  /** Fencing token of the leader that wrote it. */
  readonly epoch: number;
  /** Where the last evaluation that changed it stood: nothing up to there is reported again. */
  readonly evaluated: EvaluatedAt;
  /** Of its activations, each until it is known how it ended and, when it failed, that is reported; oldest first. */
  readonly reactions?: readonly PendingReaction[];
  /** Failed reactions reported of so far. */
  readonly reports?: number;
  /** When its last shelving ended, ms since 1970: what became true before has no reaction, however late it is seen. */
  readonly unshelvedAt?: number;
}

/**
 * Place in the value stream of the target: the message, and the ground time inside it or of the deadline behind it. Of
 * `<alarm>-reaction`: the number of the report, and 0 for its raising or 1 for its clearing.
 */
export interface EvaluatedAt {
  /** Position in stream TM_VALUES. */
  readonly position: number;
  /** ms since 1970 */
  readonly at: number;
}

export interface PendingReaction {
  /** Number of the transition that asked for it: `<key>-<seq>` is the identifier of its submission. */
  readonly seq: number;
  /** When that was, ms since 1970. */
  readonly at: number;
  readonly procedure: string;
  /** The run, once it is submitted. */
  readonly run?: string;
  /** Why it could not be launched or did not pass; it stays until `<alarm>-reaction` reports it. */
  readonly failed?: string;
  /** Number of that reporting, from 1. */
  readonly report?: number;
}

/** Body of a request on `mcs.alarm.control.<target>`. */
export type AlarmCall = { readonly alarm: Omit<AlarmName, 'target'>; readonly by: string } & (
  | { readonly action: 'acknowledge' | 'unshelve' }
  | { readonly action: 'shelve'; readonly forMs: number }
);

export type AlarmReply =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly reason: string };

/** What the alarm service answered; undefined for a malformed reply. */
export function readAlarmReply(bytes: Uint8Array): AlarmReply | undefined {
  const reply = readReply(bytes);
  const outcome = reply && oneOf(reply, 'outcome', ['accepted', 'refused']);
  if (reply === undefined || outcome === undefined) return undefined;
  return outcome === 'refused'
    ? { outcome, reason: textIn(reply, 'reason') ?? 'it gives no reason' }
    : { outcome };
}
