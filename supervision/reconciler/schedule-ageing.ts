/**
 * Moves schedules that have long been final from those that every process holds to those that are read where somebody
 * asks for them (decision 36). Led by one process of the cell. What cannot be moved stays, and keeps no other back: it
 * is behind the others in the next round.
 */

import { SCHEDULES_AGED_AT_ONCE } from '../../contract/limits/schedule.ts';
import type { ScheduleBook } from '../../messaging/schedule-book.ts';
import { isLongFinal, SchedulesOver } from '../../messaging/schedules-over.ts';
import type { Bus } from '../../ports/bus.ts';
import { type AgeingOptions, AgeingRounds } from './ageing-rounds.ts';

export interface ScheduleAgeingOptions extends AgeingOptions {
  readonly bus: Bus;
  readonly schedules: ScheduleBook;
}

export function startScheduleAgeing(options: ScheduleAgeingOptions): AgeingRounds {
  const { clock, schedules } = options;
  const over = new SchedulesOver(options);
  let last = '';
  const rounds = new AgeingRounds(options, async () => {
    if (!schedules.live) return true;
    const now = clock.now();
    const waiting = schedules
      .schedules()
      .filter((schedule) => isLongFinal(schedule, now) && schedule.id > last)
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    const some = waiting.slice(0, SCHEDULES_AGED_AT_ONCE);
    const isFull = some.length < waiting.length;
    last = isFull ? some.at(-1)!.id : '';
    for (const schedule of await over.keep(some, now)) {
      if (!rounds.goesOn) return false;
      await over.leave(schedule);
    }
    return isFull;
  });
  rounds.start();
  return rounds;
}
