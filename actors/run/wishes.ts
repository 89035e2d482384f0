/**
 * Pending suspensions of the runs of a shard: each stands in the entry of its open run from before the chart receives
 * it until it is spent, so that it survives the process that took it. Mission Control Service, sections 3.2 and 4.2
 * rule 7.
 *
 * K1. What is written of one run is written in turn: forgetting a pending suspension never takes the one behind it
 *     along.
 * K2. A cell that is begun again under the same owner goes by the pending suspension as it stands now.
 * K3. Behind the end of an ownership nothing is written: the next owner finds the pending suspension.
 */

import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HeldRun, Wish } from './open-run.ts';
import type { OpenRuns } from './open-runs.ts';

interface WishesOptions {
  readonly openRuns: OpenRuns;
  readonly clock: Clock;
  /** Ends with the ownership (K3). */
  readonly signal: AbortSignal;
  readonly held: (run: string) => HeldRun | undefined;
}

export class Wishes {
  readonly #options: WishesOptions;
  readonly #turns = new Map<string, Promise<void>>();

  constructor(options: WishesOptions) {
    this.#options = options;
  }

  /** The pending suspension; undefined when there is none. */
  of(run: string): Wish | undefined {
    return this.#options.held(run)?.wish;
  }

  /** Keeps who asked for a suspension. Throws `Outage`. */
  keep(run: string, by: string): Promise<void> {
    return this.#inTurn(run, async () => {
      await this.#options.openRuns.wish(run, by);
      this.#options.held(run)?.wished({ by });
    });
  }

  /** Forgets this pending suspension, however long the bus is away; another one that has taken its place stays. */
  forget(run: string, wish: Wish | undefined): Promise<void> {
    const { openRuns, clock, signal, held } = this.#options;
    return this.#inTurn(run, async () => {
      if (wish === undefined || this.of(run) !== wish) return;
      const forgotten = await retryWhileBusIsAway({ clock, signal }, () => openRuns.wish(run, undefined));
      if (forgotten !== undefined) held(run)?.wished(undefined);
    });
  }

  /** Forgets the pending suspension of a reaction, which stood in the entry alone: the run is suspended. */
  forgetReaction(run: string, by: string): Promise<void> {
    const { openRuns, clock, signal } = this.#options;
    return this.#inTurn(run, async () => {
      await retryWhileBusIsAway({ clock, signal }, () => openRuns.unwish(run, by));
    });
  }

  #inTurn(run: string, write: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(run) ?? Promise.resolve();
    const written = before
      .catch(() => undefined)
      .then(() => (this.#options.signal.aborted ? undefined : write()));
    this.#turns.set(run, written);
    const done = (): void => {
      if (this.#turns.get(run) === written) this.#turns.delete(run);
    };
    written.then(done, done);
    return written;
  }
}
