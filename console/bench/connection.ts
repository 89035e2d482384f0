/**
 * Whether the bench is reached, said at the top of the page.
 *
 * C1. What is seen is the present, or the whole page says that it is not, since when, and that it comes back by itself.
 */

import { now } from '../browser-clock.ts';
import { byId, setAttribute, setText } from '../element.ts';
import { clockTime } from '../moment.ts';

export class Connection {
  readonly #node = byId('connection', HTMLElement);
  readonly #stale = byId('stale', HTMLElement);
  readonly #back: () => void;
  #lostAt: number | undefined;

  /** `back` is called when the bench is reached after it was not. */
  constructor(back: () => void) {
    this.#back = back;
  }

  reached(isReached: boolean): void {
    if (isReached === (this.#lostAt === undefined) && this.#node.classList.contains(isReached ? 'ok' : 'bad'))
      return;
    const isBack = isReached && this.#lostAt !== undefined;
    this.#lostAt = isReached ? undefined : now();
    setAttribute(this.#node, 'class', `connection ${isReached ? 'ok' : 'bad'}`);
    setText(this.#node, isReached ? '● live' : '○ connection lost');
    document.body.classList.toggle('stale', !isReached);
    this.#stale.hidden = isReached;
    if (this.#lostAt !== undefined) setText(this.#stale, staleWords(this.#lostAt));
    if (isBack) this.#back();
  }
}

function staleWords(since: number): string {
  return `The bench has not answered since ${clockTime(since).slice(0, 8)}Z: the values shown are old. Retrying.`;
}
