/** Schedules that may still start, against the programs that they would start. */

import { bucketStream } from '../../bus/declared.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { FINAL_STATES } from '../../contract/stored-schedule.ts';
import { readSchedule } from '../../messaging/schedule-book.ts';
import type { Look } from './finding.ts';
import { hasProgram, unreadable, whereOf } from './records.ts';

export const schedules: Look = {
  checks: ['schedule-without-program', 'unreadable-record'],
  needs: [bucketStream(buckets.schedules), bucketStream(buckets.programs)],
  look: ({ bus, found }) =>
    bus.inventory.entries(buckets.schedules, async ({ key, value }) => {
      const schedule = readSchedule(key, value);
      if (schedule === undefined)
        return found(unreadable(buckets.schedules, key, 'the record of the schedule'));
      const isPending = schedule.state === 'fired' && schedule.submitted !== true;
      if (FINAL_STATES.has(schedule.state) && !isPending) return;
      if (await hasProgram(bus, schedule.ir)) return;
      const what = `it is ${schedule.state} and program ${schedule.ir} is not in ${buckets.programs.name}`;
      const remedy = 'create the schedule again: mcs schedule create';
      found({ check: 'schedule-without-program', where: whereOf(buckets.schedules, key), what, remedy });
    }),
};
