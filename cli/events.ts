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
import { EventFollow } from './event-follow.ts';
import { eventLine } from './event-line.ts';
import { followAgain, INTERRUPTED, pause, whenEnded } from './followed.ts';
import { limitOf, logPages, logQuery } from './log-pages.ts';
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
    const show = shower(shape);
    if (follow) return followed(service, query, limit, show);
    const listed = await pages(service, query, limit);
    if (listed === undefined) return 1;
    for (const event of newestFirst(listed.items).reverse()) show(event);
    for (const line of listed.said) process.stderr.write(`${line}\n`);
    if (listed.more)
      process.stderr.write(`older events match too: --limit up to ${EVENT_PAGE}, or an earlier --to\n`);
    return 0;
  },
});

function shower({ json, local }: Shape): (event: WatchedEvent) => void {
  if (json) return printJsonLine;
  const look = { local, colour: hasColour() };
  return (event) => void process.stdout.write(`${eventLine(event, look)}\n`);
}

function pages(service: Service, query: URLSearchParams, limit: number) {
  const itemsOf = ({ events: items }: EventPage): EventPage['events'] => items;
  return logPages(service, '/v1/events', new URLSearchParams(query), { limit, itemsOf });
}

async function followed(
  service: Service,
  query: URLSearchParams,
  limit: number,
  show: (event: WatchedEvent) => void,
): Promise<number> {
  const ended = whenEnded();
  const { signal } = ended;
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const follow = new EventFollow({
    now: () => realClock.now(),
    pause: (ms) => pause(ms, signal),
    list(since) {
      const asked = new URLSearchParams(query);
      if (since !== undefined) asked.set('from', since);
      return pages(service, asked, since === undefined ? limit : EVENT_PAGE);
    },
    show,
    say,
    refused: () => ended.abort('refused'),
  });
  const watched = new URLSearchParams(query);
  watched.delete('from');
  const refused = await followAgain<WatchedEvent>(service, `/v1/events/watch?${watched}`, signal, {
    received: (event) => follow.received(event),
    opened: () => void follow.opened(),
    lost: (said) => follow.lost(said),
  });
  if (refused !== undefined) say(refused);
  if (refused !== undefined || signal.reason === 'refused') return 1;
  const now = new Date(realClock.now()).toISOString();
  say(`-- events are still recorded; those from now on: mcs events --from ${now}`);
  return INTERRUPTED;
}
