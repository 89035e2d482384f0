/**
 * What is asked again and again.
 *
 * L1. A question waits for the answer to the one before, and none is asked while the page is hidden; it is asked at
 *     once when it is seen again.
 */

import { later } from '../browser-clock.ts';
import { BenchRefusal } from './bench-service.ts';

export class Poll {
  readonly #ask: () => Promise<void>;
  readonly #everyMs: number;
  readonly #failed: (refusal: BenchRefusal) => void;
  #asking = false;
  #again = false;
  #stopped = true;
  #cancel: () => void = () => undefined;

  constructor(ask: () => Promise<void>, everyMs: number, failed: (refusal: BenchRefusal) => void) {
    this.#ask = ask;
    this.#everyMs = everyMs;
    this.#failed = failed;
    document.addEventListener('visibilitychange', () => {
      if (!this.#stopped && document.visibilityState === 'visible') this.soon();
    });
  }

  start(): void {
    this.#stopped = false;
    this.soon();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /** Now, or as soon as the question under way is answered. */
  soon(): void {
    this.#cancel();
    if (this.#asking) this.#again = true;
    else void this.#turn();
  }

  async #turn(): Promise<void> {
    this.#asking = true;
    try {
      await this.#ask();
    } catch (error) {
      if (!(error instanceof BenchRefusal)) throw error;
      this.#failed(error);
    } finally {
      this.#asking = false;
      const isSoon = this.#again;
      this.#again = false;
      if (!this.#stopped) this.#cancel = later(() => this.#next(), isSoon ? 0 : this.#everyMs);
    }
  }

  #next(): void {
    if (document.visibilityState === 'visible') void this.#turn();
  }
}
