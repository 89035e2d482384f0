/**
 * What alarms leave behind, for the checkers: records, events, who led, and the answers people got. Nothing here is
 * judged.
 */

import type { AlarmEvent, StoredAlarm } from '../../contract/alarm.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { readStoredAlarm } from '../../contract/stored-alarm.ts';
import { bodyOf, keyOf } from './run-history.ts';
import type { TwinServer } from './twin/server.ts';
import type { StoredMessage } from './twin/stored-stream.ts';

export interface RecordedAlarmEvent {
  readonly message: StoredMessage;
  /** `<target>.<component>.<instance>.<alarm>` */
  readonly key: string;
  readonly event: AlarmEvent;
  readonly epoch: number;
}

/** One write of a record. */
export interface WrittenAlarm {
  readonly message: StoredMessage;
  readonly key: string;
  readonly stored: StoredAlarm;
}

/** A command that the alarm service has accepted. */
export interface AcceptedAlarmCommand {
  readonly target: string;
  /** `component[instance].alarm` */
  readonly alarm: string;
  /** Nobody else has this name. */
  readonly by: string;
  readonly action: 'acknowledge' | 'shelve' | 'unshelve';
  /** Places among what was stored: when it was asked, and when the answer had come. */
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** When a process ended, by the clock of the world. */
export interface EndedProcess {
  readonly instance: string;
  readonly at: number;
}

export interface AlarmHistory {
  readonly written: readonly WrittenAlarm[];
  readonly events: readonly RecordedAlarmEvent[];
  /** Writes of the leases of leaders, of any role. */
  readonly leases: readonly StoredMessage[];
  /** Alarms of which events were lost alone, and newer ones stayed. */
  readonly holed: ReadonlySet<string>;
  readonly accepted: readonly AcceptedAlarmCommand[];
  readonly ended: readonly EndedProcess[];
  /** When the run was over, by the clock of the world. */
  readonly endedAt: number;
}

/** The part that the server holds. */
export function storedAlarms(
  server: TwinServer,
): Pick<AlarmHistory, 'written' | 'events' | 'leases' | 'holed'> {
  const { lost } = server.stream(streams.alarms);
  return {
    written: server
      .bucket(buckets.alarms)
      .messages.filter(({ removal }) => !removal)
      .map((message) => ({ message, key: keyOf(message), stored: readStoredAlarm(message.data)! })),
    events: server.stream(streams.alarms).messages.map(recordedAlarm),
    leases: server.bucket(buckets.leaders).messages,
    holed: new Set(lost.filter(({ isHole }) => isHole).map((message) => recordedAlarm(message).key)),
  };
}

export function recordedAlarm(message: StoredMessage): RecordedAlarmEvent {
  return {
    message,
    key: message.subject.split('.').slice(3).join('.'),
    event: bodyOf<AlarmEvent>(message),
    epoch: Number(message.headers[header.epoch]),
  };
}

/** What belongs to each alarm, in its order. */
export function byAlarm<Item extends { readonly key: string }>(items: readonly Item[]): Map<string, Item[]> {
  const alarms = new Map<string, Item[]>();
  for (const item of items) {
    const known = alarms.get(item.key);
    if (known === undefined) alarms.set(item.key, [item]);
    else known.push(item);
  }
  return alarms;
}

/** The last write of each record. */
export function lastRecords(written: readonly WrittenAlarm[]): Map<string, StoredAlarm> {
  return new Map(written.map(({ key, stored }) => [key, stored]));
}
