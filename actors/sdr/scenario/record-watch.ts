/**
 * The store of scenario runs, which says when one of them cannot be recorded.
 *
 * P1. Said once for each record that waits too long. Of the first one nothing is said: before it nothing was done.
 */

import { BENCH_RECORD_MS } from '../../../contract/limits/bench.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Clock, TimerHandle } from '../../../ports/clock.ts';
import type { Commit, Committed, Store, Stored } from '../../../ports/entity.ts';

export class RecordWatch implements Store {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #late: (runId: string) => void;
  readonly #waiting = new Map<string, TimerHandle>();

  constructor(store: Store, clock: Clock, late: (runId: string) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#late = late;
  }

  load(id: string): Promise<Stored | undefined> {
    return this.#store.load(id);
  }

  /** Asked again, behind an outage, it is the same record that waits. */
  async commit(commit: Commit): Promise<Committed> {
    const { id, position } = commit;
    if (position > 0 && !this.#waiting.has(id))
      this.#waiting.set(
        id,
        this.#clock.setTimeout(() => this.#late(id), BENCH_RECORD_MS),
      );
    try {
      const committed = await this.#store.commit(commit);
      this.#over(id);
      return committed;
    } catch (error) {
      if (!(error instanceof Outage)) this.#over(id);
      throw error;
    }
  }

  #over(id: string): void {
    const timer = this.#waiting.get(id);
    if (timer !== undefined) this.#clock.clearTimeout(timer);
    this.#waiting.delete(id);
  }
}
