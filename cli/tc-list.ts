/** `mcs tc list`: telecommands of the past. A thin client of `GET /v1/tc`. */

import type { TelecommandPage } from '../contract/event.ts';
import { EVENT_FILTER_VALUES, EVENT_PAGE } from '../contract/limits/event.ts';
import { realClock } from '../supervision/clock.ts';
import { printColumns } from './columns.ts';
import { defineCommand } from './command.ts';
import { telecommandColumns } from './event-line.ts';
import { limitOf, logPages, logQuery } from './log-pages.ts';
import { jsonText } from './printable.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS, TIME_USAGE } from './table-options.ts';

const LIST_USAGE = `mcs tc list [TARGET] [--name TELECOMMAND] [--state STATE] [--by WHO] [--run RUN] [--from TIME] [--to TIME]
            [--limit N] [--json] [--utc | --local]
  the newest first, with the state of each; --state: those that reached it, as in VERIFY_FAILED, at the time of that
  ${TIME_USAGE}`;

const FILTERS = ['name', 'state', 'by', 'run'] as const;

export const list = defineCommand({
  usage: LIST_USAGE,
  words: ['[TARGET]'],
  options: {
    ...TABLE_OPTIONS,
    name: { type: 'string' },
    state: { type: 'string' },
    by: { type: 'string' },
    run: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    limit: { type: 'string' },
  },
  async run({ words: [target], values }) {
    const shape = shapeOf(values);
    const limit = limitOf(values.limit, EVENT_FILTER_VALUES, EVENT_PAGE);
    const query = logQuery(values, FILTERS);
    if (target !== undefined) query.set('target', target);
    const listed = await logPages(serviceOf(values), '/v1/tc', query, {
      limit,
      most: EVENT_FILTER_VALUES,
      itemsOf: ({ telecommands }: TelecommandPage) => telecommands,
    });
    if (listed === undefined) return 1;
    if (shape.json) process.stdout.write(`${jsonText(listed.items, 2)}\n`);
    else {
      const look = { now: realClock.now(), colour: hasColour(), elsewhere: '--json' };
      printColumns(telecommandColumns(shape.local), listed.items, look);
      if (listed.items.length === 0) process.stderr.write('no telecommands\n');
    }
    for (const line of listed.said) process.stderr.write(`${line}\n`);
    if (listed.more) process.stderr.write(`older telecommands match too: --limit up to ${EVENT_PAGE}\n`);
    return 0;
  },
});
