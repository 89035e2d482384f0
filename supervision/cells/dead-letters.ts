/**
 * Events that killed an actor. Each is kept once, for people: it is never delivered again by itself (C6).
 *
 * Y1. The newest stand in memory for the inspector; all go to the bus when it can take them. What it could not take
 *     waits for its return, or for the next one: the newest, as many as are shown.
 * Y2. One that is too large for a message of the bus goes there without the event, which is in the log.
 */

import { randomUUID } from 'node:crypto';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { DEAD_LETTERS_SHOWN } from '../../contract/limits/cell.ts';
import { Outage } from '../../contract/outage.ts';
import { TooLarge } from '../../contract/too-large.ts';
import type { Bus } from '../../ports/bus.ts';
import type { EntityEvent } from '../../ports/entity.ts';
import type { Log } from '../../ports/log.ts';

export interface DeadLetter {
  readonly kind: string;
  readonly id: string;
  readonly at: number;
  readonly event: EntityEvent;
  readonly error: string;
}

export interface DeadLetters {
  add(letter: DeadLetter): void;
  /** Newest last. */
  readonly shown: readonly DeadLetter[];
  /** How many there were since the start. */
  readonly count: number;
}

export function createDeadLetters(bus: Bus | undefined, log: Log): DeadLetters {
  const sent = bus && new SentLetters(bus, log);
  const shown: DeadLetter[] = [];
  let count = 0;
  const add = (letter: DeadLetter): void => {
    count += 1;
    shown.push(letter);
    if (shown.length > DEAD_LETTERS_SHOWN) shown.shift();
    log.error({ ...letter }, 'event killed its actor');
    sent?.add(letter);
  };
  return {
    add,
    shown,
    get count() {
      return count;
    },
  };
}

/** Letters on their way to the bus (Y1). */
class SentLetters {
  readonly #bus: Bus;
  readonly #log: Log;
  /** By the id of their message: what may be stored already is not stored twice. */
  readonly #waiting = new Map<string, DeadLetter>();
  #isFollowing = false;

  constructor(bus: Bus, log: Log) {
    this.#bus = bus;
    this.#log = log;
  }

  add(letter: DeadLetter): void {
    this.#sendWaiting();
    void this.#send(randomUUID(), letter);
  }

  async #send(id: string, letter: DeadLetter): Promise<void> {
    try {
      await this.#append(id, letter);
    } catch (error) {
      const less = error instanceof TooLarge ? withoutEvent(letter, error) : undefined;
      if (less !== undefined) return void this.#send(id, less);
      this.#log.warn({ err: error, kind: letter.kind, id: letter.id }, 'dead letter not stored on the bus');
      if (error instanceof Outage) this.#wait(id, letter);
    }
  }

  async #append(id: string, letter: DeadLetter): Promise<void> {
    const data = Buffer.from(JSON.stringify(letter));
    await this.#bus.append(streams.deadLetters, subject.deadLetter(letter.kind), data, { id });
  }

  #wait(id: string, letter: DeadLetter): void {
    this.#waiting.set(id, letter);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > DEAD_LETTERS_SHOWN && oldest !== undefined) this.#waiting.delete(oldest);
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    this.#bus.onConnection((connected) => {
      if (connected) this.#sendWaiting();
    });
  }

  #sendWaiting(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [id, letter] of waiting) void this.#send(id, letter);
  }
}

/** Y2; undefined where there is nothing to leave out. */
function withoutEvent(letter: DeadLetter, { message }: TooLarge): DeadLetter | undefined {
  const { type, ...rest } = letter.event;
  if (Object.keys(rest).length === 0) return undefined;
  return { ...letter, event: { type }, error: `${letter.error}; its event is left out here: ${message}` };
}
