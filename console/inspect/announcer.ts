/**
 * What a screen reader receives: the newest of what happened, politely and not more often than a person can listen.
 * Without it nothing is missing on the screen.
 */

import { later, measured } from '../browser-clock.ts';
import { byId, setText } from '../element.ts';

const PAUSE_MS = 2_000;

export class Announcer {
  readonly #region = byId('announcer', HTMLElement);
  #next: string | undefined;
  #sinceSaid = (): number => Number.POSITIVE_INFINITY;

  say(text: string): void {
    const waiting = this.#next !== undefined;
    this.#next = text;
    if (waiting) return;
    later(() => this.#speak(), Math.max(0, PAUSE_MS - this.#sinceSaid()));
  }

  #speak(): void {
    this.#sinceSaid = measured();
    setText(this.#region, this.#next ?? '');
    this.#next = undefined;
  }
}
