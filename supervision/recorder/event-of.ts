/**
 * How events are made: what is bounded in each, and what names where it comes from.
 *
 * E1. What would be no event of the log is none, and making it throws: a batch that holds such a one cannot be read,
 *     nor what stands beside it. Whoever reads what it was made of takes that for unreadable.
 */

import { isLogged, type LoggedEvent } from '../../contract/event.ts';
import { EVENT_DATA_CHARACTERS, EVENT_TEXT_CHARACTERS } from '../../contract/limits/event.ts';

export function sourceOf(stream: string, position: number): string {
  return `${stream}:${position}`;
}

type Said = Omit<LoggedEvent, 'data' | 'source'> & { readonly source?: string };

/** The event with its texts cut to what the log keeps, and its document unless that is too long (E1). */
export function eventOf(said: Said, document?: unknown): LoggedEvent {
  const event: Record<string, unknown> = { source: '' };
  for (const [name, value] of Object.entries(said)) if (value !== undefined) event[name] = cut(value);
  const data = document === undefined ? undefined : JSON.stringify(document);
  if (data !== undefined && data.length <= EVENT_DATA_CHARACTERS) event['data'] = data;
  if (!isLogged(event)) throw new TypeError('no event of the log');
  return event;
}

function cut(value: unknown): unknown {
  const isLong = typeof value === 'string' && value.length > EVENT_TEXT_CHARACTERS;
  return isLong ? `${value.slice(0, EVENT_TEXT_CHARACTERS - 1)}…` : value;
}

/** The moment, or where it is none the other one. */
export function momentOf(at: string, storedMs: number): string {
  return Number.isNaN(Date.parse(at)) ? new Date(storedMs).toISOString() : at;
}
