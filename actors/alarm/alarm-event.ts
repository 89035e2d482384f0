/**
 * The events of alarms on stream ALARMS, made of their records, and publishing one. Mission Control Service, sections
 * 2.4 and 6. What the stream or a record misses: `recovery.ts`.
 *
 * E1. An event is appended behind the last one its writer knows, with message id `<key>-<seq>`: one that slept for
 *     longer than the stream remembers ids publishes nothing twice.
 * E2. What has left the stream by its age is not missing.
 * E3. What is no event on the subject of an alarm is nobody's: the last event is the last that is one.
 * E4. Where the stream went back behind what its writer knows, so did the record; where it says something else under
 *     the number of a record, the record of that went with the store. Nothing is published then, and the leader starts
 *     again.
 * E5. Where the stream does not hold what its writer knows and did not go back, events that were acknowledged are lost:
 *     copies of a stream that differ lose some in its middle. The record has the last transition, which is published
 *     again; those before it are lost, and it is said. Keeps append-behind.A1.
 */

import { type AlarmEvent, type AlarmRecord, readAlarmEvent, type StoredAlarm } from '../../contract/alarm.ts';
import { type AlarmName, alarmKey } from '../../contract/alarm-name.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { isActive } from '../../machines/alarm/record.ts';
import { appendBehind } from '../../messaging/append-behind.ts';
import { lostEvents } from '../../messaging/lost-events.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';

/** The last transition that a record holds. */
export function eventOf(name: AlarmName, record: AlarmRecord): AlarmEvent {
  const { previous, state, severity, value, seq, by, shelved_until, changed_at = '', cause } = record;
  const { target, component, instance, alarm } = name;
  return {
    target,
    component,
    ...(instance !== undefined && { instance }),
    alarm,
    previous,
    state,
    ...(severity !== undefined && { severity }),
    ...(value !== undefined && { value }),
    seq,
    ...(by !== undefined && { by }),
    ...(shelved_until !== undefined && { shelved_until }),
    at: changed_at,
    cause: cause ?? 'condition',
  };
}

/** The record that an event was made of; `before`: the one before it, as far as that is known. */
export function recordOf(event: AlarmEvent, before: AlarmRecord | undefined): AlarmRecord {
  const { previous, state, severity, value, seq, by, shelved_until, at, cause } = event;
  const since = isActive(state) && !isActive(previous) ? at : (before?.active_since ?? at);
  return {
    previous,
    state,
    ...(severity !== undefined && { severity }),
    ...(value !== undefined && { value }),
    seq,
    ...(by !== undefined && { by }),
    ...(shelved_until !== undefined && { shelved_until }),
    ...(state !== 'NORMAL' && { active_since: since }),
    changed_at: at,
    cause,
  };
}

/** Whether an event is that of the last transition of a record. */
export function isEventOf(event: AlarmEvent, record: AlarmRecord): boolean {
  const { seq, previous, state, severity, by, changed_at = '', cause = 'condition' } = record;
  return (
    event.seq === seq &&
    event.previous === previous &&
    event.state === state &&
    event.severity === severity &&
    event.by === by &&
    event.at === changed_at &&
    event.cause === cause
  );
}

/** Where the stream of an alarm ends, as its writer knows it. */
export interface KnownHead {
  /** Position in the stream; 0 when it has no event. */
  readonly position: number;
  /** When that event was stored, ms since 1970; 0: not known. */
  readonly at: number;
}

/** Where the stream of an alarm ends. */
export interface Head extends KnownHead {
  /** Number of that transition. */
  readonly seq: number;
  readonly event: AlarmEvent | undefined;
}

/** The last event of an alarm on the stream. */
export async function headOf(bus: Bus, name: AlarmName): Promise<Head> {
  const last = await bus.last(streams.alarms, subject.alarmEvent(name));
  if (last === undefined) return { position: 0, at: 0, seq: 0, event: undefined };
  const event = readAlarmEvent(last.data) ?? (await eventsOf(bus, name)).at(-1);
  return { position: last.seq, at: last.at, seq: event?.seq ?? 0, event };
}

/** Every event of an alarm that the stream still has, the oldest first (E3). Throws `Outage`. */
export async function eventsOf(bus: Bus, name: AlarmName): Promise<AlarmEvent[]> {
  const events: AlarmEvent[] = [];
  const keep = (message: StreamMessage): void => {
    const event = readAlarmEvent(message.data);
    if (event !== undefined) events.push(event);
  };
  const follower = await bus.follow(streams.alarms, subject.alarmEvent(name), { from: 'start' }, keep);
  await follower.caughtUp;
  await follower.stop();
  return events;
}

/** `once`: for who looks after an outage whether the record still stands, before it asks again. */
interface PublishOptions {
  readonly once?: boolean;
}

export interface Published {
  readonly position: number;
  /** By this call. */
  readonly published: boolean;
  /** Until when events are lost (E5); absent: nothing is known to be. */
  readonly lost?: number;
}

/** Where the event of a record stands, by whoever published it (E1); undefined where the store went back (E4). */
export async function publish(
  bus: Bus,
  name: AlarmName,
  { record, epoch }: Pick<StoredAlarm, 'record' | 'epoch'>,
  behind: KnownHead,
  { once = false }: PublishOptions = {},
): Promise<Published | undefined> {
  const body = Buffer.from(JSON.stringify(eventOf(name, record)));
  const id = `${alarmKey(name)}-${record.seq}`;
  const headers = { [header.epoch]: String(epoch) };
  let known = behind;
  let loss: { readonly lost?: number } = {};
  for (;;) {
    const how = { id, expected: known.position, headers, once };
    const appended = await appendBehind(bus, streams.alarms, subject.alarmEvent(name), body, how);
    if (appended.outcome === 'stored') return { position: appended.seq, published: true, ...loss };
    const head = await headOf(bus, name);
    if (head.seq === record.seq && head.event !== undefined && !isEventOf(head.event, record))
      return undefined;
    if (head.seq >= record.seq) return { position: head.position, published: false, ...loss };
    if (head.position < known.position) {
      if (!(await isHeld(bus, name, known.position))) return undefined;
      const lost = await lostBehind(bus, name, known, record);
      if (lost !== undefined) loss = { lost };
    }
    known = head;
  }
}

function isHeld(bus: Bus, name: AlarmName, seq: number): Promise<boolean> {
  return bus.stillHolds(streams.alarms, { seq, subject: subject.alarmEvent(name) });
}

/** E5 */
async function lostBehind(
  bus: Bus,
  name: AlarmName,
  { position, at }: KnownHead,
  { changed_at: now = '' }: AlarmRecord,
): Promise<number | undefined> {
  const last = { subject: subject.alarmEvent(name), seq: position, at };
  const lost = await lostEvents(bus, streams.alarms, [last], Date.parse(now));
  return lost[0]?.at;
}
