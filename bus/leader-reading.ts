/**
 * Reading a stream message by message from its leader while no server makes a consumer. In a cluster that has lost who
 * assigns consumers, the stream has a leader again, and takes messages, many seconds before a consumer can be made.
 *
 * L1. One question is under way, and none while the message before is being handled.
 * L2. What is asked for is the message behind the last that was taken, however that one came.
 * L3. While there is nothing, it asks less and less often, and whoever begins it is informed that nothing is left.
 * L4. An answer that says neither is for whoever makes the consumer to judge: it ends.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, apiError } from './fault.ts';
import type { JetStream } from './jetstream.ts';
import { type Position, type Received, receivedOf } from './message.ts';
import { readAt } from './stored-last.ts';

interface LeaderReadingOptions {
  readonly jetstream: JetStream;
  readonly stream: string;
  readonly filter: string;
  /** Behind the last message that was taken (L2). */
  readonly next: () => number;
  /** Resolves when the message is handled. */
  readonly take: (message: Received, position: Position) => Promise<void>;
  /** There is no message now. */
  readonly atHead: () => void;
}

const ASK_MS = 1_000;
const IDLE_FIRST_MS = 20;
const IDLE_LONGEST_MS = 500;

type Found = { readonly message: Received; readonly position: Position } | 'none' | 'unanswered' | 'over';

export class LeaderReading {
  readonly #options: LeaderReadingOptions;
  #isWanted = false;
  #isRunning = false;

  constructor(options: LeaderReadingOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#isWanted = true;
    if (!this.#isRunning) void this.#run();
  }

  end(): void {
    this.#isWanted = false;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let idleMs = IDLE_FIRST_MS;
    while (this.#isWanted) {
      const found = await this.#ask();
      if (!this.#isWanted) break;
      if (found === 'over') break;
      if (typeof found === 'object') {
        idleMs = IDLE_FIRST_MS;
        await this.#options.take(found.message, found.position);
        continue;
      }
      if (found === 'none') this.#options.atHead();
      await pause(idleMs, undefined, { ref: false });
      idleMs = Math.min(2 * idleMs, IDLE_LONGEST_MS);
    }
    this.#isWanted = false;
    this.#isRunning = false;
  }

  async #ask(): Promise<Found> {
    const { jetstream, stream, filter, next } = this.#options;
    try {
      const found = await readAt(jetstream, stream, { seq: next(), next_by_subj: filter }, ASK_MS);
      if (found === undefined) return 'none';
      // How much is behind it, the leader does not say.
      const position = { seq: found.seq, at: found.at, delivery: 0, pending: 1 };
      return { message: receivedOf(found), position };
    } catch (error) {
      return error instanceof ApiError && error.is(apiError.noStream) ? 'over' : 'unanswered';
    }
  }
}
