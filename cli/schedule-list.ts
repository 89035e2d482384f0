/**
 * `mcs schedule list`: schedules by start. A thin client of `GET /v1/schedules`. Mission Control Service, section 4.6.
 */

import { SCHEDULE_LISTS_READ } from '../contract/limits/schedule.ts';
import type { ScheduleList } from '../contract/schedule.ts';
import { realClock } from '../supervision/clock.ts';
import { printColumns } from './columns.ts';
import { defineCommand } from './command.ts';
import { jsonText } from './printable.ts';
import { LIST_OPTIONS, listQuery, readLists } from './read-lists.ts';
import { hasColour } from './run-follow.ts';
import { scheduleColumns } from './schedule-columns.ts';
import { serviceOf } from './service.ts';
import { shapeOf } from './table-options.ts';

const LIST_USAGE = `mcs schedule list [--pass PASS] [--all] [--from TIME] [--to TIME] [--json] [--utc | --local]
  schedules that may still start; --all: also those that are cancelled, fired or missed; --from, --to: of that time
`;

const OPTIONS = { ...LIST_OPTIONS, pass: { type: 'string' } } as const;

export const list = defineCommand({
  usage: LIST_USAGE,
  words: [],
  options: OPTIONS,
  async run({ values }) {
    const { pass, all = false } = values;
    const shape = shapeOf(values);
    const asked = { path: '/v1/schedules', query: listQuery(values, { pass }), most: SCHEDULE_LISTS_READ };
    const listed = await readLists(serviceOf(values), asked, (reply: ScheduleList) => reply.schedules);
    if (listed === undefined) return 1;
    const { items, more } = listed;
    if (shape.json) process.stdout.write(`${jsonText(items, 2)}\n`);
    else {
      const look = { now: realClock.now(), colour: hasColour(), elsewhere: 'mcs schedule show, or --json' };
      printColumns(scheduleColumns(shape.local), items, look);
      if (items.length === 0) process.stderr.write(`${nothingText(pass, all)}\n`);
    }
    if (more)
      process.stderr.write(
        `more schedules match than ${items.length}; narrow them with --pass, --from, --to\n`,
      );
    return 0;
  },
});

function nothingText(pass: string | undefined, all: boolean): string {
  const which = pass === undefined ? 'no schedules' : 'no schedules on that pass';
  return all ? which : `${which} that may still start (--all lists those that are over)`;
}
