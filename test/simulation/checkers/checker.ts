/** What a checker is: a pure function over the whole history of a run. */

import type { History, RecordedEvent } from '../history.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';

export interface Violation {
  /** Name of the checker. */
  readonly checker: string;
  readonly what: string;
}

export interface Checker {
  readonly name: string;
  /** What it holds true, in one sentence. */
  readonly promise: string;
  /**
   * Where the store went back: whether it is judged by what the store holds in the end, or by what was ever stored;
   * `-if-even` only where every stream is of one moment. Default: the promise is about what is lost then, and is not
   * judged.
   */
  readonly overRewinds?: 'kept' | 'kept-if-even' | 'complete' | 'complete-if-even';
  /** What breaks the promise, one sentence each. */
  check(history: History): Iterable<string>;
}

/** The events of each telecommand, in their order, by `<target>.<id>`. */
export function byTelecommand(events: readonly RecordedEvent[]): Map<string, RecordedEvent[]> {
  const histories = new Map<string, RecordedEvent[]>();
  for (const each of events) {
    const key = `${each.target}.${each.id}`;
    const history = histories.get(key);
    if (history === undefined) histories.set(key, [each]);
    else history.push(each);
  }
  return histories;
}

/** The states of section 3.1 that a telecommand went through; echoes are none. */
export function statesOf(history: readonly RecordedEvent[]): string[] {
  return history.map(({ event }) => event.state).filter((state) => state !== 'ECHO');
}

/** Of a command: what had been stored last when it was asked, and when its answer had come. */
interface Answered {
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** Whether it was stored behind the asking, and was there when the answer had come. */
export function isWhileAsked({ order }: StoredMessage, { askedAt, answeredAt }: Answered): boolean {
  return order > askedAt && order <= answeredAt;
}

/** A place behind what was stored last, for what happened then and was not stored. */
export function behind(order: number): number {
  return order + 0.5;
}
