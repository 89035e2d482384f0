/** Searches that each read much: a process makes one at a time, and lets few wait. */

import { AGED_SEARCHES_WAITING } from '../contract/limits/aged.ts';
import { Outage } from '../contract/outage.ts';

export class Searches {
  readonly #what: string;
  #open = 0;
  #last: Promise<void> = Promise.resolve();

  /** `what`: what is searched for, in the plural. */
  constructor(what: string) {
    this.#what = what;
  }

  /** What the search resolves to, once those before it are done. Throws `Outage` where too many wait. */
  async make<Found>(search: () => Promise<Found>): Promise<Found> {
    if (this.#open > AGED_SEARCHES_WAITING) {
      const why = `too many searches for ${this.#what}`;
      throw new Outage('bus.unavailable', why, { remedy: 'Try again in a moment, or list them by time.' });
    }
    this.#open += 1;
    const found = this.#last.then(search);
    this.#last = found.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await found;
    } finally {
      this.#open -= 1;
    }
  }
}
