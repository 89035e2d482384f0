/** A stored schedule as rules ask about it. Mission Control Service, sections 2.7 and 4.6. */

import { assert } from '../../contract/assert.ts';
import { readInstant } from '../../contract/instant.ts';
import { SCHEDULE_TICK_MS } from '../../contract/limits/schedule.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import { drawnAt } from '../../contract/telecommand-id.ts';
import { isUlid } from '../../contract/token.ts';
import { parseDuration } from '../quantity.ts';
import { readStart } from './start.ts';

/** What decides where in a pass a run is. */
export type Placed = Pick<
  StoredSchedule,
  'id' | 'created_at' | 'state' | 'fire_at' | 'max_duration' | 'run_id'
>;

interface Place {
  /** ms since 1970 */
  readonly start: number;
  readonly end: number;
  readonly created: number;
}

/** Read once of each record: lists of many thousands are sorted by it. */
const places = new WeakMap<Placed, Place>();

/** When the run starts, or has been started, ms since 1970. */
export function startOf(schedule: Placed): number {
  return placeOf(schedule).start;
}

/** When the run is over at the latest, ms since 1970. */
export function endOf(schedule: Placed): number {
  return placeOf(schedule).end;
}

/** When it was created or replaced last, ms since 1970. */
export function createdOf(schedule: Placed): number {
  return placeOf(schedule).created;
}

/** Longest duration of the run, ms. */
export function durationOf({ max_duration }: Pick<Placed, 'max_duration'>): number {
  const read = parseDuration(max_duration);
  assert(read.ok, 'what is stored of a schedule was written here');
  return read.value;
}

/** By start, then creation, then identifier: the order of lists and of runs on one pass (MC-SCH-061). */
export function byStart(one: Placed, other: Placed): number {
  const [first, second] = [placeOf(one), placeOf(other)];
  const between = first.start - second.start || first.created - second.created;
  return between !== 0 ? between : one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

function placeOf(schedule: Placed): Place {
  const known = places.get(schedule);
  if (known !== undefined) return known;
  const { state, fire_at, run_id, created_at } = schedule;
  const due = momentOf(fire_at);
  const fired = state === 'fired' && run_id !== undefined ? drawnAt(run_id) : due;
  // One that was fired as soon as it could be was on time: runs may stand back to back.
  const start = fired > due + SCHEDULE_TICK_MS ? fired : due;
  const place = { start, end: start + durationOf(schedule), created: momentOf(created_at) };
  places.set(schedule, place);
  return place;
}

/** Who its run is by. */
export function bySchedule(id: string): string {
  return `schedule ${id}`;
}

/** Whether the two take the same place in the same pass, so that nothing changes for others. */
export function isPlacedAlike(one: StoredSchedule, other: StoredSchedule): boolean {
  return (
    one.target === other.target &&
    one.pass === other.pass &&
    takesPlace(one) === takesPlace(other) &&
    one.created_at === other.created_at &&
    startOf(one) === startOf(other) &&
    endOf(one) === endOf(other)
  );
}

/** Whether its run takes its place in the pass: one that is cancelled or missed does not. */
export function takesPlace({ state }: Pick<Placed, 'state'>): boolean {
  return state !== 'cancelled' && state !== 'missed';
}

/** Whether everything of it that rules ask about can be read: entries are written by other processes. */
export function isReadable(schedule: StoredSchedule): boolean {
  const { start, max_duration, run_id } = schedule;
  return parseDuration(max_duration).ok && readStart(start).ok && (run_id === undefined || isUlid(run_id));
}

function momentOf(text: string): number {
  const ms = readInstant(text);
  assert(ms !== undefined, 'what is stored of a schedule was checked');
  return ms;
}
