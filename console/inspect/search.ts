/**
 * Entities by id, kind, target and state. What is found is looked for again while the page is visible, and the list is
 * bounded by what the service gives.
 */

import { isAtRest } from '../../contract/at-rest.ts';
import type { EntityName, EntitySummary } from '../../contract/inspection.ts';
import type { InspectFound } from '../../contract/inspector.ts';
import { isBadTcEnd } from '../../contract/telecommand-state.ts';
import { every, later } from '../browser-clock.ts';
import { arrange, byId, element, setAttribute, setText } from '../element.ts';
import { clockTime } from '../moment.ts';
import { ask } from '../service.ts';
import { ServiceError } from '../service-error.ts';
import { addressOf } from './address.ts';
import { statusWord } from './at-rest.ts';

const AGAIN_MS = 3_000;
const TYPED_MS = 200;
const LISTED = 100;

interface Drawn {
  readonly item: HTMLLIElement;
  readonly link: HTMLAnchorElement;
  readonly badge: HTMLElement;
  readonly under: HTMLElement;
}

export class Search {
  readonly #id = byId('search-id', HTMLInputElement);
  readonly #kind = byId('search-kind', HTMLSelectElement);
  readonly #target = byId('search-target', HTMLInputElement);
  readonly #state = byId('search-state', HTMLInputElement);
  readonly #results = byId('results', HTMLUListElement);
  readonly #note = byId('results-note', HTMLElement);
  readonly #drawn = new Map<string, Drawn>();
  #asking: AbortController | undefined;
  #cancelTyped: () => void = () => undefined;
  #chosen = '';

  constructor() {
    const form = byId('search', HTMLFormElement);
    form.addEventListener('input', () => {
      this.#cancelTyped();
      this.#cancelTyped = later(() => void this.find(), TYPED_MS);
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.find().then(() => this.#first()?.focus());
    });
    form.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowDown' || event.target instanceof HTMLSelectElement) return;
      event.preventDefault();
      this.#first()?.focus();
    });
    this.#results.addEventListener('keydown', (event) => this.#move(event));
    every(() => void this.find(), AGAIN_MS);
  }

  focus(): void {
    this.#id.focus();
    this.#id.select();
  }

  /** Kinds to choose from, as the tree names them. */
  offerKinds(kinds: readonly string[]): void {
    const known = [...this.#kind.options].map(({ value }) => value);
    for (const kind of kinds) if (!known.includes(kind)) this.#kind.add(new Option(kind, kind));
  }

  findKind(kind: string): void {
    this.offerKinds([kind]);
    this.#kind.value = kind;
    void this.find().then(() => this.#first()?.focus());
  }

  mark(entity: EntityName | undefined): void {
    this.#chosen = entity === undefined ? '' : addressOf(entity);
    for (const { link } of this.#drawn.values()) this.#markLink(link);
  }

  async find(): Promise<void> {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    try {
      this.#show(await ask<InspectFound>(`/v1/inspect/entities?${this.#query()}`, asking.signal));
    } catch (error) {
      if (error instanceof ServiceError) setText(this.#note, `Search failed: ${error.message}`);
      else if (!asking.signal.aborted) throw error;
    }
  }

  #query(): string {
    const query = new URLSearchParams({ limit: `${LISTED}` });
    const fields = { id: this.#id, kind: this.#kind, target: this.#target, state: this.#state };
    for (const [name, { value }] of Object.entries(fields))
      if (value.trim() !== '') query.set(name, value.trim());
    return query.toString();
  }

  #show({ entities, more, complete, silent }: InspectFound): void {
    const addresses = new Set(entities.map(addressOf));
    for (const address of this.#drawn.keys()) if (!addresses.has(address)) this.#drawn.delete(address);
    arrange(
      this.#results,
      entities.map((entity) => this.#draw(entity)),
    );
    const parts = [
      entities.length === 0 ? this.#nothing() : `${entities.length} ${this.#isAsked ? 'found' : 'under way'}`,
      ...(more > 0 ? [`${more} more: narrow the search`] : []),
      ...(complete ? [] : ['older ones were not looked at']),
      ...(silent.length > 0
        ? [`${silent.length} silent: ${silent.map(({ instance }) => instance).join(', ')}`]
        : []),
    ];
    setText(this.#note, parts.join(' · '));
  }

  /** Whether anything narrows the list: without it everything that lives is shown. */
  get #isAsked(): boolean {
    return [this.#id, this.#kind, this.#target, this.#state].some(({ value }) => value.trim() !== '');
  }

  #nothing(): string {
    if (this.#id.value.trim() !== '' || this.#target.value.trim() !== '') return 'Nothing found';
    return `${this.#isAsked ? 'Nothing of that' : 'Nothing'} is under way now; a target or an id finds what has finished`;
  }

  #draw(entity: EntitySummary): HTMLLIElement {
    const address = addressOf(entity);
    const drawn = this.#drawn.get(address) ?? this.#make(address, entity);
    const { badge, under, item } = drawn;
    setText(badge, entity.state === '' ? statusWord(entity) : withoutRegions(entity.state));
    setAttribute(badge, 'class', `badge ${toneOf(entity)}`);
    const { kind, label, target } = entity;
    const about = [kind, label, target, statusWord(entity), `${clockTime(entity.at).slice(0, 8)}Z`];
    setText(under, about.filter((part) => part !== undefined).join(' · '));
    return item;
  }

  #make(address: string, { id }: EntitySummary): Drawn {
    const badge = element('span', { class: 'badge' });
    const under = element('span', { class: 'under' });
    // Cut at its beginning where it is long: the end of an identifier tells it from its neighbours.
    const name = element('span', { class: 'id mono' }, element('bdi', {}, id));
    const link = element('a', { href: address, title: id }, name, badge, under);
    const drawn = { item: element('li', {}, link), link, badge, under };
    this.#markLink(link);
    this.#drawn.set(address, drawn);
    return drawn;
  }

  #markLink(link: HTMLAnchorElement): void {
    setAttribute(link, 'aria-current', link.getAttribute('href') === this.#chosen ? 'true' : undefined);
  }

  #first(): HTMLAnchorElement | null {
    return this.#results.querySelector('a');
  }

  #move(event: KeyboardEvent): void {
    const links = [...this.#results.querySelectorAll('a')];
    const index = links.indexOf(event.target as HTMLAnchorElement);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || index < 0) return;
    event.preventDefault();
    if (index + step < 0) this.#id.focus();
    else links[index + step]?.focus();
  }
}

/** `ACTIVE_UNACK unshelved`: where regions stand side by side, their own names say nothing. */
function withoutRegions(state: string): string {
  const names = state.split(' ');
  return names.length === 1 ? state : names.map((name) => name.replace(/^[^.]*\./, '')).join(' ');
}

/** A run that waits for a person. */
const WAITS = /asking|confirming|waitingDecision|suspended/;

/** The state says it in words; the colour only helps to find it. */
function toneOf(entity: EntitySummary): string {
  const { status, state } = entity;
  if (status === 'quarantined' || /failed|missed/.test(state) || isBadTcEnd(state)) return 'bad';
  if (isAtRest(entity)) return state === 'at_risk' ? 'warn' : 'accent';
  if (status === 'restarting' || status === 'loading' || WAITS.test(state)) return 'warn';
  return status === 'finished' ? 'ok' : 'accent';
}
