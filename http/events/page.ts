/**
 * Pages of the log as answers.
 *
 * P1. What is missing is said in each: gaps, damage, and what the archive has not read.
 */

import type { EventGap, LogEvent } from '../../contract/event.ts';
import { type ArchivedEvent, type ArchivedEvents, placeText } from '../../contract/event-query.ts';
import { HISTORY_HEADERS } from '../../contract/history-view.ts';
import type { Retrieved } from '../../messaging/history-asker.ts';
import { busUnavailable } from '../errors.ts';
import { refusedHistory } from '../history/refused.ts';
import { csvText } from '../history/value-text.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Reply } from '../reply.ts';
import type { AskedEvents } from './question.ts';

/** Codes of every list of the log. */
export const LOG_ERRORS = [
  'archive::invalid',
  'archive::none',
  'archive::unanswered',
  'archive::busy',
  'archive::failed',
  'api::unavailable',
] as const;

export type EventsFound = Retrieved<ArchivedEvents>;

/** Asks the archives; refuses where none answers. */
export async function eventsOf(
  { query, page }: AskedEvents,
  { bus, history }: Pick<RoutePorts, 'bus' | 'history'>,
  gone: AbortSignal | undefined,
): Promise<Handled<EventsFound>> {
  if (!bus.connected) return busUnavailable();
  const found = await history.source.events(query, page, gone);
  return found.ok ? found : refusedHistory(found.faults[0]);
}

interface Said {
  readonly next?: string;
  readonly gaps: EventGap[];
  readonly damaged: number;
  readonly pending: number;
}

/** P1 */
export function saidOf({ value, archive }: EventsFound): Said {
  const { next, gaps, damaged } = value;
  return {
    ...(next !== undefined && { next: placeText(next) }),
    gaps: gaps.map(({ first, last, from, to }) => ({
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      messages: first === 0 ? 0 : last - first + 1,
    })),
    damaged: damaged.length,
    pending: archive.events?.pending ?? 0,
  };
}

export function logEvent(event: ArchivedEvent): LogEvent {
  const { stream, position, index, time, data, ...rest } = event;
  return {
    id: placeText({ stream, position, index }),
    time: new Date(time).toISOString(),
    ...rest,
    ...(data !== undefined && { data: documentIn(data) }),
  };
}

function documentIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const COLUMNS = [
  'time',
  'kind',
  'severity',
  'target',
  'subject',
  'name',
  'state',
  'by',
  'run',
  'text',
  'link',
  'id',
] as const;

export const EVENT_HEADING = `${COLUMNS.join()}\n`;

/** The page as CSV, with what is missing in its headers. */
export function csvReply(found: EventsFound): Reply {
  const { next, gaps, damaged } = saidOf(found);
  const lines = found.value.events.map((event) => {
    const shown = logEvent(event);
    return `${COLUMNS.map((name) => (shown[name] === undefined ? '' : csvText(shown[name]))).join()}\n`;
  });
  const headers: Record<string, string> = {
    vary: 'accept',
    'cache-control': 'no-store',
    'content-disposition': 'attachment; filename="events.csv"',
    [HISTORY_HEADERS.gaps]: String(gaps.length),
    [HISTORY_HEADERS.damaged]: String(damaged),
  };
  if (next !== undefined) headers[HISTORY_HEADERS.next] = next;
  const contentType = 'text/csv; charset=utf-8; header=present';
  return { status: 200, bytes: EVENT_HEADING + lines.join(''), contentType, headers };
}
