/**
 * Partitions that were given to another member, until that one has taken them. Part of `partition.ts` (partition.Q7).
 *
 * V1. So many are given at once. Each counts from when its worker begins to stop until somebody else is its owner, or
 *     until `PARTITION_TAKEN_MS` behind its release: a member that takes nothing does not keep the rest from being
 *     given.
 * V2. One that may not be given yet is named again when another one is over, in the order in which they were asked for.
 */

import { PARTITION_TAKEN_MS, PARTITIONS_GIVEN } from '../../contract/limits/membership.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';

export class Given {
  readonly #clock: Clock;
  readonly #again: (name: string) => void;
  /** With what ends it once it is released. */
  readonly #given = new Map<string, TimerHandle | undefined>();
  readonly #waiting = new Set<string>();

  /** `again` is called with each that waited and may be given now. */
  constructor(clock: Clock, again: (name: string) => void) {
    this.#clock = clock;
    this.#again = again;
  }

  /** Whether it is given now; else it is named again (V2). */
  begin(name: string): boolean {
    if (this.#given.size >= PARTITIONS_GIVEN && !this.#given.has(name)) {
      this.#waiting.add(name);
      return false;
    }
    this.#waiting.delete(name);
    this.#clear(name);
    this.#given.set(name, undefined);
    return true;
  }

  /** Nobody owns it. */
  released(name: string): void {
    if (!this.#given.has(name)) return;
    this.#given.set(
      name,
      this.#clock.setTimeout(() => this.over(name), PARTITION_TAKEN_MS),
    );
  }

  /** Somebody owns it, or nobody is going to. */
  over(name: string): void {
    this.#clear(name);
    if (!this.#given.delete(name)) return;
    let room = PARTITIONS_GIVEN - this.#given.size;
    for (const next of this.#waiting) {
      if (room === 0) break;
      room -= 1;
      this.#waiting.delete(next);
      this.#again(next);
    }
  }

  stop(): void {
    for (const name of this.#given.keys()) this.#clear(name);
    this.#given.clear();
    this.#waiting.clear();
  }

  #clear(name: string): void {
    const timer = this.#given.get(name);
    if (timer !== undefined) this.#clock.clearTimeout(timer);
  }
}
