/**
 * `mcs events`: the log of everything that happened, and what is new in it. A thin client of `GET /v1/events` and its
 * watch. Exit code: 0, 1 when the service refuses, 2 when the command line is malformed, 130 when Ctrl-C ended it.
 */

import type { EventPage, WatchedEvent } from '../contract/event.ts';
import { newestFirst } from '../contract/event-order.ts';
import { EVENT_PAGE, EVENT_PAGE_USUAL } from '../contract/limits/event.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { eventLine } from './event-line.ts';
import { followAgain, whenEnded } from './followed.ts';
import { limitOf, logPages, logQuery } from './log-pages.ts';
import { printable } from './pass-look.ts';
import { printJsonLine } from './print-json.ts';
import { hasColour } from './run-follow.ts';
import { type Service, serviceOf } from './service.ts';
import { type Shape, shapeOf, TABLE_OPTIONS, TIME_USAGE } from './table-options.ts';

const USAGE = `mcs events [TARGET …] [--follow] [--kinds K,K] [--severity S] [--text T] [--subject ID] [--by WHO] [--run RUN]
           [--from TIME] [--to TIME] [--limit N] [--json] [--utc | --local]
  what happened, the newest last; --follow: and what happens from now on; --json: one JSON in a line
  --severity: detail, info (usual), warning or critical, and what is higher; with --kinds every one
  !! critical  ! warning; ${TIME_USAGE}`;

const FILTERS = ['kinds', 'severity', 'text', 'subject', 'by', 'run'] as const;
/** What the watch does not know. */
const PAST_ONLY = ['text', 'subject', 'by', 'run', 'to'] as const;
/** What a shell reports of a command that Ctrl-C ended. */
const INTERRUPTED = 130;

export const events = defineCommand({
  usage: USAGE,
  words: [],
  rest: 'TARGET',
  options: {
    ...TABLE_OPTIONS,
    follow: { type: 'boolean' },
    kinds: { type: 'string' },
    severity: { type: 'string' },
    text: { type: 'string' },
    subject: { type: 'string' },
    by: { type: 'string' },
    run: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    limit: { type: 'string' },
  },
  async run({ rest: targets, values }) {
    const shape = shapeOf(values);
    const { follow = false } = values;
    const limit = limitOf(values.limit, EVENT_PAGE_USUAL, EVENT_PAGE);
    const other = PAST_ONLY.find((name) => follow && values[name] !== undefined);
    if (other !== undefined) throw new WrongUsage(`--follow does not go with --${other}`);
    const service = serviceOf(values);
    const query = logQuery(values, FILTERS);
    if (targets.length > 0) query.set('targets', targets.join());
    const asked = new URLSearchParams(query);
    const show = shower(shape);
    const listed = await logPages(service, '/v1/events', query, {
      limit,
      itemsOf: ({ events: items }: EventPage) => items,
    });
    if (listed === undefined) return 1;
    for (const event of newestFirst(listed.items).reverse()) show(event);
    for (const line of listed.said) process.stderr.write(`${line}\n`);
    if (!follow && listed.more)
      process.stderr.write(`older events match too: --limit up to ${EVENT_PAGE}, or an earlier --to\n`);
    return follow ? followed(service, asked, show) : 0;
  },
});

function shower({ json, local }: Shape): (event: WatchedEvent) => void {
  if (json) return printJsonLine;
  const look = { local, colour: hasColour() };
  return (event) => void process.stdout.write(`${eventLine(event, look)}\n`);
}

/** Nothing is replayed by the watch: where what happened meanwhile stands is said. */
async function followed(
  service: Service,
  query: URLSearchParams,
  show: (event: WatchedEvent) => void,
): Promise<number> {
  query.delete('from');
  const { signal } = whenEnded();
  const now = (): string => new Date(realClock.now()).toISOString();
  let lostAt: string | undefined;
  const refused = await followAgain<WatchedEvent>(service, `/v1/events/watch?${query}`, signal, {
    received: show,
    opened: () => {
      if (lostAt !== undefined)
        process.stderr.write(`-- connected again; what happened meanwhile: mcs events --from ${lostAt}\n`);
      lostAt = undefined;
    },
    lost: (said) => {
      if (lostAt === undefined) process.stderr.write(`-- ${printable(said)}; trying again\n`);
      lostAt ??= now();
    },
  });
  if (refused !== undefined) {
    process.stderr.write(`${refused}\n`);
    return 1;
  }
  process.stderr.write(`-- events are still recorded; those from now on: mcs events --from ${now()}\n`);
  return INTERRUPTED;
}
