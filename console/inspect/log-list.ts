/**
 * The log of the entity: its recorded steps, each of which can be gone to, or while it lives the events of late.
 *
 * L1. At most `EVENTS` events of late are kept and drawn, whatever their rate.
 */

import type { HistoryStep } from '../../contract/inspection.ts';
import { arrange, byId, element, setAttribute } from '../element.ts';
import { clockTime } from '../moment.ts';

const EVENTS = 30;

export class LogList {
  readonly #list = byId('log', HTMLOListElement);
  readonly #go: (n: number) => void;
  #buttons: HTMLButtonElement[] = [];
  #recent: { readonly at: number; readonly text: string }[] = [];

  constructor(go: (n: number) => void) {
    this.#go = go;
  }

  clear(): void {
    this.#recent = [];
    this.#buttons = [];
    arrange(this.#list, []);
  }

  showSteps(steps: readonly HistoryStep[]): void {
    this.#recent = [];
    this.#buttons = steps.map((step) => this.#button(step));
    arrange(
      this.#list,
      this.#buttons.map((button) => element('li', {}, button)),
    );
  }

  /** Marks the step that is shown and brings it into sight. */
  mark(n: number): void {
    this.#buttons.forEach((button, index) => {
      setAttribute(button, 'aria-current', index === n - 1 ? 'step' : undefined);
    });
    this.#buttons[n - 1]?.scrollIntoView({ block: 'nearest' });
  }

  heard(at: number, text: string): void {
    this.#recent.unshift({ at, text });
    this.#recent.length = Math.min(this.#recent.length, EVENTS);
  }

  /** Steps recorded before the page looked, oldest first. */
  recorded(steps: readonly HistoryStep[]): void {
    const earlier = steps.map(({ at, event }) => ({ at, text: event })).reverse();
    this.#recent = [...this.#recent, ...earlier].slice(0, EVENTS);
  }

  showRecent(): void {
    if (this.#buttons.length > 0) return;
    const items = this.#recent.map(({ at, text }) =>
      element('li', { class: 'plain' }, element('span', { class: 'at mono' }, `${clockTime(at)} `), text),
    );
    arrange(
      this.#list,
      items.length > 0 ? items : [element('li', { class: 'none' }, 'no event since the page looks')],
    );
  }

  #button({ n, at, event, detail }: HistoryStep): HTMLButtonElement {
    const button = element(
      'button',
      { type: 'button' },
      element('span', { class: 'at mono' }, `${clockTime(at)} `),
      element('strong', {}, event),
    );
    if (detail !== undefined) button.append(element('span', { class: 'detail' }, detail));
    button.addEventListener('click', () => this.#go(n));
    return button;
  }
}
