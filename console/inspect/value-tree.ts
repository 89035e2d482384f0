/** A JSON value as a readable tree; what was folded stays folded while the value changes. */

import { element } from '../element.ts';
import { clockTime } from '../moment.ts';

/** Longer lists are cut: nobody reads a thousandth element here. */
const CHILDREN = 200;
/** Objects with more entries than this begin folded below the top. */
const OPEN_ENTRIES = 12;

export class ValueTree {
  readonly #frame: HTMLElement;
  readonly #choice = new Map<string, boolean>();
  #text = '';

  constructor(update: HTMLElement) {
    this.#frame = update;
    update.addEventListener(
      'toggle',
      ({ target }) => {
        if (target instanceof HTMLDetailsElement) this.#choice.set(target.dataset['path'] ?? '', target.open);
      },
      true,
    );
  }

  show(value: unknown): void {
    const text = JSON.stringify(value) ?? '';
    if (text === this.#text) return;
    this.#text = text;
    this.#frame.replaceChildren(this.#children(value, ''));
  }

  #children(value: unknown, path: string): HTMLElement {
    if (typeof value !== 'object' || value === null) return element('span', {}, words(value));
    const entries = Object.entries(value);
    const items = entries.slice(0, CHILDREN).map(([key, each]) => this.#entry(key, each, `${path}/${key}`));
    if (entries.length > CHILDREN)
      items.push(element('li', { class: 'none' }, `and ${entries.length - CHILDREN} more`));
    return items.length === 0 ? element('span', { class: 'none' }, 'empty') : element('ul', {}, ...items);
  }

  #entry(key: string, value: unknown, path: string): HTMLElement {
    const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    if (!isNested) {
      const shown = typeof value === 'object' && value !== null ? emptyOf(value) : words(value);
      return element('li', {}, element('span', { class: 'key' }, `${key}: `), shown);
    }
    const count = Object.keys(value).length;
    const open = this.#choice.get(path) ?? count <= OPEN_ENTRIES;
    const summary = element(
      'summary',
      {},
      element('span', { class: 'key' }, `${key} `),
      emptyOf(value, count),
    );
    return element(
      'li',
      {},
      element('details', { 'data-path': path, open }, summary, this.#children(value, path)),
    );
  }
}

/** Whole milliseconds of the years 2020 to 2060 are times in every chart of this service. */
function isTime(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 1.577e12 && (value as number) < 2.84e12;
}

function emptyOf(value: object, count = 0): string {
  return Array.isArray(value) ? `[${count || ''}]` : `{${count || ''}}`;
}

function words(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value) ?? 'undefined';
  return isTime(value) ? `${text} = ${clockTime(value)}` : text;
}
