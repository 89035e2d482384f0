/**
 * When schedules fire: MC-SCH-035 to MC-SCH-039, MC-SCH-054, MC-SCH-056, MC-SCH-057, MC-RUN-031 to MC-RUN-035. Judged
 * with code of its own by the records as the bus had them, not by what was found there.
 *
 * G1. What is written was decided by what was read a moment before: it is right if it was so at one of the moments
 *     between the earliest such reading and the write.
 */

import type { StoredPass } from '../../../contract/pass.ts';
import type { StoredSchedule } from '../../../contract/stored-schedule.ts';
import { MARGIN_MS } from '../schedules/mission.ts';
import { type Records, recordsOf, type Version } from '../schedules/records.ts';
import type { Checker } from './checker.ts';

/** How old what was read may be when the write is stored (G1), ms. */
export const READ_BEFORE_MS = 4_000;

export const firesRightly: Checker = {
  name: 'fires-inside-its-window',
  promise:
    'a schedule fires from its start on and while its run fits the pass, which is not cancelled, and with the validation it needs',
  *check(history) {
    const records = recordsOf(history);
    if (records === undefined) return;
    for (const version of records.schedules.all)
      if (version.record.state === 'fired' && version.before?.record.state !== 'fired')
        yield* firingFaults(version, records);
  },
};

function* firingFaults(version: Version<StoredSchedule>, records: Records): Iterable<string> {
  const { key, record, before } = version;
  if (before?.record.state !== 'scheduled') yield `${key} is fired from ${before?.record.state ?? 'nothing'}`;
  const said = record.changes.at(-1)?.at ?? '';
  if (said < record.fire_at) yield `${key} is fired at ${said}, and is due at ${record.fire_at}`;
  const moments = momentsBefore(version, records);
  const faults = moments.map((order) => faultAt(version, order, records));
  if (faults.every((fault) => fault !== undefined)) yield `${key} (${record.run_id}): ${faults.at(-1)}`;
}

/** G1: the places between which nothing changed. */
export function momentsBefore({ message }: Version<unknown>, records: Records): number[] {
  const { at, order } = message;
  const from = records.orderAt(at - READ_BEFORE_MS);
  const between = records.changes.filter((each) => each.order > from && each.order < order);
  return [from, ...between.map((each) => each.order)];
}

/** Why it should not have been fired by what was so then. */
function faultAt(version: Version<StoredSchedule>, order: number, records: Records): string | undefined {
  const { record, message } = version;
  const pass = records.passOf(record.target, record.pass, order);
  if (pass === undefined) return `its pass ${record.pass} was not stored`;
  const start = Date.parse(pass.aos) + offsetOf(record.start);
  const shown = records.shownBy(message.by, message.at);
  if (shown < start) return `${message.by} had ${iso(shown)}, and it starts at ${iso(start)}`;
  const now = message.at + records.errorOf(message.by, message.at);
  return passFault(record, pass, now) ?? validationFault(record, pass) ?? orderFault(record, order, records);
}

function passFault(record: StoredSchedule, pass: StoredPass, now: number): string | undefined {
  if (pass.status === 'cancelled') return `pass ${pass.id} is cancelled`;
  if (record.environment === 'orbit' && pass.status !== 'booked') return `pass ${pass.id} is ${pass.status}`;
  if (record.sends && pass.uplink === false) return `pass ${pass.id} is receive-only`;
  const last = Date.parse(pass.los) - MARGIN_MS;
  const end = now + durationOf(record);
  // What was asked a moment ago was asked of a clock that showed less.
  return end - WRITTEN_LATE_MS <= last
    ? undefined
    : `it may take until ${iso(end)}, and ends at ${iso(last)}`;
}

/** Runs may stand back to back: one that begins within a second is on time. */
const ON_TIME_MS = 1_000;

/** Between the question for the time and the write that is stored, ms. */
const WRITTEN_LATE_MS = 3_000;

function validationFault(record: StoredSchedule, pass: StoredPass): string | undefined {
  const { needs_validation, validation, ir } = record;
  if (!needs_validation) return undefined;
  if (validation === undefined) return 'it has no validation';
  const isOfThis =
    validation.pass === pass.id &&
    Date.parse(validation.aos) === Date.parse(pass.aos) &&
    Date.parse(validation.los) === Date.parse(pass.los) &&
    validation.ir === ir;
  return isOfThis ? undefined : 'its validation is of another pass, window or run';
}

/** MC-SCH-043, MC-SCH-061 */
function orderFault(record: StoredSchedule, order: number, records: Records): string | undefined {
  const start = Date.parse(record.fire_at);
  const earlier = records.onPass(record.target, record.pass, order).find((other) => {
    const begins = beginOf(other);
    const isBefore =
      begins < start ||
      (begins === start &&
        (other.created_at < record.created_at ||
          (other.created_at === record.created_at && other.id < record.id)));
    const takesPlace = other.state !== 'cancelled' && other.state !== 'missed';
    return other.id !== record.id && takesPlace && isBefore && begins + durationOf(other) > start;
  });
  return earlier === undefined ? undefined : `it starts before ${earlier.id} is surely over`;
}

/** A fired one begins when its run was named, unless that was as soon as it could be. */
function beginOf({ state, fire_at, changes }: StoredSchedule): number {
  const due = Date.parse(fire_at);
  const fired = changes.find((change) => change.state === 'fired');
  const begun = state === 'fired' && fired !== undefined ? Date.parse(fired.at) : due;
  return begun > due + ON_TIME_MS ? begun : due;
}

export function offsetOf(start: string): number {
  return 1_000 * Number(/\+ *([\d.]+) *s/.exec(start)?.[1] ?? 0);
}

export function durationOf({ max_duration }: Pick<StoredSchedule, 'max_duration'>): number {
  const [, number, unit] = /^([\d.]+) (ms|s|min)$/.exec(max_duration) ?? [];
  return Number(number) * (unit === 'ms' ? 1 : unit === 's' ? 1_000 : 60_000);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
