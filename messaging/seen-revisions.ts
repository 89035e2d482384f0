/** Who wrote an entry waits here until the watch of its bucket has it, so that what it reads next has it too. */

import type { Clock } from '../ports/clock.ts';

export class SeenRevisions {
  readonly #clock: Clock;
  readonly #mostMs: number;
  readonly #waiting = new Set<{ readonly revision: number; seen: () => void }>();
  #newest = 0;

  /** `mostMs`: how long anybody waits, also where the watch is away. */
  constructor(clock: Clock, mostMs: number) {
    this.#clock = clock;
    this.#mostMs = mostMs;
  }

  /** The watch has this revision. */
  note(revision: number): void {
    this.#newest = Math.max(this.#newest, revision);
    for (const waiting of this.#waiting) {
      if (waiting.revision > this.#newest) continue;
      this.#waiting.delete(waiting);
      waiting.seen();
    }
  }

  /** Resolves when the revision was seen; in the end also where it was not. */
  async seen(revision: number | undefined): Promise<void> {
    if (revision === undefined || revision <= this.#newest) return;
    await new Promise<void>((resolve) => {
      const waiting = { revision, seen: resolve };
      const timer = this.#clock.setTimeout(() => {
        this.#waiting.delete(waiting);
        resolve();
      }, this.#mostMs);
      waiting.seen = () => {
        this.#clock.clearTimeout(timer);
        resolve();
      };
      this.#waiting.add(waiting);
    });
  }
}
