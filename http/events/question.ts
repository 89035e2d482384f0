/** What is asked of the log of events, from the query of a request. */

import Type from 'typebox';
import {
  EVENT_KINDS,
  EVENT_SEVERITIES,
  type EventKind,
  type EventSeverity,
} from '../../contract/event-kinds.ts';
import { type EventFilter, type EventPlace, type EventQuery, readPlace } from '../../contract/event-query.ts';
import {
  EVENT_FILTER_VALUES,
  EVENT_PAGE,
  EVENT_PAGE_USUAL,
  EVENT_TEXT_CHARACTERS,
} from '../../contract/limits/event.ts';
import { NAME_CHARACTERS } from '../../contract/limits/request.ts';
import { isToken } from '../../contract/token.ts';
import { refuse } from '../errors.ts';
import { instantInQuery, limitInQuery } from '../parameters.ts';
import type { Handled } from '../reply.ts';
import type { QueryParameter } from '../route.ts';

/** Values with commas, each as `read` takes it. */
function listInQuery<Value extends string>(
  description: string,
  expected: string,
  read: (text: string) => Value | undefined,
): QueryParameter<readonly Value[]> {
  return {
    schema: Type.String({
      maxLength: EVENT_FILTER_VALUES * (NAME_CHARACTERS + 1),
      description: `${description}, with commas; at most ${EVENT_FILTER_VALUES}.`,
    }),
    expected,
    parse(text) {
      const parts = text.split(',');
      const values = parts.map((part) => read(part.trim()));
      const isList = parts.length <= EVENT_FILTER_VALUES && values.every((value) => value !== undefined);
      return isList ? (values as readonly Value[]) : undefined;
    },
  };
}

export const kindsInQuery = listInQuery<EventKind>(
  `Only these kinds: ${EVENT_KINDS.join(', ')}`,
  `kinds with commas: ${EVENT_KINDS.join(', ')}`,
  (text) => EVENT_KINDS.find((kind) => kind === text),
);

export const targetsInQuery = listInQuery<string>(
  'Only events of these targets',
  'names of targets with commas',
  (text) => (isToken(text) ? text : undefined),
);

export const severityInQuery: QueryParameter<EventSeverity> = {
  schema: Type.Enum(EVENT_SEVERITIES, {
    description: 'Only this severity and higher ones; default `info`, and with `kinds` every one.',
  }),
  expected: EVENT_SEVERITIES.join(', '),
  parse: (text) => EVENT_SEVERITIES.find((severity) => severity === text),
};

export function wordInQuery(description: string): QueryParameter<string> {
  return {
    schema: Type.String({ minLength: 1, maxLength: EVENT_TEXT_CHARACTERS, description }),
    expected: `text of 1 to ${EVENT_TEXT_CHARACTERS} characters`,
    parse: (text) => (text.length >= 1 && text.length <= EVENT_TEXT_CHARACTERS ? text : undefined),
  };
}

/** Time and place, as every list of the log takes them. */
export const pageInQuery = {
  from: instantInQuery('The first moment; default: the beginning.'),
  to: instantInQuery('The moment behind the last one; default: no end.'),
  cursor: {
    schema: Type.String({ maxLength: 250, description: '`next` of the page before.' }),
    expected: 'what a page said as `next`',
    parse: readPlace,
  } satisfies QueryParameter<EventPlace>,
  limit: limitInQuery(EVENT_PAGE_USUAL, EVENT_PAGE),
} as const;

/** Severities from that one on. */
export function severitiesFrom(least: EventSeverity): readonly EventSeverity[] {
  return EVENT_SEVERITIES.slice(EVENT_SEVERITIES.indexOf(least));
}

export interface AskedPage {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly cursor: EventPlace | undefined;
  readonly limit: number | undefined;
}

export interface AskedEvents {
  readonly query: EventQuery;
  readonly page: { readonly before: EventPlace | undefined; readonly limit: number };
}

type Where = Readonly<Partial<Record<EventFilter, readonly string[] | string | undefined>>>;

/** The question; refuses a time that ends before it begins. */
export function askedEvents(
  {
    from = Number.MIN_SAFE_INTEGER,
    to = Number.MAX_SAFE_INTEGER,
    cursor,
    limit = EVENT_PAGE_USUAL,
  }: AskedPage,
  where: Where,
  more: Pick<EventQuery, 'text' | 'data'> = {},
): Handled<AskedEvents> {
  if (from >= to)
    return refuse('api::invalid-body', 'query parameter from is not before to', {
      help: 'Ask from an earlier to a later time.',
      path: 'from',
    });
  const filters = Object.entries(where).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'string' ? [value] : value]],
  );
  const query = { from, to, where: Object.fromEntries(filters), ...more };
  return { ok: true, value: { query, page: { before: cursor, limit } } };
}
