/**
 * Events and the log of the daemon. RF Bench Service, sections 4 and 6.
 *
 * V1. What lies between a moment and an earlier one is nothing: an empty list, and no refusal.
 */

import { PurgeBody, Purged, SEVERITIES } from '../../contract/bench/event.ts';
import { BENCH_LIST_LIMIT } from '../../contract/limits/bench.ts';
import { limitInQuery, sinceInQuery, textInQuery, untilInQuery, wordInQuery } from './parameters.ts';
import { type BenchRoute, defineBenchRoute, given, replied } from './route.ts';
import { EventsShape } from './shapes.ts';

const period = { since: sinceInQuery, until: untilInQuery, limit: limitInQuery };

export const eventRoutes: readonly BenchRoute[] = [
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/logs',
    operationId: 'listLogs',
    summary: 'Events and lines of the log of the daemon',
    description: 'Newest first. Lines are kept until the daemon ends, events longer.',
    tag: 'Events',
    query: { level: wordInQuery(SEVERITIES, 'This severity and above.'), ...period },
    replies: { 200: EventsShape },
    errors: [],
    handle({ query: { level, since, until, limit = BENCH_LIST_LIMIT } }, { bench }) {
      if (isNever(since, until)) return replied([]);
      return replied(bench.events.logs(given({ severity: level, since, until, limit })));
    },
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/events',
    operationId: 'listEvents',
    summary: 'Events of the bench',
    description: 'Newest first.',
    tag: 'Events',
    query: {
      kind: textInQuery('Only of this kind.', 'profile.applied'),
      source: textInQuery('Only of this part of the daemon.', 'radio'),
      severity: wordInQuery(SEVERITIES, 'Only of this severity.'),
      ...period,
    },
    replies: { 200: EventsShape },
    errors: [],
    handle({ query: { limit = BENCH_LIST_LIMIT, ...filter } }, { bench }) {
      if (isNever(filter.since, filter.until)) return replied([]);
      return replied(bench.events.events(given({ ...filter, limit })));
    },
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/events/latest',
    operationId: 'listLatestEvents',
    summary: 'The latest events',
    description: 'Newest first, at most `n`.',
    tag: 'Events',
    query: { n: limitInQuery },
    replies: { 200: EventsShape },
    errors: [],
    handle: ({ query: { n = BENCH_LIST_LIMIT } }, { bench }) => replied(bench.events.events({ limit: n })),
  }),
  defineBenchRoute({
    method: 'DELETE',
    path: '/api/v1/events',
    operationId: 'purgeEvents',
    summary: 'Removes the events that are older',
    description: 'The body gives the age; lines of the log are kept.',
    tag: 'Events',
    body: PurgeBody,
    replies: { 200: Purged },
    errors: ['unavailable'],
    async handle({ body }, { bench }) {
      const purged = await bench.events.purge(body.older_than_hours);
      return purged.ok ? replied({ purged: purged.value }) : purged;
    },
  }),
];

/** V1 */
function isNever(since: number | undefined, until: number | undefined): boolean {
  return since !== undefined && until !== undefined && since > until;
}
