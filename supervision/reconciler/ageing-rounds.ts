/**
 * Rounds in which what is over moves from the records that every process holds to those that are read where somebody
 * asks for them (decision 36): one after the other, soon again while there is more, later where the bus is away.
 */

import { AGEING_MS, AGEING_SOON_MS } from '../../contract/limits/aged.ts';
import { Outage } from '../../contract/outage.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Worker, WorkerContext } from '../ownership/owned-worker.ts';

export interface AgeingOptions extends WorkerContext {
  readonly clock: Clock;
  readonly log: Log;
}

export class AgeingRounds implements Worker {
  readonly #options: AgeingOptions;
  /** Moves some; whether there are more. */
  readonly #move: () => Promise<boolean>;
  #timer: TimerHandle | undefined;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: AgeingOptions, move: () => Promise<boolean>) {
    this.#options = options;
    this.#move = move;
  }

  /** Whether a round may go on: not once the lead is lost. */
  get goesOn(): boolean {
    return !this.#stopped && this.#options.holds();
  }

  start(): void {
    this.#later(AGEING_SOON_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    await this.#round;
  }

  #later(ms: number): void {
    if (this.#stopped) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#round = this.#turn().catch(this.#options.failed);
    }, ms);
  }

  async #turn(): Promise<void> {
    let isMore = true;
    try {
      isMore = await this.#move();
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      this.#options.log.debug({ err: error }, 'what is over is moved later');
    }
    this.#later(isMore ? AGEING_SOON_MS : AGEING_MS);
  }
}
