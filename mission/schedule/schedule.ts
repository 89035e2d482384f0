/** A stored schedule as rules ask about it. Mission Control Service, sections 2.7 and 4.6. */

import { assert } from '../../contract/assert.ts';
import { readInstant } from '../../contract/instant.ts';
import type { StoredSchedule } from '../../contract/schedule.ts';
import { drawnAt } from '../../contract/telecommand-id.ts';
import { parseDuration } from '../quantity.ts';

/** What decides where in a pass a run is. */
export type Placed = Pick<StoredSchedule, 'id' | 'created_at' | 'state' | 'fire_at' | 'max_duration' | 'run_id'>;

/** When the run starts, or has been started, ms since 1970. */
export function startOf({ state, fire_at, run_id }: Pick<Placed, 'state' | 'fire_at' | 'run_id'>): number {
  const due = momentOf(fire_at);
  return state === 'fired' && run_id !== undefined ? Math.max(due, drawnAt(run_id)) : due;
}

/** When the run is over at the latest, ms since 1970. */
export function endOf(schedule: Placed): number {
  return startOf(schedule) + durationOf(schedule);
}

/** Longest duration of the run, ms. */
export function durationOf({ max_duration }: Pick<Placed, 'max_duration'>): number {
  const read = parseDuration(max_duration);
  assert(read.ok, 'what is stored of a schedule was written here');
  return read.value;
}

/** By start, then creation, then identifier: the order of lists and of runs on one pass (MC-SCH-061). */
export function byStart(one: Placed, other: Placed): number {
  const between = startOf(one) - startOf(other) || momentOf(one.created_at) - momentOf(other.created_at);
  return between !== 0 ? between : one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

/** Whether its run takes its place in the pass: one that is cancelled or missed does not. */
export function takesPlace({ state }: Pick<Placed, 'state'>): boolean {
  return state !== 'cancelled' && state !== 'missed';
}

function momentOf(text: string): number {
  const ms = readInstant(text);
  assert(ms !== undefined, 'what is stored of a schedule was checked');
  return ms;
}
