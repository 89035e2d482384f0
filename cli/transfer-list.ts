/** `mcs transfer list`: transfers by priority, then by age. A thin client of `GET /v1/transfers`. */

import { TRANSFER_LISTS_READ } from '../contract/limits/transfer.ts';
import type { TransferList } from '../contract/transfer.ts';
import { realClock } from '../supervision/clock.ts';
import { printColumns } from './columns.ts';
import { defineCommand } from './command.ts';
import { jsonText } from './printable.ts';
import { readLists } from './read-lists.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS } from './table-options.ts';
import { transferColumns } from './transfer-columns.ts';

const LIST_USAGE = `mcs transfer list [TARGET] [--all] [--json] [--utc | --local]
  files under way, and those of the last day; --all: of the last year
`;

export const list = defineCommand({
  usage: LIST_USAGE,
  words: ['[TARGET]'],
  options: { ...TABLE_OPTIONS, all: { type: 'boolean' } },
  async run({ words: [target], values }) {
    const { all = false } = values;
    const shape = shapeOf(values);
    const query = new URLSearchParams({
      ...(target !== undefined && { target }),
      ...(all && { all: 'true' }),
    });
    const asked = { path: '/v1/transfers', query, most: TRANSFER_LISTS_READ };
    const listed = await readLists(serviceOf(values), asked, ({ transfers }: TransferList) => transfers);
    if (listed === undefined) return 1;
    const { items, more: isMore } = listed;
    if (shape.json) process.stdout.write(`${jsonText(items, 2)}\n`);
    else {
      const look = { now: realClock.now(), colour: hasColour(), elsewhere: '--json' };
      printColumns(transferColumns(shape.local), items, look);
      if (items.length === 0)
        process.stderr.write(
          all ? 'no transfers\n' : 'no transfers of the last day (--all lists older ones)\n',
        );
    }
    if (isMore) process.stderr.write(`more transfers match than ${items.length}; name a target\n`);
    return 0;
  },
});
