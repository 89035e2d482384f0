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
  /** By number. */
  #buttons = new Map<number, HTMLButtonElement>();
  #recent: { readonly at: number; readonly text: string }[] = [];

  constructor(go: (n: number) => void) {
    this.#go = go;
  }

  clear(): void {
    this.#recent = [];
    this.#buttons.clear();
    arrange(this.#list, []);
  }

  showSteps(steps: readonly HistoryStep[]): void {
    this.#recent = [];
    this.#buttons = new Map(steps.map((step) => [step.n, this.#button(step)]));
    arrange(
      this.#list,
      [...this.#buttons.values()].map((button) => element('li', {}, button)),
    );
  }

  /** Marks the step that is shown and brings it into sight. */
  mark(n: number): void {
    for (const [each, button] of this.#buttons)
      setAttribute(button, 'aria-current', each === n ? 'step' : undefined);
    this.#buttons.get(n)?.scrollIntoView({ block: 'nearest' });
  }

  heard(at: number, text: string): void {
    this.#recent.unshift({ at, text });
    this.#recent.length = Math.min(this.#recent.length, EVENTS);
  }

  /** Steps recorded before the page looked, oldest first. */
  recorded(steps: readonly HistoryStep[]): void {
    const earlier = steps
      .map(({ at, event, detail }) => ({ at, text: detail === undefined ? event : `${event}: ${detail}` }))
      .reverse();
    this.#recent = [...this.#recent, ...earlier].slice(0, EVENTS);
  }

  showRecent(): void {
    if (this.#buttons.size > 0) return;
    const items = this.#recent.map(({ at, text }) =>
      element('li', { class: 'plain' }, element('span', { class: 'at mono' }, `${clockTime(at)} `), text),
    );
    arrange(
      this.#list,
      items.length > 0 ? items : [element('li', { class: 'none' }, 'no events since the page was opened')],
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
