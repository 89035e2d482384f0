/**
 * Tabs after the pattern of the ARIA Authoring Practices: one stop of the keyboard, arrows move; the address keeps the
 * choice.
 */

import { setAttribute } from '../element.ts';

export class Tabs {
  readonly #tabs: readonly HTMLButtonElement[];
  readonly #chosen: (name: string) => void;

  /** `chosen` is called with the name of each tab that is opened. */
  constructor(list: HTMLElement, chosen: (name: string) => void) {
    this.#tabs = [...list.querySelectorAll('button')];
    this.#chosen = chosen;
    for (const tab of this.#tabs) tab.addEventListener('click', () => this.open(nameOf(tab)));
    list.addEventListener('keydown', (event) => this.#key(event));
    addEventListener('hashchange', () => this.#go());
    this.#go();
  }

  open(name: string): void {
    if (location.hash === `#${name}`) this.#show(name);
    else location.hash = name;
  }

  #go(): void {
    const named = this.#tabs.find((tab) => `#${nameOf(tab)}` === location.hash);
    this.#show(nameOf(named ?? this.#tabs[0]!));
  }

  #show(name: string): void {
    for (const tab of this.#tabs) {
      const isShown = nameOf(tab) === name;
      setAttribute(tab, 'aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      document.getElementById(tab.getAttribute('aria-controls') ?? '')!.hidden = !isShown;
    }
    this.#chosen(name);
  }

  #key(event: KeyboardEvent): void {
    const at = this.#tabs.findIndex((tab) => document.activeElement?.id === tab.id);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: this.#tabs.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const tab = this.#tabs[(to + this.#tabs.length) % this.#tabs.length]!;
    tab.focus();
    this.open(nameOf(tab));
  }
}

function nameOf(tab: HTMLElement): string {
  return tab.dataset['tab'] ?? '';
}
