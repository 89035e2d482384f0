/**
 * The answer to a client that reads slowly.
 *
 * U28. A client that reads keeps its answer, however slowly. uWebSockets.js ends a response whose socket reports no
 *      room for ten seconds, and the kernel reports none before a third of what it holds was read, which may be
 *      megabytes. So every `ANSWER_OFFER_MS` its timeout is begun again and the rest is offered: the kernel takes some
 *      of it long before it reports room.
 * U29. An answer of which nothing is taken for `ANSWER_STALLED_MS` is ended, as when its client goes.
 */

import type { HttpResponse } from 'uWebSockets.js';
import { ANSWER_OFFER_MS, ANSWER_STALLED_MS } from '../../contract/limits/connection.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';

export interface SlowClientOptions {
  readonly clock: Clock;
  /** Whether the connection is not to be read now. */
  readonly isPaused: () => boolean;
}

export class SlowClient {
  readonly #res: HttpResponse;
  readonly #clock: Clock;
  readonly #isPaused: () => boolean;
  #timer: TimerHandle | undefined;
  /** Offers in a row of which nothing was taken. */
  #refused = 0;

  constructor(res: HttpResponse, { clock, isPaused }: SlowClientOptions) {
    this.#res = res;
    this.#clock = clock;
    this.#isPaused = isPaused;
  }

  /** Whether its socket has once not taken everything. */
  get isFound(): boolean {
    return this.#timer !== undefined;
  }

  /**
   * Its socket has not taken everything. From now on until `stop`, `offer` is called again and again: it offers what
   * waits, and is false where something waits of which nothing was taken since the call before.
   */
  found(offer: () => boolean): void {
    if (this.#timer === undefined) this.#wait(offer);
  }

  /** The response is not touched again. */
  stop(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(offer: () => boolean): void {
    this.#timer = this.#clock.setTimeout(() => this.#offer(offer), ANSWER_OFFER_MS);
  }

  #offer(offer: () => boolean): void {
    rearm(this.#res, this.#isPaused());
    this.#refused = offer() ? 0 : this.#refused + 1;
    if (!this.isFound) return;
    if (this.#refused * ANSWER_OFFER_MS >= ANSWER_STALLED_MS) this.#res.close();
    else this.#wait(offer);
  }
}

/** Begins the timeout of uWebSockets.js again; while its connection is not read it has none. */
export function rearm(res: HttpResponse, isPaused: boolean): void {
  res.pause();
  if (!isPaused) res.resume();
}
