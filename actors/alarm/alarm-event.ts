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
 */

import {
  type AlarmEvent,
  type AlarmName,
  type AlarmRecord,
  alarmKey,
  readAlarmEvent,
  type StoredAlarm,
} from '../../contract/alarm.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { isActive } from '../../machines/alarm/record.ts';
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

/** Where the stream of an alarm ends. */
export interface Head {
  /** Position in the stream; 0 when it has no event. */
  readonly position: number;
  /** Number of that transition. */
  readonly seq: number;
  readonly event: AlarmEvent | undefined;
}

/** The last event of an alarm on the stream. */
export async function headOf(bus: Bus, name: AlarmName): Promise<Head> {
  const last = await bus.last(streams.alarms, subject.alarmEvent(name));
  if (last === undefined) return { position: 0, seq: 0, event: undefined };
  const event = readAlarmEvent(last.data) ?? (await eventsOf(bus, name)).at(-1);
  return { position: last.seq, seq: event?.seq ?? 0, event };
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

/** Position of the event of a record, by whoever published it (E1); undefined where the store went back (E4). */
export async function publish(
  bus: Bus,
  name: AlarmName,
  { record, epoch }: Pick<StoredAlarm, 'record' | 'epoch'>,
  behind: number,
  { once = false }: PublishOptions = {},
): Promise<{ readonly position: number; readonly published: boolean } | undefined> {
  let expected = behind;
  for (;;) {
    const appended = await bus.append(
      streams.alarms,
      subject.alarmEvent(name),
      Buffer.from(JSON.stringify(eventOf(name, record))),
      {
        id: `${alarmKey(name)}-${record.seq}`,
        expectLastSubjectSeq: expected,
        headers: { [header.epoch]: String(epoch) },
        once,
      },
    );
    if (appended.outcome === 'stored') return { position: appended.seq, published: true };
    const head = await headOf(bus, name);
    if (head.seq === record.seq && head.event !== undefined && !isEventOf(head.event, record))
      return undefined;
    if (head.seq >= record.seq) return { position: head.position, published: false };
    if (appended.outcome === 'duplicate') return { position: appended.seq, published: false };
    if (head.position < expected && !(await isHeld(bus, name, expected))) return undefined;
    expected = head.position;
  }
}

function isHeld(bus: Bus, name: AlarmName, seq: number): Promise<boolean> {
  return bus.stillHolds(streams.alarms, { seq, subject: subject.alarmEvent(name) });
}

/** What a record stands for in the bucket; undefined for malformed bytes. */
export function readStored(value: Uint8Array): StoredAlarm | undefined {
  try {
    const stored = JSON.parse(Buffer.from(value).toString()) as Partial<StoredAlarm> | null;
    const { record, epoch, evaluated } = stored ?? {};
    const isWhole =
      typeof record?.seq === 'number' &&
      typeof epoch === 'number' &&
      typeof evaluated?.position === 'number' &&
      typeof evaluated.at === 'number';
    return isWhole ? (stored as StoredAlarm) : undefined;
  } catch {
    return undefined;
  }
}
