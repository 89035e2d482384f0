/**
 * Stored schedules as the bus has them, and one change of one. Mission Control Service, sections 3.4 and 4.6.
 *
 * C1. A change is conditional on what was read: whoever loses says that somebody else has written it meanwhile.
 */

import { buckets } from '../contract/bus/buckets.ts';
import type { StoredSchedule } from '../contract/stored-schedule.ts';
import type { Mission } from '../mission/mission.ts';
import type { Surroundings } from '../mission/schedule/assess.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { PassBook } from './pass-book.ts';
import { readSchedule, type ScheduleBook } from './schedule-book.ts';

export interface ScheduleTools {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly passes: PassBook;
  readonly schedules: ScheduleBook;
}

/** The schedule of that identifier, also one that another process wrote a moment ago. Throws `Outage`. */
export async function storedSchedule(
  { bus, schedules }: Pick<ScheduleTools, 'bus' | 'schedules'>,
  id: string,
): Promise<StoredSchedule | undefined> {
  const known = schedules.get(id);
  if (known !== undefined) return known;
  const entry = await bus.bucket(buckets.schedules).get(id);
  return entry && readSchedule(id, entry.value);
}

/** What is known around a stored schedule, but for its resolution. */
export function surroundingsOf(
  { target, pass, environment }: Pick<StoredSchedule, 'target' | 'pass' | 'environment'>,
  mission: Mission,
  { passes, schedules }: Pick<ScheduleTools, 'passes' | 'schedules'>,
): Omit<Surroundings, 'resolution'> {
  return {
    pass: passes.find(target, pass),
    others: schedules.onPass(target, pass),
    environment: mission.environments.get(environment),
    marginMs: mission.settings.schedulerMarginMs,
  };
}

export type Changed =
  | { readonly outcome: 'changed'; readonly stored: StoredSchedule; readonly revision: number }
  | { readonly outcome: 'unknown' }
  /** Somebody else has written it meanwhile. */
  | { readonly outcome: 'overtaken' };

/**
 * Takes a stored schedule to what `change` makes of it, once: undefined where it is to stay as it is. Throws `Outage`.
 */
export async function changeSchedule(
  bus: Bus,
  id: string,
  change: (stored: StoredSchedule) => StoredSchedule,
): Promise<Changed> {
  const bucket = bus.bucket(buckets.schedules);
  const entry = await bucket.get(id);
  const standing = entry && readSchedule(id, entry.value);
  if (entry === undefined || standing === undefined) return { outcome: 'unknown' };
  const stored = change(standing);
  if (stored === standing) return { outcome: 'changed', stored, revision: entry.revision };
  const written = await bucket.put(id, Buffer.from(JSON.stringify(stored)), entry.revision);
  return written.outcome === 'written'
    ? { outcome: 'changed', stored, revision: written.revision }
    : { outcome: 'overtaken' };
}
