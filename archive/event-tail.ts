/** Events that are in no segment yet: messages in memory, answered from like segments (tail.T1). */

import type { ArchivedEvent, EventPageAsked, EventQuery } from '../contract/event-query.ts';
import { archivedEvent, type EventMessage, type EventRow, isTaken, rowsOfMessage } from './event-rows.ts';
import { type Held, heldBy, NOTHING_HELD, plus } from './held.ts';
import type { Piece } from './pieces.ts';

interface KeptEvents {
  readonly message: EventMessage;
  readonly rows: readonly EventRow[];
  readonly held: Held;
}

export class EventTail {
  #kept: KeptEvents[] = [];
  #held = NOTHING_HELD;

  /** Events count as samples. */
  get held(): Held {
    return this.#held;
  }

  get messages(): readonly EventMessage[] {
    return this.#kept.map(({ message }) => message);
  }

  /** Answers how much it holds. */
  add(message: EventMessage): Held {
    const rows = rowsOfMessage(message);
    const held = heldBy(rows.length, message.bytes);
    this.#kept.push({ message, rows, held });
    this.#held = plus(this.#held, held);
    return held;
  }

  within(first: number, last: number): EventMessage[] {
    return this.messages.filter(({ position }) => first <= position && position <= last);
  }

  /** Forgets what a segment has. */
  forget(first: number, last: number): void {
    this.#kept = this.#kept.filter(({ message: { position } }) => position < first || position > last);
    this.#held = this.#kept.reduce((sum, { held }) => plus(sum, held), NOTHING_HELD);
  }

  /**
   * What it has of a page at this moment, the newest first, and no more than tells that there is another one; what comes
   * and goes meanwhile changes nothing.
   */
  pieces(stream: string, query: EventQuery, page: EventPageAsked): Iterable<Piece<ArchivedEvent>> {
    // What is in memory is of the newest stream: a page of an earlier one has nothing of it.
    if (page.before !== undefined && page.before.stream !== stream) return [];
    return piecesOf([...this.#kept], stream, query, page);
  }
}

function* piecesOf(
  kept: readonly KeptEvents[],
  stream: string,
  query: EventQuery,
  { before, limit }: EventPageAsked,
): Generator<Piece<ArchivedEvent>> {
  let found = 0;
  for (let n = kept.length - 1; n >= 0 && found <= limit; n -= 1) {
    const { rows } = kept[n]!;
    const taken: ArchivedEvent[] = [];
    let at = rows.length - 1;
    for (; at >= 0 && found <= limit; at -= 1) {
      const row = rows[at]!;
      if (!isTaken(query, before, row)) continue;
      taken.push(archivedEvent(stream, row, query));
      found += 1;
    }
    yield { rows: taken, looked: rows.length - at };
  }
}
