/**
 * Comparing off the event loop: a long payload, many blocks, or an exhaustive search take longer than commands may
 * wait.
 *
 * T1. What is small is compared at once; what votes do not find is searched exhaustively, on the thread.
 * T2. One thread, begun when it is needed first, which does not keep the process alive.
 */

import { Worker } from 'node:worker_threads';
import { BLOCK_BYTES } from '../../../contract/bench/datapath.ts';
import { type Measured, measure } from '../../../radio/measure/measure.ts';

/**
 * Payload and capture together up to here are compared within ten milliseconds; a thread takes half a second to begin.
 */
const SMALL_BYTES = 32 * BLOCK_BYTES;

export interface MeasureOrder {
  readonly number: number;
  readonly payload: Uint8Array;
  readonly captured: Uint8Array;
  readonly warmup: number;
}

export type MeasureReply =
  | { readonly number: number; readonly measured: Measured }
  | { readonly number: number; readonly error: string };

interface Waiting {
  readonly done: (measured: Measured) => void;
  readonly failed: (error: Error) => void;
}

export class Measurer {
  #thread: Worker | undefined;
  #count = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** What was captured, compared with the payload. */
  async measure(payload: Uint8Array, captured: Uint8Array, warmup: number): Promise<Measured> {
    if (payload.length + captured.length > SMALL_BYTES) return this.#onThread(payload, captured, warmup);
    const measured = measure(payload, captured, { warmup });
    return measured.unfound.length === 0 ? measured : this.#onThread(payload, captured, warmup);
  }

  /** Begins the thread already where so many bytes will need it: while they are captured there is time. */
  prepare(bytes: number): void {
    if (bytes > SMALL_BYTES) this.#started();
  }

  async stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  #onThread(payload: Uint8Array, captured: Uint8Array, warmup: number): Promise<Measured> {
    const thread = this.#started();
    this.#count += 1;
    const number = this.#count;
    return new Promise((done, failed) => {
      this.#waiting.set(number, { done, failed });
      thread.postMessage({ number, payload, captured, warmup } satisfies MeasureOrder);
    });
  }

  #started(): Worker {
    if (this.#thread !== undefined) return this.#thread;
    const thread = new Worker(new URL('./measure-thread.mjs', import.meta.url), { execArgv: [] });
    thread.unref();
    thread.on('message', (reply: MeasureReply) => this.#reply(reply));
    thread.on('error', (error) => this.#ended(thread, error));
    thread.on('exit', () => this.#ended(thread, new Error('the thread of measurements has ended')));
    this.#thread = thread;
    return thread;
  }

  #reply(reply: MeasureReply): void {
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if ('measured' in reply) waiting?.done(reply.measured);
    else waiting?.failed(new Error(reply.error));
  }

  #ended(thread: Worker, error: Error): void {
    if (this.#thread === thread) this.#thread = undefined;
    for (const waiting of this.#waiting.values()) waiting.failed(error);
    this.#waiting.clear();
  }
}
