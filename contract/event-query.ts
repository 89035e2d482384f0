/**
 * Questions to the archive about events, and their answers, as plain data: between its threads, and between processes.
 *
 * Q1. Events come in the order of the log, the newest first. A cursor names a place of the log: the page behind it
 *     begins with the next older one. What comes in meanwhile is in front of the first page and changes no other.
 * Q2. A question looks through so much at most (`ARCHIVE_EVENT_GROUPS`). A page may so be short and have `next`.
 */

import type { EventKind, EventSeverity } from './event-kinds.ts';
import type { Damage, Gap } from './history.ts';
import { isToken } from './token.ts';

/** By what events are chosen: each field has one of its values. */
export const EVENT_FILTERS = ['kind', 'severity', 'target', 'subject', 'name', 'state', 'by', 'run'] as const;
export type EventFilter = (typeof EVENT_FILTERS)[number];

export interface EventQuery {
  /** ms since 1970; `from` counts in, `to` does not. */
  readonly from: number;
  readonly to: number;
  readonly where: Readonly<Partial<Record<EventFilter, readonly string[]>>>;
  /** Stands in the sentence, in whatever case. */
  readonly text?: string;
  /** With the documents that events were made from. */
  readonly data?: boolean;
}

/** A place of the log: a message of a stream, and an event of it. */
export interface EventPlace {
  readonly stream: string;
  readonly position: number;
  readonly index: number;
}

export interface EventPageAsked {
  /** Only what is older. */
  readonly before?: EventPlace;
  readonly limit: number;
}

/** An event at its place. */
export interface ArchivedEvent extends EventPlace {
  readonly time: number;
  readonly kind: EventKind;
  readonly severity: EventSeverity;
  readonly target?: string;
  readonly subject: string;
  readonly name?: string;
  readonly state?: string;
  readonly by?: string;
  readonly run?: string;
  readonly text: string;
  readonly link?: string;
  readonly data?: string;
}

export interface ArchivedEvents {
  readonly events: readonly ArchivedEvent[];
  readonly next?: EventPlace;
  readonly gaps: readonly Gap[];
  readonly damaged: readonly Damage[];
}

export function placeText({ stream, position, index }: EventPlace): string {
  return `${stream}.${position}.${index}`;
}

/** What `placeText` writes, read; undefined for another form. */
export function readPlace(text: string): EventPlace | undefined {
  const [, stream = '', position, index] = /^([^.]{1,200})\.(\d{1,15})\.(\d{1,6})$/.exec(text) ?? [];
  return isToken(stream) ? { stream, position: Number(position), index: Number(index) } : undefined;
}
