/**
 * The events of alarms on stream ALARMS, made of their records: publishing one, and what the stream misses. Mission
 * Control Service, sections 2.4, 4.4 (recovery) and 6.
 *
 * E1. An event is appended behind the last one its writer knows, with message id `<key>-<seq>`: one that slept for
 *     longer than the stream remembers ids publishes nothing twice.
 * E2. What has left the stream by its age is not missing.
 * E3. What is no event on the subject of an alarm is nobody's: the last event is the last that is one.
 * E4. Where the stream went back behind what its writer knows, so did the record: nothing is published of it, and the
 *     leader starts again.
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
import { pastIsGone } from '../../messaging/low-water-mark.ts';
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

/** Where the stream of an alarm ends. */
export interface Head {
  /** Position in the stream; 0 when it has no event. */
  readonly position: number;
  /** Number of that transition. */
  readonly seq: number;
}

/** The last event of an alarm on the stream. */
export async function headOf(bus: Bus, name: AlarmName): Promise<Head> {
  const last = await bus.last(streams.alarms, subject.alarmEvent(name));
  if (last === undefined) return { position: 0, seq: 0 };
  const event = readAlarmEvent(last.data) ?? (await eventsOf(bus, name)).at(-1);
  return { position: last.seq, seq: event?.seq ?? 0 };
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

/** Position of the event of a record, by whoever published it (E1); undefined where the stream went back (E4). */
export async function publish(
  bus: Bus,
  name: AlarmName,
  { record, epoch }: Pick<StoredAlarm, 'record' | 'epoch'>,
  behind: number,
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
      },
    );
    if (appended.outcome !== 'conflict')
      return { position: appended.seq, published: appended.outcome === 'stored' };
    const head = await headOf(bus, name);
    if (head.seq >= record.seq) return { position: head.position, published: false };
    if (head.position < expected && !(await isHeld(bus, name, expected))) return undefined;
    expected = head.position;
  }
}

function isHeld(bus: Bus, name: AlarmName, seq: number): Promise<boolean> {
  return bus.stillHolds(streams.alarms, { seq, subject: subject.alarmEvent(name) });
}

/** Publishes the last transition of a record if the stream misses it (MC-ALM-054); where the stream ends then. */
export async function publishMissing(
  bus: Bus,
  name: AlarmName,
  stored: StoredAlarm,
  oldest: number,
): Promise<{ readonly position: number; readonly published: boolean }> {
  const head = await headOf(bus, name);
  const { seq, changed_at = '' } = stored.record;
  const isOld = Date.parse(changed_at) < oldest;
  if (head.seq >= seq || (head.seq === 0 && isOld)) return { position: head.position, published: false };
  const published = await publish(bus, name, stored, head.position);
  if (published === undefined) throw pastIsGone(streams.alarms);
  return published;
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
