/**
 * What the members of a cell know of a past that the bus has lost, handed on in their heartbeats: a process that begins
 * after it has nothing to compare with. Part of `membership.ts` (membership.E9). Decision 27.
 *
 * L1. Who was connected until the bus went away knows that nothing later can be lost: its own heartbeat has the time of
 *     the bus, and what passed since then is counted by its own monotonic clock.
 * L2. What is lost for one is lost for all: each takes over the latest time that another one says, and says it too, so
 *     it outlives whoever found it.
 */

import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';

interface SharedLossesOptions {
  readonly bus: Pick<Bus, 'lostUntil' | 'lost' | 'onConnection'>;
  readonly clock: Clock;
  /** Who has not written for so long knows nothing of what others wrote since. */
  readonly ttlMs: number;
}

export class SharedLosses {
  readonly #options: SharedLossesOptions;
  readonly #forget: () => void;
  /** Own heartbeat: when the bus stored it, and own monotonic time before it was written. */
  #beat: { readonly at: number; readonly before: number } | undefined;
  /** When the connection was lost last, by the clock of the bus. */
  #awaySince: number | undefined;
  #said: number | undefined;

  constructor(options: SharedLossesOptions) {
    this.#options = options;
    this.#forget = options.bus.onConnection((connected) => {
      if (!connected) this.#awaySince = this.#busTime();
    });
  }

  stop(): void {
    this.#forget();
  }

  /** What the next heartbeat says of it. */
  get known(): { readonly lostUntil?: number } {
    const { lostUntil } = this.#options.bus;
    return lostUntil === undefined ? {} : { lostUntil };
  }

  /** Whether a heartbeat would say more than the last one. */
  get hasNews(): boolean {
    return (this.#options.bus.lostUntil ?? 0) > (this.#said ?? 0);
  }

  /** A heartbeat is written that says so. */
  said({ lostUntil }: { readonly lostUntil?: number }): void {
    this.#said = lostUntil;
  }

  stored(at: number, before: number): void {
    this.#beat = { at, before };
  }

  /** A heartbeat in the store is older than the one that was known (L1). */
  wentBack(): void {
    if (this.#awaySince !== undefined) this.#options.bus.lost?.(this.#awaySince);
  }

  /** L2 */
  adopt(lostUntil: number): void {
    this.#options.bus.lost?.(lostUntil);
  }

  #busTime(): number | undefined {
    if (this.#beat === undefined) return undefined;
    const { clock, ttlMs } = this.#options;
    return this.#beat.at + Math.min(clock.monotonic() - this.#beat.before, ttlMs);
  }
}
