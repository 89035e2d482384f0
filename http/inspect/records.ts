/**
 * Entities whose record has a bucket of its own, which no log stands beside, as the inspector shows them: what is in
 * the record is all there is to know of one that no process has alive.
 */

import { alarmNamed, alarmPath } from '../../contract/alarm-name.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import type { EntitySummary, StoredView } from '../../contract/inspection.ts';
import { readStoredAlarm } from '../../contract/stored-alarm.ts';
import { FINAL_STATES, type StoredSchedule } from '../../contract/stored-schedule.ts';
import {
  isOpenTransfer,
  readStoredTransfer,
  receivedBy,
  type StoredTransfer,
  transferKey,
} from '../../contract/transfer.ts';
import { readSchedule } from '../../messaging/schedule-book.ts';
import { startOf } from '../../mission/schedule/schedule.ts';
import type { Entry } from '../../ports/bus.ts';

/** What is shown of a record. */
export interface ShownRecord {
  readonly summary: EntitySummary & { readonly stored: StoredView };
  /** Ids of the states it is in, the outermost first. */
  readonly active: readonly string[];
  readonly context: unknown;
}

/** The record of an entry; undefined where it cannot be read. */
export type RecordReader = (entry: Entry) => ShownRecord | undefined;

export const RECORDS = {
  alarm: { bucket: buckets.alarms, read: alarmIn },
  schedule: { bucket: buckets.schedules, read: scheduleIn },
  transfer: { bucket: buckets.transfers, read: transferIn },
} as const;

export function isRecordKind(kind: string): kind is keyof typeof RECORDS {
  return Object.hasOwn(RECORDS, kind);
}

function alarmIn({ key, value, at }: Entry): ShownRecord | undefined {
  const read = readStoredAlarm(value);
  if (read === undefined) return undefined;
  const { record, epoch, reactions = [] } = read;
  const { state, seq, shelved_until: until } = record;
  const term = until === undefined ? [] : [{ event: 'end of the shelving', dueAt: Date.parse(until) }];
  const [target] = key.split('.');
  const stored: StoredView = {
    at,
    epoch,
    chartVersion: 1,
    state,
    revision: seq,
    timers: term,
    effects: reactions.map(({ run }) => ({ key: run ?? '', type: 'reaction' })),
  };
  const name = alarmNamed(key);
  const named = {
    kind: 'alarm',
    id: key,
    ...(name !== undefined && { label: alarmPath(name) }),
    ...(target !== undefined && { target }),
  };
  const shelving = `alarm.shelving.${until === undefined ? 'unshelved' : 'shelved'}`;
  return {
    summary: { ...named, status: 'loading', state, revision: seq, at, stored },
    active: ['alarm.life', 'alarm.shelving', `alarm.life.${state}`, shelving],
    context: read,
  };
}

function scheduleIn({ key, value, at }: Entry): ShownRecord | undefined {
  const record = readSchedule(key, value);
  return record && shownSchedule(record, at);
}

/** A schedule that was written at this time, ms since 1970. */
export function shownSchedule(record: StoredSchedule, at: number): ShownRecord {
  const summary = scheduleSummary(record);
  const isWaiting = !FINAL_STATES.has(record.state);
  const stored: StoredView = {
    at,
    epoch: 0,
    chartVersion: 1,
    state: record.state,
    revision: summary.revision,
    timers: isWaiting ? [{ event: 'start.reached', dueAt: startOf(record) }] : [],
    effects: [],
  };
  return {
    summary: { ...summary, stored },
    active: [`schedule.${record.state}`],
    context: { record },
  };
}

/** A schedule as its record has it; what has fired, is missed or cancelled has finished. */
export function scheduleSummary(record: StoredSchedule): EntitySummary {
  const { id, state, run, target, updated_at, changes } = record;
  return {
    kind: 'schedule',
    id,
    label: run,
    target,
    status: FINAL_STATES.has(state) ? 'finished' : 'loading',
    state,
    revision: changes.length,
    at: Date.parse(updated_at),
  };
}

function transferIn({ key, value, at }: Entry): ShownRecord | undefined {
  const record = readStoredTransfer(key, value);
  return record && transferShown(record, at);
}

/** A transfer that was written at this time, ms since 1970. */
export function transferShown(record: StoredTransfer, at: number): ShownRecord {
  const summary = transferSummary(record);
  const stored: StoredView = {
    at,
    epoch: 0,
    chartVersion: record.actor.version,
    state: record.state,
    revision: summary.revision,
    timers: [],
    effects: [],
  };
  return { summary: { ...summary, stored }, active: placesOf(record), context: { record } };
}

/** A transfer as its record has it. */
export function transferSummary(record: StoredTransfer): EntitySummary {
  const { direction, file_id, target, state, updated_at, actor } = record;
  return {
    kind: 'transfer',
    id: transferKey(record),
    label: `${direction} of file ${file_id}`,
    target,
    status: isOpenTransfer(record) ? 'loading' : 'finished',
    state,
    revision: actor.changes.length,
    at: Date.parse(updated_at),
  };
}

/** Ids of the states of its chart. */
function placesOf(record: StoredTransfer): string[] {
  const { state, size, actor } = record;
  const outer = `transfer.${state}`;
  if (state === 'PARTIAL')
    return [outer, `${outer}.${receivedBy(record).covers(0, size) ? 'assembling' : 'receiving'}`];
  if (state === 'VERIFIED') return [outer, `${outer}.${isOpenTransfer(record) ? 'decoding' : 'kept'}`];
  return state === 'COMPLETE' && actor.unverifiable === true ? ['transfer.unverifiable'] : [outer];
}
