/**
 * What is kept beside the logs of telecommands that are over, on its way out. Part of a lane. Decision 31.
 *
 * F1. The floor of the lane does not pass one whose envelope may still be there: whoever owns the lane next finds it again.
 * F2. Of those that were over before this owner came only the newest are looked at: an owner before removed what it could.
 */

import { LANE_OPEN_TELECOMMANDS } from '../../contract/limits.ts';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

interface LeftoversOptions {
  readonly kept: KeptEnvelopes;
  readonly clock: Clock;
  readonly log: Log;
}

export class Leftovers {
  readonly #options: LeftoversOptions;
  readonly #stopping = new AbortController();
  /** Positions of their submissions, by cell. */
  readonly #going = new Map<string, number>();
  readonly #before = new Map<string, number>();

  constructor(options: LeftoversOptions) {
    this.#options = options;
  }

  /** The first submission of which something may still be there; undefined for none (F1). */
  get first(): number | undefined {
    const positions = [...this.#going.values(), ...this.#before.values()];
    return positions.length === 0 ? undefined : Math.min(...positions);
  }

  /** A telecommand that this owner had is over. */
  add(cell: string, seq: number): void {
    const { kept } = this.#options;
    if (!kept.mayBeKept(cell)) return kept.forget(cell);
    this.#going.set(cell, seq);
    void this.#remove(cell, async () => kept.remove(cell)).then(() => this.#going.delete(cell));
  }

  /** A telecommand was over when this owner came. */
  addOver(cell: string, seq: number): void {
    this.#before.set(cell, seq);
    const [oldest] = this.#before.keys();
    if (this.#before.size > LANE_OPEN_TELECOMMANDS && oldest !== undefined) this.#before.delete(oldest);
  }

  /** Removes what is left of those, one after the other. */
  async sweep(): Promise<void> {
    const { kept } = this.#options;
    for (const cell of this.#before.keys()) {
      if (this.#stopping.signal.aborted) return;
      await this.#remove(cell, async () => {
        await kept.read(cell);
        await kept.remove(cell);
      });
      this.#before.delete(cell);
    }
  }

  stop(): void {
    this.#stopping.abort('stopped');
  }

  /** Whatever is wrong with it is in nobody's way. */
  async #remove(cell: string, step: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await retryWhileBusIsAway({ clock, signal: this.#stopping.signal }, step);
    } catch (error) {
      log.warn(
        { cell, err: error },
        'what is kept beside the log of a telecommand that is over is not removed',
      );
    }
  }
}
