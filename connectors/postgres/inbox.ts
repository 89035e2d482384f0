/**
 * What was read and is not stored yet.
 *
 * I1. Bounded: whoever gives more than one batch waits until that is taken. With the batch that is being written there
 *     are two in memory, whatever the streams hold.
 * I2. A batch is due when it is full, or `POSTGRES_BATCH_MS` behind its first message.
 */

import {
  POSTGRES_BATCH_BYTES,
  POSTGRES_BATCH_MESSAGES,
  POSTGRES_BATCH_MS,
  POSTGRES_BATCH_ROWS,
} from '../../contract/limits/postgres.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { StoredPosition } from './session.ts';
import type { Content } from './source.ts';

/** What a stream does not hold any more and nobody stored here. */
export interface Gap {
  /** `discarded`: by age or size; `went-back`: put back from a copy; `made-again`: another stream of the name. */
  readonly kind: 'discarded' | 'went-back' | 'made-again';
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** When the messages on both sides of it were stored on the bus, ms since 1970. */
  readonly after: number | undefined;
  readonly before: number;
  readonly detail: string;
}

/** A message as it waits. */
export interface Received {
  readonly stream: string;
  /** Where the stream stands behind it. */
  readonly position: StoredPosition;
  readonly content: Content;
  readonly gap: Gap | undefined;
  readonly rows: number;
  readonly bytes: number;
}

export class Inbox {
  readonly #clock: Clock;
  readonly #batchMs: number;
  #messages: Received[] = [];
  #rows = 0;
  #bytes = 0;
  #isDue = false;
  #timer: TimerHandle | undefined;
  #wake: (() => void) | undefined;
  readonly #waiting = new Set<() => void>();
  #closed = false;

  constructor(clock: Clock, batchMs = POSTGRES_BATCH_MS) {
    this.#clock = clock;
    this.#batchMs = batchMs;
  }

  get size(): number {
    return this.#messages.length;
  }

  /** Takes a message; where it is full, what is returned resolves when there is room (I1). */
  push(message: Received): Promise<void> | undefined {
    if (this.#closed) return undefined;
    this.#messages.push(message);
    this.#rows += message.rows;
    this.#bytes += message.bytes;
    this.#timer ??= this.#clock.setTimeout(() => this.flush(), this.#batchMs);
    if (!this.#isFull) return undefined;
    this.flush();
    return new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  get #isFull(): boolean {
    return (
      this.#rows >= POSTGRES_BATCH_ROWS ||
      this.#bytes >= POSTGRES_BATCH_BYTES ||
      this.#messages.length >= POSTGRES_BATCH_MESSAGES
    );
  }

  /** Resolves when a batch is due (I2). */
  async due(): Promise<void> {
    if (!this.#isDue) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** What is there is due. */
  flush(): void {
    this.#isDue = true;
    this.#wake?.();
    this.#wake = undefined;
  }

  take(): readonly Received[] {
    const messages = this.#messages;
    this.#messages = [];
    this.#rows = 0;
    this.#bytes = 0;
    this.#isDue = false;
    this.#clearTimer();
    this.#release();
    return messages;
  }

  /** Lets go whoever waits; nothing is taken any more. */
  close(): void {
    this.#closed = true;
    this.#clearTimer();
    this.#messages = [];
    this.#release();
    this.flush();
  }

  #release(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #clearTimer(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
