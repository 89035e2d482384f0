/**
 * Events that killed an actor. Each is kept once, for people: it is never delivered again by itself (C6).
 *
 * Y1. The newest stand in memory for the inspector; all go to the bus when it can take them.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { DEAD_LETTERS_SHOWN } from '../../contract/limits/cell.ts';
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
  const shown: DeadLetter[] = [];
  let count = 0;
  const add = (letter: DeadLetter): void => {
    count += 1;
    shown.push(letter);
    if (shown.length > DEAD_LETTERS_SHOWN) shown.shift();
    log.error({ ...letter }, 'event killed its actor');
    void bus
      ?.append(streams.deadLetters, subject.deadLetter(letter.kind), Buffer.from(JSON.stringify(letter)))
      .catch((error: unknown) => log.warn({ err: error }, 'dead letter not stored on the bus'));
  };
  return {
    add,
    shown,
    get count() {
      return count;
    },
  };
}
