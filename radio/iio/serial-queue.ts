/** One thing after the other, in the order asked for, whether the one before fails or not. */

import { IIOD_QUESTIONS_WAITING } from '../../contract/limits/bench.ts';
import { errno, IioFailure } from './context.ts';

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #open = 0;

  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** Acts when all before have ended; refused with EBUSY when too many wait. */
  run<Value>(what: string, act: () => Promise<Value>): Promise<Value> {
    if (this.#open >= IIOD_QUESTIONS_WAITING)
      return Promise.reject(
        new IioFailure(errno.EBUSY, `${what}: ${this.#open} requests are already waiting`),
      );
    this.#open += 1;
    const turn = this.#last.then(act);
    const ended = (): void => {
      this.#open -= 1;
    };
    this.#last = turn.then(ended, ended);
    return turn;
  }
}
