/**
 * What a new alarm leader does before anything else: reads the records, and brings together with the stream of events
 * those that may not say the same (`recovery.ts`; MC-ALM-054, MC-ALM-055). Mission Control Service, section 4.4
 * (recovery).
 *
 * O1. Records and events that the leader before has compared or written are not compared again: what a start costs is
 *     one reading of the records, and of the events since (`compared-mark.ts`).
 * O2. Where something of before is lost all records are compared with all events, and an alarm that has events and no
 *     record is recorded again as it was published (alarm/recovery.V2): nobody has to wait until it changes to see it.
 * O3. A malformed record or key is skipped, with a line in the log.
 * O4. That the bucket was emptied, deleted or went back is said, for the whole cell (decision 70).
 */

import { type AlarmEvent, readAlarmEvent } from '../../contract/alarm.ts';
import { alarmNamed } from '../../contract/alarm-name.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { ALARM_RECOVERIES } from '../../contract/limits/alarm.ts';
import { readStoredAlarm } from '../../contract/stored-alarm.ts';
import { inTurns } from '../../messaging/in-turns.ts';
import type { Bus } from '../../ports/bus.ts';
import { caughtUp } from '../../ports/caught-up.ts';
import type { Log } from '../../ports/log.ts';
import type { ComparedMark, Covered } from './compared-mark.ts';
import { type AlarmTerm, validName } from './record-store.ts';
import { differs, isMissing, type Recorded, recover } from './recovery.ts';

type Since = Pick<Covered, 'records' | 'events'>;

interface LaterEvents {
  /** The last event of each alarm, by its key. */
  readonly last: ReadonlyMap<string, AlarmEvent>;
  /** When the last of them was stored, ms since 1970; 0: there is none. */
  readonly until: number;
  /** Where the stream ended when they were read. */
  readonly end: number;
}

interface TakingOver {
  readonly bus: Bus;
  readonly log: Log;
  readonly term: AlarmTerm;
  readonly compared: ComparedMark;
  /** Aborted when the term is over. */
  readonly signal: AbortSignal;
  /** Called once the records are known: commands of people may come. */
  readonly known: () => void;
}

/** Resolves early where the term is over. Rejects with `Outage`, and where another leader takes the records. */
export async function takeOver({ bus, log, term, compared, signal, known }: TakingOver): Promise<void> {
  const { since, recordsLost } = await compared.take();
  const { records, skipped, newest } = await readRecords(bus, log);
  for (const [key, { stored }] of records) term.written(key, stored);
  if (signal.aborted) return;
  known();
  const events = await eventsBehind(bus, since.events, signal);
  if (recordsLost) sayLost(events, { bus, log });
  const keys = [...toCompare({ records, skipped }, events, since, term.oldest())];
  await inTurns(keys, ALARM_RECOVERIES, (key) => bringTogether(bus, key, records.get(key), term));
  if (!term.holds()) return;
  compared.keep({ records: newest, events: events.end });
}

async function bringTogether(
  bus: Bus,
  key: string,
  recorded: Recorded | undefined,
  term: AlarmTerm,
): Promise<void> {
  const name = alarmNamed(key);
  if (name === undefined || !term.holds()) return;
  const { recorded: now, published, lost } = await recover(bus, name, recorded, term);
  if (lost !== undefined) term.eventsLost(key, lost);
  if (now === undefined) return;
  if (published) term.published(name, now.stored);
  if (now !== recorded) term.written(key, now.stored);
}

/** O4 */
function sayLost({ until }: LaterEvents, { bus, log }: Pick<TakingOver, 'bus' | 'log'>): void {
  const bucket = buckets.alarms.name;
  if (until === 0)
    return log.error({ bucket }, 'records and events of alarms are lost: the leader starts without them');
  const fields = { bucket, until: new Date(until).toISOString() };
  log.error(fields, 'records of alarms are lost: restored from the published events');
  bus.lost?.(until);
}

interface ReadRecords {
  readonly records: Map<string, Recorded>;
  /** Keys of what is no record (O3). */
  readonly skipped: ReadonlySet<string>;
  /** The last revision. */
  readonly newest: number;
}

/** Every record by its key, as it stands in the bucket. Rejects with `Outage`. */
async function readRecords(bus: Bus, log: Log): Promise<ReadRecords> {
  const records = new Map<string, Recorded>();
  const skipped = new Set<string>();
  let newest = 0;
  for (const { key, value, revision } of await bus.bucket(buckets.alarms).list('>')) {
    newest = Math.max(newest, revision);
    const stored = validName(key) === undefined ? undefined : readStoredAlarm(value);
    if (stored !== undefined) records.set(key, { stored, revision });
    else {
      skipped.add(key);
      log.error({ key, bucket: buckets.alarms.name }, 'malformed record or key of an alarm: skipped');
    }
  }
  return { records, skipped, newest };
}

/** What the stream of events holds behind a position. Rejects with `Outage`, also where `signal` ends it. */
async function eventsBehind(bus: Bus, position: number, signal: AbortSignal): Promise<LaterEvents> {
  const last = new Map<string, AlarmEvent>();
  let until = 0;
  const from = { from: 'seq', seq: position + 1 } as const;
  const follower = await bus.follow(streams.alarms, subject.alarmEvents(), from, (message) => {
    const event = readAlarmEvent(message.data);
    const key = message.subject.split('.').slice(-4).join('.');
    if (event === undefined || validName(key) === undefined) return;
    last.set(key, event);
    until = message.at;
  });
  const end = await caughtUp(follower, signal);
  return { last, until, end };
}

/** Keys of the alarms whose record and stream may not say the same (O1, O2). `oldest`: what is older may have left. */
function* toCompare(
  { records, skipped }: Pick<ReadRecords, 'records' | 'skipped'>,
  { last }: LaterEvents,
  since: Since,
  oldest: number,
): Generator<string> {
  for (const [key, recorded] of records) {
    const event = last.get(key);
    const isCovered = event === undefined && recorded.revision <= since.records;
    if (isCovered) continue;
    if (differs(event, recorded) || isMissing(recorded, event?.seq ?? 0, oldest)) yield key;
  }
  for (const key of last.keys()) if (!records.has(key) && !skipped.has(key)) yield key;
}
