/** Pages of events, from what is in memory and what segments have. */

import type { ArchivedEvent, EventPlace } from '../contract/event-query.ts';
import { type FoundEvents, placeOf } from './event-reader.ts';
import { isBefore } from './event-rows.ts';

/**
 * The page, the newest first. What is in memory is newer than every segment, except where a damaged one is read again:
 * of what is older than the place up to which segments were looked through nothing is given yet.
 */
export function joinedEvents(
  newest: readonly ArchivedEvent[],
  found: FoundEvents | undefined,
  limit: number,
): { readonly events: readonly ArchivedEvent[]; readonly next?: EventPlace } {
  const next = found?.next;
  const inReach = newest.filter(
    (each) => next === undefined || each.stream !== next.stream || !isBefore(each, next),
  );
  const stream = newest[0]?.stream;
  const [same, earlier] = [[...inReach], [] as ArchivedEvent[]];
  for (const each of found?.events ?? [])
    if (stream === undefined || each.stream === stream) same.push(each);
    else earlier.push(each);
  if (stream !== undefined) same.sort((one, other) => (isBefore(one, other) ? 1 : -1));
  const all = [...same, ...earlier];
  const events = all.slice(0, limit);
  const last = events.at(-1);
  if (all.length > limit || (events.length === limit && last !== undefined && next !== undefined))
    return { events, next: placeOf(last!) };
  return next === undefined ? { events } : { events, next };
}
