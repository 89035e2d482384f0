/**
 * The record of an alarm and the stream of its events brought together, before anything else happens to the alarm: at a
 * takeover, and whenever its cell is made. Mission Control Service, section 4.4 (recovery); decision 27.
 *
 * V1. What the stream misses of a record is published (MC-ALM-054), but not what has left it by its age.
 * V2. What was published was recorded before (alarm/record-store.R1). A record that is behind the last event, or says
 *     something else under its number, or is missing, went with a store that went back: it is recorded again as it was
 *     published, since it is what people have seen; what the condition says now is compared with that
 *     (target-alarms.T5). Nothing else is known of it: a reaction it may have asked for is not asked for again.
 * V4. A record is published before its next transition (alarm/record-store.R1). Where more than its last transition is
 *     missing behind an event that is there, events that were acknowledged are lost (alarm-event.E5).
 * V3. Only who leads writes, and nothing over what somebody else has written meanwhile.
 */

import type { AlarmEvent, AlarmRecord, StoredAlarm } from '../../contract/alarm.ts';
import { type AlarmName, alarmKey } from '../../contract/alarm-name.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { Outage } from '../../contract/outage.ts';
import { storedAlarmBytes } from '../../contract/stored-alarm.ts';
import { NEVER_EVALUATED } from '../../machines/alarm/record.ts';
import { pastIsGone } from '../../messaging/low-water-mark.ts';
import type { Bus } from '../../ports/bus.ts';
import { eventsOf, type Head, headOf, isEventOf, type KnownHead, publish, recordOf } from './alarm-event.ts';
import type { Writing } from './compared-mark.ts';

/** A record as it stands in the bucket. */
export interface Recorded {
  readonly stored: StoredAlarm;
  readonly revision: number;
}

export interface Recovered {
  readonly recorded: Recorded | undefined;
  /** Where the stream of the alarm ends. */
  readonly head: KnownHead;
  /** Its last transition was missing on the stream. */
  readonly published: boolean;
  /** Until when events of it are lost (V4); absent: nothing is known to be. */
  readonly lost?: number;
}

interface Term {
  readonly epoch: number;
  holds(): boolean;
  /** Events before this time, ms since 1970, may have left the stream. */
  oldest(): number;
  comparing(key: string): Writing;
}

/** Throws `Outage`, also where the term is over or somebody else wrote. */
export async function recover(
  bus: Bus,
  name: AlarmName,
  recorded: Recorded | undefined,
  term: Term,
): Promise<Recovered> {
  const comparing = term.comparing(alarmKey(name));
  try {
    const recovered = await bringTogether(bus, name, recorded, term);
    comparing.ended(recovered.recorded?.revision, recovered.head);
    return recovered;
  } catch (error) {
    comparing.ended();
    throw error;
  }
}

async function bringTogether(
  bus: Bus,
  name: AlarmName,
  recorded: Recorded | undefined,
  term: Term,
): Promise<Recovered> {
  const head = await headOf(bus, name);
  if (head.event !== undefined && differs(head.event, recorded))
    return { recorded: await recordAgain(bus, name, head.event, recorded, term), ...at(head) };
  if (recorded === undefined || !isMissing(recorded, head.seq, term.oldest()))
    return { recorded, ...at(head) };
  const published = await publish(bus, name, recorded.stored, head);
  if (published === undefined) throw pastIsGone(streams.alarms);
  const { changed_at = '', seq } = recorded.stored.record;
  const until = Date.parse(changed_at);
  const isLost = head.seq > 0 && head.seq + 1 < seq && until > term.oldest();
  return {
    recorded,
    head: { position: published.position, at: until },
    published: published.published,
    ...(isLost && { lost: until }),
  };
}

/** Whether the last event of an alarm was recorded and is not any more (V2). */
export function differs(event: AlarmEvent | undefined, recorded: Recorded | undefined): boolean {
  if (event === undefined) return false;
  const record = recorded?.stored.record;
  return record === undefined || !(event.seq < record.seq || isEventOf(event, record));
}

/** Whether the stream of an alarm, which ends with transition `seq`, does not have its last one (V1). */
export function isMissing({ stored: { record } }: Recorded, seq: number, oldest: number): boolean {
  const isOld = Date.parse(record.changed_at ?? '') < oldest;
  return seq < record.seq && !(seq === 0 && isOld);
}

/** What the events before this one make of a record, where it depends on them: since when the alarm is active. */
async function publishedBefore(
  bus: Bus,
  name: AlarmName,
  { previous, state, seq }: AlarmEvent,
): Promise<AlarmRecord | undefined> {
  if (state === 'NORMAL' || previous === 'NORMAL') return undefined;
  const before = (await eventsOf(bus, name)).filter((event) => event.seq < seq);
  return before.reduce<AlarmRecord | undefined>((record, event) => recordOf(event, record), undefined);
}

async function recordAgain(
  bus: Bus,
  name: AlarmName,
  event: AlarmEvent,
  before: Recorded | undefined,
  term: Term,
): Promise<Recorded> {
  const known = before?.stored ?? { evaluated: NEVER_EVALUATED };
  const record = recordOf(event, before?.stored.record ?? (await publishedBefore(bus, name, event)));
  const stored: StoredAlarm = { ...known, record, epoch: term.epoch };
  const key = alarmKey(name);
  const bytes = storedAlarmBytes(stored);
  const put = term.holds()
    ? await bus.bucket(buckets.alarms).put(key, bytes, before?.revision ?? 0)
    : undefined;
  if (put?.outcome !== 'written')
    throw new Outage(
      'bus.unavailable',
      `alarm ${key} was published and is not recorded, and is in somebody else's hands`,
    );
  return { stored, revision: put.revision };
}

function at({ position, at }: Head): Pick<Recovered, 'head' | 'published'> {
  return { head: { position, at }, published: false };
}
