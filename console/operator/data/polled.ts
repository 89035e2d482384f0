/**
 * An answer that is asked for again and again while the page is seen.
 *
 * L1. A question waits for the answer to the one before.
 * L2. After a refusal the last answer stays, with the refusal beside it.
 */

import { later } from '../../browser-clock.ts';
import type { ServiceError } from '../../service-error.ts';
import { asked } from './connection.ts';

export class Polled<Answer> {
  readonly #path: string;
  readonly #everyMs: number;
  readonly #changed: () => void;
  readonly #user: () => string;
  #cancel: () => void = () => undefined;
  #round = 0;
  answer: Answer | undefined;
  refusal: ServiceError | undefined;

  /** `user`: in whose name it is asked, where the answer depends on that. */
  constructor(path: string, everyMs: number, changed: () => void, user: () => string = () => '') {
    this.#path = path;
    this.#user = user;
    this.#everyMs = everyMs;
    this.#changed = changed;
    this.soon();
  }

  /** Now; an answer under way is of no use any more. */
  soon(): void {
    this.#cancel();
    void this.#turn(++this.#round);
  }

  close(): void {
    this.#cancel();
    this.#round += 1;
  }

  async #turn(round: number): Promise<void> {
    let refusal: ServiceError | undefined;
    const refused = (error: ServiceError): void => {
      refusal = error;
    };
    const answer = await asked<Answer>(this.#path, refused, this.#user());
    if (round !== this.#round) return;
    this.answer = answer ?? this.answer;
    this.refusal = refusal;
    this.#changed();
    this.#cancel = later(() => this.#next(round), this.#everyMs);
  }

  #next(round: number): void {
    if (document.visibilityState === 'visible') void this.#turn(round);
    else this.#cancel = later(() => this.#next(round), this.#everyMs);
  }
}
