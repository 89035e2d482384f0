/**
 * Which cells of a kind are put away when idle, and when a deadline wakes them (cell.C4, kind.C7).
 */

import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Cell } from './cell.ts';

interface SleepOptions {
  readonly clock: Clock;
  /** Time without an event after which a cell is put away; null: never. */
  readonly idleMs: number | null;
  readonly cells: () => Iterable<Cell>;
  readonly putAway: (cell: Cell) => void;
  readonly wake: (id: string) => void;
}

export class Sleep {
  readonly #options: SleepOptions;
  readonly #wakers = new Map<string, TimerHandle>();
  #sweeper: TimerHandle | undefined;

  constructor(options: SleepOptions) {
    this.#options = options;
    this.#sweepLater();
  }

  /** It has a cell again, or never will here. */
  over(id: string): void {
    const waker = this.#wakers.get(id);
    if (waker !== undefined) this.#options.clock.clearTimeout(waker);
    this.#wakers.delete(id);
  }

  /** Puts no more cells away. */
  stopSweeping(): void {
    if (this.#sweeper !== undefined) this.#options.clock.clearTimeout(this.#sweeper);
  }

  /** Wakes none of those that sleep. */
  stopWaking(): void {
    for (const waker of this.#wakers.values()) this.#options.clock.clearTimeout(waker);
  }

  #sweepLater(): void {
    const { clock, idleMs } = this.#options;
    if (idleMs === null) return;
    const sweep = (): void => {
      this.#sweep(clock.now() - idleMs);
      this.#sweepLater();
    };
    this.#sweeper = clock.setTimeout(sweep, Math.max(1, idleMs / 2));
  }

  #sweep(before: number): void {
    for (const cell of [...this.#options.cells()]) {
      if (cell.quiet && cell.lastEventAt <= before) this.#passivate(cell);
    }
  }

  #passivate(cell: Cell): void {
    const { clock, putAway, wake } = this.#options;
    const [soonest] = cell.timers();
    putAway(cell);
    if (soonest === undefined) return;
    const timer = clock.setTimeout(() => wake(cell.id), Math.max(0, soonest.dueAt - clock.now()));
    this.#wakers.set(cell.id, timer);
  }
}
