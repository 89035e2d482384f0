/**
 * Schedules on other passes whose runs may have a target at the same time: two stations see a spacecraft at once, and
 * each has a pass of it. Mission Control Service, section 4.6 asks for order on one pass alone, so that such a schedule
 * fits and stays `scheduled`; but at its start a target that another run has is not free, and who plans is to know.
 *
 * G1. What is looked at is bounded, whoever plans however much: those that start last before this one is over.
 * G2. Two runs that send nothing share a target.
 */

import { nearestInstant } from '../../contract/instant.ts';
import { SCHEDULE_MEETINGS, SCHEDULE_MEETINGS_LOOKED } from '../../contract/limits/schedule.ts';
import { FINAL_STATES, type StoredSchedule } from '../../contract/stored-schedule.ts';
import { byStart, endOf, startOf, takesPlace } from './schedule.ts';

/** `ofTarget`: the schedules whose runs have a target, by start. Empty for a schedule that is final. */
export function meetingsOf(
  schedule: StoredSchedule,
  ofTarget: (target: string) => readonly StoredSchedule[],
): string[] {
  if (FINAL_STATES.has(schedule.state)) return [];
  const met = new Map<StoredSchedule, string[]>();
  for (const target of new Set(Object.values(schedule.targets)))
    for (const other of metOn(schedule, ofTarget(target)))
      met.set(other, [...(met.get(other) ?? []), target]);
  return [...met]
    .sort(([one], [other]) => byStart(one, other))
    .slice(0, SCHEDULE_MEETINGS)
    .map(([other, targets]) => meetingText(other, targets));
}

/** G1 */
function metOn(schedule: StoredSchedule, others: readonly StoredSchedule[]): StoredSchedule[] {
  const end = behind(others, endOf(schedule));
  return others
    .slice(Math.max(0, end - SCHEDULE_MEETINGS_LOOKED), end)
    .filter((other) => endOf(other) > startOf(schedule) && meets(schedule, other));
}

/** How many of them, which are sorted, start before that time. */
function behind(others: readonly StoredSchedule[], time: number): number {
  let [from, to] = [0, others.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (startOf(others[middle]!) < time) from = middle + 1;
    else to = middle;
  }
  return from;
}

function meets(one: StoredSchedule, other: StoredSchedule): boolean {
  const isOnPass = one.pass === other.pass && one.target === other.target;
  return !isOnPass && one.id !== other.id && takesPlace(other) && (one.sends || other.sends);
}

function meetingText(other: StoredSchedule, targets: readonly string[]): string {
  const end = nearestInstant(endOf(other));
  return `the run of schedule ${other.id}, on pass ${other.pass} of ${other.target}, may have ${targets.join(' and ')} until ${end}`;
}
