/**
 * Watches that an embedded server does its work. One that stands still inside (nats-server 2.9 on a full disk) answers
 * pings and its own health check, and JetStream never again: only another process in its place helps.
 *
 * H1. A server is silent when JetStream has answered nothing for `silenceMs`, counted in looks of this process: time in
 *     which this process stood still itself does not count.
 * H2. A silent one is killed: it may not end by itself. Whoever supervises it starts the next.
 * H3. The disk is looked at with each look, and what it says goes to everybody on the bus (`disk-level.ts`).
 */

import { join } from 'node:path';
import { BUS_LOOK_MS } from '../contract/limits/bus.ts';
import type { Log } from '../ports/log.ts';
import type { Connection } from './connection.ts';
import { diskLevel, sayDiskLevel } from './disk-level.ts';

interface ServerWatchOptions {
  readonly connection: Pick<Connection, 'request' | 'send'>;
  readonly stateDir: string;
  /** Silence after which the server counts as standing still. */
  readonly silenceMs: number;
  readonly log: Log;
  /** Called once. */
  readonly silent: () => void;
}

/** Asks about every stream: one that is stuck keeps the answer back. */
const QUESTION = '$JS.API.STREAM.LIST';
const EMPTY = new Uint8Array(0);

export class ServerWatch {
  readonly #options: ServerWatchOptions;
  readonly #most: number;
  #unanswered = 0;
  #isAsking = false;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ServerWatchOptions) {
    this.#options = options;
    this.#most = Math.ceil(options.silenceMs / BUS_LOOK_MS);
    this.#later();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #later(): void {
    this.#timer = setTimeout(() => void this.#look(), BUS_LOOK_MS);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { connection, stateDir, silenceMs, log, silent } = this.#options;
    this.#unanswered += 1;
    void this.#ask();
    const level = await diskLevel(join(stateDir, 'store'));
    if (this.#isOver) return;
    if (level !== undefined) sayDiskLevel(connection, level);
    if (this.#unanswered <= this.#most) return this.#later();
    this.stop();
    log.error(
      { silence_ms: silenceMs, disk: level },
      'bus server stands still: it is killed and started again',
    );
    silent();
  }

  /** One question at a time; H1. */
  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      await this.#options.connection.request(QUESTION, EMPTY, this.#options.silenceMs);
      this.#unanswered = 0;
    } catch {
      // Counted by the looks without an answer.
    } finally {
      this.#isAsking = false;
    }
  }
}
