/**
 * A list of a whole bucket that everybody who asks shares: the caller does not choose the cost (stored.B1).
 */

import {
  INSPECT_STORED_MOST_MS,
  INSPECT_STORED_MS,
  INSPECT_STORED_SHARE,
} from '../../contract/limits/inspect.ts';
import type { Clock } from '../../ports/clock.ts';

export class SharedList<Item> {
  readonly #clock: Clock;
  readonly #read: () => Promise<readonly Item[]>;
  #listed: Promise<readonly Item[]> | undefined;
  #goodUntil = 0;

  constructor(clock: Clock, read: () => Promise<readonly Item[]>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** As it was a moment ago; one that took long is good for longer. Rejects as the read does. */
  get(): Promise<readonly Item[]> {
    const begun = this.#clock.monotonic();
    if (this.#listed !== undefined && begun < this.#goodUntil) return this.#listed;
    this.#goodUntil = Number.POSITIVE_INFINITY;
    // Also one that failed: what cannot be listed in time is not asked for all the time.
    this.#listed = this.#read().finally(() => {
      const end = this.#clock.monotonic();
      const goodForMs = Math.max(INSPECT_STORED_MS, INSPECT_STORED_SHARE * (end - begun));
      this.#goodUntil = end + Math.min(goodForMs, INSPECT_STORED_MOST_MS);
    });
    return this.#listed;
  }
}
