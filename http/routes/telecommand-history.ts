/**
 * Telecommands of the past, from the log of events. Ours (decision 51).
 *
 * H1. A telecommand is listed at the moment when it was submitted or, where a state is asked for, when it reached that:
 *     once, in an order that does not change.
 * H2. Its state now is the last one that the bus has of it, else the last one of the log within an hour of it.
 */

import Type from 'typebox';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { type TelecommandEntry, TelecommandPage } from '../../contract/event.ts';
import type { ArchivedEvent } from '../../contract/event-query.ts';
import { EVENT_FILTER_VALUES, EVENT_PAGE } from '../../contract/limits/event.ts';
import { readTcEvent } from '../../contract/telecommand.ts';
import { TC_STATES, type TcState } from '../../contract/telecommand-state.ts';
import { eventsOf, LOG_ERRORS, saidOf } from '../events/page.ts';
import { askedEvents, pageInQuery, wordInQuery } from '../events/question.ts';
import { limitInQuery, targetInQuery } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';
import { defineRoute, type QueryParameter } from '../route.ts';

const HOUR_MS = 3_600_000;

const stateInQuery: QueryParameter<TcState> = {
  schema: Type.Enum(TC_STATES, { description: 'Only those that reached this state, at the time of that.' }),
  expected: TC_STATES.join(', '),
  parse: (text) => TC_STATES.find((state) => state === text),
};

export const listTelecommands = defineRoute({
  method: 'GET',
  path: '/v1/tc',
  operationId: 'listTelecommands',
  summary: 'Telecommands of the past, the newest first',
  description:
    'By when they were submitted, or with `state` by when they reached it. Pages as in `GET /v1/events`; the events of one ' +
    'are in `GET /v1/tc/{target}/{id}/events`.',
  tag: 'Events',
  query: {
    ...pageInQuery,
    limit: limitInQuery(EVENT_FILTER_VALUES, EVENT_FILTER_VALUES),
    target: targetInQuery,
    name: wordInQuery('Only this telecommand: `component.name` or `component[instance].name`.'),
    state: stateInQuery,
    by: wordInQuery('Only those that this person sent.'),
    run: wordInQuery('Only those of this run.'),
  },
  abortable: true,
  replies: { 200: TelecommandPage },
  errors: LOG_ERRORS,
  async handle({ query: asked, gone }, ports) {
    const { target, name, by, run, state = 'PENDING', limit = EVENT_FILTER_VALUES } = asked;
    const where = { kind: 'telecommand', target, name, by, run, state };
    const question = askedEvents({ ...asked, limit }, where);
    if (!question.ok) return question;
    const found = await eventsOf(question.value, ports, gone);
    if (!found.ok) return found;
    const { events } = found.value.value;
    const now = await statesOf(events, ports, gone);
    const telecommands = events.map((event) => entryOf(event, now.get(event.subject)));
    const body: TelecommandPage = { telecommands, ...saidOf(found.value) };
    return { ok: true, value: { status: 200, body } };
  },
});

interface Stands {
  readonly state: string;
  readonly detail?: string;
}

/** H2 */
async function statesOf(
  events: readonly ArchivedEvent[],
  ports: RoutePorts,
  gone: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Stands>> {
  const known = new Map<string, Stands>();
  await Promise.all(
    events.map(async ({ target = '', subject: id }) => {
      const last = await ports.bus.last(streams.telecommandEvents, subject.tcEvent(target, id));
      const event = last === undefined ? undefined : readTcEvent(last.data);
      if (event !== undefined && event.state !== 'ECHO') known.set(id, standsOf(event));
    }),
  );
  const missing = events.filter(({ subject: id }) => !known.has(id));
  if (missing.length === 0) return known;
  const times = missing.map(({ time }) => time);
  const where = { kind: ['telecommand'], subject: missing.map(({ subject: id }) => id) };
  const query = { from: Math.min(...times), to: Math.max(...times) + HOUR_MS, where, data: true };
  const found = await eventsOf({ query, page: { before: undefined, limit: EVENT_PAGE } }, ports, gone);
  if (!found.ok) return known;
  for (const { subject: id, data } of found.value.value.events) {
    const event = data === undefined ? undefined : readTcEvent(Buffer.from(data));
    if (event !== undefined && event.state !== 'ECHO' && !known.has(id)) known.set(id, standsOf(event));
  }
  return known;
}

function standsOf({ state, detail }: { readonly state: string; readonly detail?: string }): Stands {
  return { state, ...(detail !== undefined && { detail }) };
}

function entryOf(event: ArchivedEvent, stands: Stands | undefined): TelecommandEntry {
  const { subject: id, target = '', name, by, run, state = '', time } = event;
  return {
    id,
    target,
    ...(name !== undefined && { telecommand: name }),
    ...(by !== undefined && { by }),
    ...(run !== undefined && { run }),
    reached: state,
    reached_at: new Date(time).toISOString(),
    ...stands,
  };
}
