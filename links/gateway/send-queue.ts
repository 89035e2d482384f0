/**
 * Frames on their way out, one at a time: the next is handed to the transport when it has taken the one before.
 *
 * Q1. Each frame is handed to the transport at most once, in the order asked, and each gets exactly one answer.
 * Q2. A frame that was never handed over is refused. What became of one that was, and whose end nobody saw, the
 *     transport must say (`halfway`).
 * Q3. A frame whose time is over when its turn comes is refused (`mayLeave`), whatever it waited for.
 * Q4. Every answer comes within `LINK_SEND_MS`: a transport that takes nothing does not hold up whoever asks.
 */

import { LINK_SEND_MS, LINK_SEND_QUEUE } from '../../contract/limits/link.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { MayLeave, Sent } from './gateway.ts';

/** Hands bytes to the network; `done` is called once it took them, or with the error. */
export type Transport = (bytes: Buffer, done: (error?: Error | null) => void) => void;

interface SendQueueOptions {
  readonly clock: Clock;
  readonly transport: Transport;
  /** Whether the transport takes anything; while it does not, frames wait and `close` refuses them. */
  readonly ready?: () => boolean;
  /** What to say of a frame that the transport had when it failed. */
  readonly halfway: (reason: string) => Sent;
  /** The transport did not take a frame in time: what it still holds must not leave later. */
  readonly stuck: () => void;
}

interface Waiting {
  readonly bytes: Buffer;
  readonly mayLeave: MayLeave | undefined;
  readonly answer: (sent: Sent) => void;
  readonly timer: TimerHandle;
}

export class SendQueue {
  readonly #options: SendQueueOptions;
  #waiting: Waiting[] = [];
  #handed: Waiting | undefined;
  #closed: string | undefined;

  constructor(options: SendQueueOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.length + (this.#handed === undefined ? 0 : 1);
  }

  send(bytes: Buffer, mayLeave?: MayLeave): Promise<Sent> {
    if (this.#closed !== undefined) return Promise.resolve({ sent: false, detail: this.#closed });
    if (this.#waiting.length >= LINK_SEND_QUEUE)
      return Promise.resolve({
        sent: false,
        detail: `${LINK_SEND_QUEUE} frames are already waiting to leave`,
      });
    return new Promise((answer) => {
      const waiting: Waiting = {
        bytes,
        mayLeave,
        answer,
        timer: this.#options.clock.setTimeout(() => this.#late(waiting), LINK_SEND_MS),
      };
      this.#waiting.push(waiting);
      this.#handNext();
    });
  }

  /** The transport is gone: answers everybody. */
  close(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    const [handed, waiting] = [this.#handed, this.#waiting];
    this.#handed = undefined;
    this.#waiting = [];
    if (handed !== undefined) this.#answer(handed, this.#options.halfway(reason));
    for (const each of waiting) this.#answer(each, { sent: false, detail: reason });
  }

  #handNext(): void {
    if (this.#handed !== undefined || this.#options.ready?.() === false) return;
    const next = this.#nextToLeave();
    if (next === undefined) return;
    this.#handed = next;
    this.#options.transport(next.bytes, (error) => this.#taken(next, error ?? undefined));
  }

  /** Q3 */
  #nextToLeave(): Waiting | undefined {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const late = next.mayLeave?.();
      if (late === undefined) return next;
      this.#answer(next, { sent: false, detail: late });
    }
    return undefined;
  }

  #taken(taken: Waiting, error: Error | undefined): void {
    if (this.#handed !== taken) return;
    this.#handed = undefined;
    this.#answer(taken, error === undefined ? { sent: true } : this.#options.halfway(error.message));
    this.#handNext();
  }

  #late(late: Waiting): void {
    const seconds = LINK_SEND_MS / 1_000;
    if (this.#handed === late) {
      this.#handed = undefined;
      this.#answer(late, this.#options.halfway(`the peer did not accept it within ${seconds} s`));
      this.#options.stuck();
      return;
    }
    this.#waiting = this.#waiting.filter((each) => each !== late);
    this.#answer(late, { sent: false, detail: `it waited ${seconds} s for frames before it to leave` });
  }

  #answer(waiting: Waiting, sent: Sent): void {
    this.#options.clock.clearTimeout(waiting.timer);
    waiting.answer(sent);
  }
}
