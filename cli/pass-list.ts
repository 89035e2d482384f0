/** `mcs pass list`: stored passes by AOS. A thin client of `GET /v1/passes`. Mission Control Service, section 4.5. */

import { PASS_LISTS_READ } from '../contract/limits/pass.ts';
import type { PassList } from '../contract/pass.ts';
import { realClock } from '../supervision/clock.ts';
import { printColumns } from './columns.ts';
import { defineCommand } from './command.ts';
import { passColumns, passRow } from './pass-columns.ts';
import { jsonText } from './printable.ts';
import { LIST_OPTIONS, listQuery, readLists } from './read-lists.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { shapeOf } from './table-options.ts';

const LIST_USAGE = `mcs pass list [--target T] [--all] [--from TIME] [--to TIME] [--json] [--utc | --local]
  passes that are not over; --all: every one; --from, --to: those that touch that time
`;

const OPTIONS = { ...LIST_OPTIONS, target: { type: 'string' } } as const;

export const list = defineCommand({
  usage: LIST_USAGE,
  words: [],
  options: OPTIONS,
  async run({ values }) {
    const { target, all = false } = values;
    const shape = shapeOf(values);
    const asked = { path: '/v1/passes', query: listQuery(values, { target }), most: PASS_LISTS_READ };
    const listed = await readLists(serviceOf(values), asked, (list: PassList) => list.passes);
    if (listed === undefined) return 1;
    const { items, more } = listed;
    const { json, local } = shape;
    if (json) process.stdout.write(`${jsonText(items, 2)}\n`);
    else {
      const look = { now: realClock.now(), colour: hasColour(), elsewhere: 'mcs pass show, or --json' };
      printColumns(passColumns({ live: false, local }), items.map(passRow), look);
    }
    if (items.length === 0 && !json)
      process.stderr.write(
        all ? 'no passes\n' : 'no passes that are not over (--all lists those that are)\n',
      );
    if (more)
      process.stderr.write(
        `more passes match than ${items.length}; narrow them with --target, --from, --to\n`,
      );
    return 0;
  },
});
