/**
 * The store of alarm cells: the record in bucket `mcs_alarms` is the snapshot. Mission Control Service, section 4.4
 * (recovery).
 *
 * R1. Each transition is written to the bucket by conditional write, and only then published; the next one is not
 *     written before. So nothing but the last transition of a record can be missing on the stream.
 * R2. Only who leads writes: nothing once `holds()` says no, nothing over the record of a later leader, nothing behind
 *     a lost write (O1).
 * R3. A record is restored whole: state, end of the shelving or of the last one, reactions under way. One that nobody
 *     has raised is NORMAL.
 * R4. A commit that met an outage is asked for again as a whole: what of it is done is not done again.
 * R5. Behind an outage a record that was written is looked for before its event is asked for again: with a store that
 *     went back it is gone, and what is not recorded is not published.
 */

import type { PendingReaction, StoredAlarm } from '../../contract/alarm.ts';
import { type AlarmName, alarmKey, alarmNamed } from '../../contract/alarm-name.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { readStoredAlarm, storedAlarmBytes } from '../../contract/stored-alarm.ts';
import { isToken } from '../../contract/token.ts';
import { alarmMachine } from '../../machines/alarm/alarm.ts';
import { type AlarmItem, reactionEffect } from '../../machines/alarm/protocol.ts';
import { type AlarmContext, NEVER_EVALUATED } from '../../machines/alarm/record.ts';
import type { Bus } from '../../ports/bus.ts';
import type { ArmedTimer, Commit, Committed, Emitted, Store, Stored } from '../../ports/entity.ts';
import { type KnownHead, publish } from './alarm-event.ts';
import type { Writing } from './compared-mark.ts';
import { recover } from './recovery.ts';

export const ALARM_VERSION = 1;
/** The event that ends a shelving. */
export const SHELVING_TERM = 'xstate.after.shelvingTerm.alarm.shelving.shelved';

/** One term of leadership, as the store knows it. */
export interface AlarmTerm {
  readonly epoch: number;
  /** Whether this process still leads, now. */
  holds(): boolean;
  /** Another leader has written. */
  lost(error: Error): void;
  /** This stands in the bucket now. */
  written(key: string, stored: StoredAlarm): void;
  /** Its transition is on the stream, by this process. */
  published(name: AlarmName, stored: StoredAlarm): void;
  /** Events before this time, ms since 1970, may have left the stream. */
  oldest(): number;
  /** Where the stream of each alarm ends, by key. */
  readonly heads: Map<string, KnownHead>;
  /** Events of this alarm that were acknowledged are lost, until then. */
  eventsLost(key: string, until: number): void;
  /** The cell of an alarm is about to write its record. */
  writing(key: string): Writing;
  /** A record is about to be compared with its last event. */
  comparing(key: string): Writing;
}

const NO_EVENT: KnownHead = { position: 0, at: 0 };

interface RecordStoreOptions {
  readonly bus: Bus;
  /** Undefined while this process does not lead. */
  readonly term: () => AlarmTerm | undefined;
  /** Called when a transition is in the bucket and not yet published; a process may be made to die there. */
  readonly written?: (state: string) => void;
}

/** How far a commit that met an outage had come (R4). */
interface Progress {
  done: number;
  written: boolean;
  position: number;
  /** The record that is being written. */
  writing?: Writing | undefined;
}

/** The store of the kind `alarm`. */
export function createRecordStore(options: RecordStoreOptions): Store {
  const begun = new WeakMap<Commit, Progress>();
  return {
    load: (key) => load(options, key),
    commit: (wanted) => {
      const progress = begun.get(wanted) ?? { done: 0, written: false, position: wanted.position };
      begun.set(wanted, progress);
      return commit(options, wanted, progress);
    },
  };
}

/** An alarm of valid tokens only: what else is asked for is none (token.K1). */
export function validName(key: string): AlarmName | undefined {
  const name = alarmNamed(key);
  const parts = name === undefined ? [] : [name.target, name.component, name.instance ?? '_', name.alarm];
  return parts.length > 0 && parts.every(isToken) ? name : undefined;
}

// Reading -------------------------------------------------------------------------------------------------------------

async function load({ bus, term: termOf }: RecordStoreOptions, key: string): Promise<Stored | undefined> {
  const term = termOf();
  const name = validName(key);
  if (term === undefined || name === undefined) return undefined;
  const entry = await bus.bucket(buckets.alarms).get(key);
  const stored = entry && readStoredAlarm(entry.value);
  if (entry !== undefined && stored === undefined)
    throw new Error(`the record ${key} in ${buckets.alarms.name} cannot be read: correct or remove it`);
  if (stored !== undefined && stored.epoch > term.epoch) {
    term.lost(new Error(`a later leader has written alarm ${key}`));
    return undefined;
  }
  const recorded = stored && entry && { stored, revision: entry.revision };
  const { recorded: now, head, published, lost } = await recover(bus, name, recorded, term);
  if (lost !== undefined) term.eventsLost(key, lost);
  if (published && now !== undefined) term.published(name, now.stored);
  // Also where a person has corrected it since it was last read or written here.
  if (now !== undefined) term.written(key, now.stored);
  term.heads.set(key, head);
  return restored(key, now?.stored, now?.revision ?? 0);
}

/** What a cell goes on from (R3). */
export function restored(key: string, stored: StoredAlarm | undefined, position: number): Stored {
  const { record, evaluated = NEVER_EVALUATED, reactions = [], reports = 0, unshelvedAt } = stored ?? {};
  const context: AlarmContext = {
    evaluated,
    reactions,
    reports,
    ...(record !== undefined && { record }),
    ...(unshelvedAt !== undefined && { unshelvedAt }),
  };
  const until = record?.shelved_until;
  const value = {
    life: record?.state ?? 'NORMAL',
    shelving: until === undefined ? 'unshelved' : 'shelved',
  } as const;
  const revision = record?.seq ?? 0;
  const timers: ArmedTimer[] =
    until === undefined
      ? []
      : [{ id: SHELVING_TERM, event: { type: SHELVING_TERM }, dueAt: Date.parse(until) }];
  return {
    position,
    envelope: {
      kind: 'alarm',
      id: key,
      version: ALARM_VERSION,
      revision,
      epoch: stored?.epoch ?? 0,
      snapshot: alarmMachine.getPersistedSnapshot(alarmMachine.resolveState({ value, context })),
      timers,
      // Failures are reported in the order of their numbers (alarm/service.S5); what has none yet asks for a run.
      effects: reactions.toSorted(byReport).map((each, n) => ({
        key: `alarm:${key}:${revision}:${n}`,
        effect: reactionEffect(each),
      })),
    },
  };
}

function byReport({ report: one = 0 }: PendingReaction, { report: other = 0 }: PendingReaction): number {
  return one - other;
}

// Writing -------------------------------------------------------------------------------------------------------------

async function commit(
  { bus, term: termOf, written }: RecordStoreOptions,
  { id: key, epoch, records }: Commit,
  progress: Progress,
): Promise<Committed> {
  const term = termOf();
  const name = validName(key);
  if (term === undefined || name === undefined || term.epoch !== epoch) return { outcome: 'fenced' };
  for (const item of records.slice(progress.done) as readonly Emitted[] as readonly (Emitted & AlarmItem)[]) {
    const stored: StoredAlarm = { ...item.stored, epoch };
    progress.writing ??= term.writing(key);
    const stands = progress.written
      ? await stillStands(bus, key, stored, progress)
      : await write(bus, key, stored, term, progress);
    if (!stands) return { outcome: 'fenced' };
    let head: KnownHead | undefined;
    if (item.transition) {
      head = await tell(bus, name, stored, term, () => written?.(item.state));
      if (head === undefined) return { outcome: 'fenced' };
    }
    progress.writing.ended(progress.position, head);
    progress.done += 1;
    progress.written = false;
    progress.writing = undefined;
  }
  return { outcome: 'committed', position: progress.position };
}

/** False when another leader wrote, or this process leads no more (R2). */
async function write(
  bus: Bus,
  key: string,
  stored: StoredAlarm,
  term: AlarmTerm,
  progress: Progress,
): Promise<boolean> {
  if (!term.holds()) return false;
  const bytes = storedAlarmBytes(stored);
  const bucket = bus.bucket(buckets.alarms);
  const put = await bucket.put(key, bytes, progress.position);
  const revision = put.outcome === 'written' ? put.revision : await ownWrite(bus, key, bytes, progress);
  if (revision === undefined) return false;
  progress.position = revision;
  progress.written = true;
  term.written(key, stored);
  return true;
}

/** The revision of one's own write whose answer an outage took (R4). */
async function ownWrite(
  bus: Bus,
  key: string,
  bytes: Uint8Array,
  { position }: Progress,
): Promise<number | undefined> {
  const entry = await bus.bucket(buckets.alarms).get(key);
  const isOwn = entry !== undefined && entry.revision > position && Buffer.compare(entry.value, bytes) === 0;
  return isOwn ? entry.revision : undefined;
}

/** R5 */
async function stillStands(
  bus: Bus,
  key: string,
  stored: StoredAlarm,
  { position }: Progress,
): Promise<boolean> {
  const entry = await bus.bucket(buckets.alarms).get(key);
  const bytes = storedAlarmBytes(stored);
  return entry?.revision === position && Buffer.compare(entry.value, bytes) === 0;
}

/**
 * Publishes the transition; undefined when this process leads no more, or the stream went back: who leads now goes by
 * the bucket.
 */
async function tell(
  bus: Bus,
  name: AlarmName,
  stored: StoredAlarm,
  term: AlarmTerm,
  written: () => void,
): Promise<KnownHead | undefined> {
  written();
  if (!term.holds()) return undefined;
  const key = alarmKey(name);
  const told = await publish(bus, name, stored, term.heads.get(key) ?? NO_EVENT, {
    once: true,
  });
  if (told === undefined) return undefined;
  if (told.lost !== undefined) term.eventsLost(key, told.lost);
  const head = { position: told.position, at: Date.parse(stored.record.changed_at ?? '') || 0 };
  term.heads.set(key, head);
  term.published(name, stored);
  return head;
}
