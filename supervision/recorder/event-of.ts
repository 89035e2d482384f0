/** How events are made: what is bounded in each, and what names where it comes from. */

import type { LoggedEvent } from '../../contract/event.ts';
import { EVENT_DATA_CHARACTERS, EVENT_TEXT_CHARACTERS } from '../../contract/limits/event.ts';

export function sourceOf(stream: string, position: number): string {
  return `${stream}:${position}`;
}

type Said = Omit<LoggedEvent, 'data' | 'source'> & { readonly source?: string };

/** The event with its texts cut to what the log keeps, and its document unless that is too long. */
export function eventOf(said: Said, document?: unknown): LoggedEvent {
  const event: Record<string, unknown> = { source: '' };
  for (const [name, value] of Object.entries(said))
    if (value !== undefined) event[name] = cut(value as string);
  const data = document === undefined ? undefined : JSON.stringify(document);
  if (data !== undefined && data.length <= EVENT_DATA_CHARACTERS) event['data'] = data;
  return event as unknown as LoggedEvent;
}

function cut(text: string): string {
  return text.length <= EVENT_TEXT_CHARACTERS ? text : `${text.slice(0, EVENT_TEXT_CHARACTERS - 1)}…`;
}

/** The moment, or where it is none the other one. */
export function momentOf(at: string, storedMs: number): string {
  return Number.isNaN(Date.parse(at)) ? new Date(storedMs).toISOString() : at;
}
