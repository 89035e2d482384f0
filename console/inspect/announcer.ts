/**
 * What a screen reader receives: the newest of what happened, politely and not more often than a person can listen.
 * Without it nothing is missing on the screen.
 */

import { later, now } from '../browser-clock.ts';
import { byId, setText } from '../element.ts';

const PAUSE_MS = 2_000;

export class Announcer {
  readonly #region = byId('announcer', HTMLElement);
  #next: string | undefined;
  #saidAt = 0;

  say(text: string): void {
    const waiting = this.#next !== undefined;
    this.#next = text;
    if (waiting) return;
    later(() => this.#speak(), Math.max(0, this.#saidAt + PAUSE_MS - now()));
  }

  #speak(): void {
    this.#saidAt = now();
    setText(this.#region, this.#next ?? '');
    this.#next = undefined;
  }
}
