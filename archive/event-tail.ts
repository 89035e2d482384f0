/** Events that are in no segment yet: messages in memory, answered from like segments (tail.T1). */

import type { ArchivedEvent, EventPageAsked, EventQuery } from '../contract/event-query.ts';
import { archivedEvent, type EventMessage, type EventRow, isTaken, rowsOfMessage } from './event-rows.ts';

interface KeptEvents {
  readonly message: EventMessage;
  readonly rows: readonly EventRow[];
}

export class EventTail {
  #kept: KeptEvents[] = [];
  #events = 0;

  /** Events in memory. */
  get count(): number {
    return this.#events;
  }

  get messages(): readonly EventMessage[] {
    return this.#kept.map(({ message }) => message);
  }

  add(message: EventMessage): void {
    const rows = rowsOfMessage(message);
    this.#kept.push({ message, rows });
    this.#events += rows.length;
  }

  within(first: number, last: number): EventMessage[] {
    return this.messages.filter(({ position }) => first <= position && position <= last);
  }

  /** Forgets what a segment has. */
  forget(first: number, last: number): void {
    this.#kept = this.#kept.filter(({ message: { position } }) => position < first || position > last);
    this.#events = this.#kept.reduce((sum, { rows }) => sum + rows.length, 0);
  }

  /** What it has of a page at this moment, in the order in which it came. */
  taken(stream: string, query: EventQuery, { before }: EventPageAsked): ArchivedEvent[] {
    // What is in memory is of the newest stream: a page of an earlier one has nothing of it.
    if (before !== undefined && before.stream !== stream) return [];
    return this.#kept.flatMap(({ rows }) =>
      rows.filter((row) => isTaken(query, before, row)).map((row) => archivedEvent(stream, row, query)),
    );
  }
}
