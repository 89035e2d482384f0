/**
 * The order in which events are read, and which are one and the same. The log has them in the order of recording, and
 * what a slower source says comes after what happened later. Pure.
 */

import type { WatchedEvent } from './event.ts';

/** The same, what happened last first; what happened at the same time in the order given. */
export function newestFirst<Event extends { readonly time: string }>(events: readonly Event[]): Event[] {
  return [...events].sort((one, other) =>
    one.time === other.time ? 0 : Date.parse(other.time) - Date.parse(one.time),
  );
}

/** The same for an event of the watch and of a page. */
export function eventKey({ time, kind, subject, state = '', text }: WatchedEvent): string {
  return `${time} ${kind} ${subject} ${state} ${text}`;
}
