/**
 * What is kept beside the logs of the telecommands of a lane when its owner comes, and on its way out when they are
 * over. Part of a lane. Decision 31.
 *
 * F1. The low-water mark of the lane does not pass one whose envelope may still be there: the next owner of the lane
 *     finds it again.
 * F2. What is kept is listed once, by the first telecommand that is not over: a lane without one asks for nothing
 *     before it has caught up, and behind that only where something was over or the store went back.
 */

import { setMaxListeners } from 'node:events';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeptEnvelope } from '../../ports/entity.ts';
import type { Log } from '../../ports/log.ts';

interface LeftoversOptions {
  readonly target: string;
  readonly kept: KeptEnvelopes;
  readonly clock: Clock;
  readonly log: Log;
  /** `first` is another one. */
  readonly moved: () => void;
}

export class Leftovers {
  readonly #options: LeftoversOptions;
  readonly #stopping = new AbortController();
  /** Positions of the submissions of which something is being removed, by cell. */
  readonly #going = new Map<string, number>();
  /**
   * Position of the first submission that was over when this owner came, until it is certain that nothing is left of
   * those.
   */
  #firstOver: number | undefined;
  #listed: Promise<Map<string, KeptEnvelope | undefined>> | undefined;

  constructor(options: LeftoversOptions) {
    this.#options = options;
    // As many may wait for the bus as telecommands ended meanwhile.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** What an owner before kept of a telecommand (F2). Throws `Outage`. */
  async read(cell: string): Promise<KeptEnvelope | undefined> {
    return (await this.#list()).get(cell);
  }

  /** The first submission of which something may still be there; undefined for none (F1). */
  get first(): number | undefined {
    const positions = [...this.#going.values(), ...(this.#firstOver === undefined ? [] : [this.#firstOver])];
    return positions.length === 0 ? undefined : Math.min(...positions);
  }

  /** A telecommand that this owner had is over. */
  add(cell: string, seq: number): void {
    const { kept } = this.#options;
    if (!kept.mayBeKept(cell)) return kept.forget(cell);
    this.#going.set(cell, seq);
    void this.#patiently(() => kept.remove(cell)).then(() => {
      this.#going.delete(cell);
      this.#options.moved();
    });
  }

  /** A telecommand was over when this owner came. */
  addOver(seq: number): void {
    this.#firstOver = Math.min(this.#firstOver ?? seq, seq);
  }

  /** Once everything of before is taken up: removes what is kept of what is not open. */
  async sweep(isOpen: (cell: string) => boolean, { always }: { readonly always: boolean }): Promise<void> {
    const { kept } = this.#options;
    if (always || this.#firstOver !== undefined || this.#listed !== undefined) {
      await this.#patiently(async () => {
        for (const cell of (await this.#list()).keys())
          if (!isOpen(cell) && !this.#going.has(cell)) await kept.remove(cell);
      });
    }
    this.#listed = undefined;
    this.#firstOver = undefined;
    this.#options.moved();
  }

  stop(): void {
    this.#stopping.abort('stopped');
  }

  #list(): Promise<Map<string, KeptEnvelope | undefined>> {
    const { kept, target } = this.#options;
    const listed = this.#listed ?? kept.readAll(`${target}.*`);
    this.#listed = listed;
    listed.catch(() => {
      if (this.#listed === listed) this.#listed = undefined;
    });
    return listed;
  }

  /** Whatever is wrong with what is kept is in nobody's way. */
  async #patiently(step: () => Promise<void>): Promise<void> {
    const { clock, log, target } = this.#options;
    try {
      await retryWhileBusIsAway({ clock, signal: this.#stopping.signal }, step);
    } catch (error) {
      log.warn(
        { target, err: error },
        'what is kept beside logs of telecommands that are over is not removed',
      );
    }
  }
}
