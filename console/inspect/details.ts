/** What the entity holds and awaits: context, effects not known to be done, timers counting down, events it takes. */

import type { EntityView } from '../../contract/inspection.ts';
import { arrange, byId, element, setText } from '../element.ts';
import { duration } from '../moment.ts';
import { RangeMap } from './range-map.ts';
import { ValueTree } from './value-tree.ts';

/** More pending effects than this are a flood, of which the first report enough. */
const LISTED = 50;

type Shown = Pick<EntityView, 'context' | 'effects' | 'timers' | 'accepts' | 'refuses'>;

type Part = 'timers' | 'effects' | 'events';

export class Details {
  readonly #timers = byId('timers', HTMLUListElement);
  readonly #effects = byId('effects', HTMLUListElement);
  readonly #events = byId('accepts', HTMLUListElement);
  readonly #context = new ValueTree(byId('context', HTMLElement));
  readonly #ranges = new RangeMap();
  #due: { readonly rest: HTMLElement; readonly dueAt: number }[] = [];
  readonly #text: Record<Part, string> = { timers: '', effects: '', events: '' };

  show(view: Shown): void {
    this.#context.show(view.context);
    this.#ranges.show(view.context);
    this.#present(true);
    this.#once('timers', view.timers, () => this.#showTimers(view));
    this.#once('effects', view.effects, () => this.#showEffects(view));
    this.#once('events', [view.accepts, view.refuses], () => this.#showEvents(view));
  }

  /** The context of a step of the log, which reports nothing of what was awaited then. */
  showStep(context: unknown): void {
    this.#context.show(context);
    this.#ranges.show(context);
    this.#present(false);
  }

  /** Counts down to the clock of the service. */
  tick(serviceNow: number): void {
    for (const { rest, dueAt } of this.#due) {
      const leftMs = dueAt - serviceNow;
      setText(rest, leftMs > 0 ? `in ${duration(leftMs)}` : 'due');
    }
  }

  #present(isPresent: boolean): void {
    for (const list of [this.#timers, this.#effects, this.#events]) list.parentElement!.hidden = !isPresent;
  }

  #once(part: Part, value: unknown, show: () => void): void {
    const text = JSON.stringify(value);
    if (this.#text[part] === text) return;
    this.#text[part] = text;
    show();
  }

  #showTimers({ timers }: Shown): void {
    this.#due = timers
      .slice(0, LISTED)
      .map(({ dueAt }) => ({ rest: element('span', { class: 'mono' }), dueAt }));
    const items = this.#due.map(({ rest }, n) => element('li', {}, named(timerName(timers[n]!.event)), rest));
    arrange(this.#timers, items.length > 0 ? items : [none('none armed')]);
  }

  #showEffects({ effects }: Shown): void {
    const items = effects
      .slice(0, LISTED)
      .map(({ type, key }) =>
        element('li', { title: key }, named(type), element('span', { class: 'muted' }, shortKey(key))),
      );
    if (effects.length > LISTED) items.push(none(`and ${effects.length - LISTED} more`));
    arrange(this.#effects, items.length > 0 ? items : [none('none')]);
  }

  #showEvents({ accepts, refuses }: Shown): void {
    const items = [
      ...accepts.map((event) => eventItem(event, '✓', 'accepted now', 'ok')),
      ...refuses.map((event) => eventItem(event, '–', 'not now', 'refused')),
    ];
    arrange(this.#events, items.length > 0 ? items : [none('none')]);
  }
}

function eventItem(event: string, sign: string, word: string, tone: string): HTMLElement {
  const mark = element('span', { 'aria-hidden': 'true' }, `${sign} `);
  const name = element('span', { class: 'mono' }, mark, event);
  return element('li', { class: tone }, name, element('span', {}, word));
}

function named(text: string): HTMLElement {
  return element('span', { class: 'mono' }, text);
}

function none(text: string): HTMLLIElement {
  return element('li', { class: 'none' }, text);
}

/** The charts' own name of a deadline, `xstate.after.<delay>.<state>`, as the chart writes it. */
function timerName(event: string): string {
  const [, delay, state] = /^xstate\.after\.([^.]+)\.(.+)$/.exec(event) ?? [];
  return delay === undefined ? event : `after ${delay} in ${state!.split('.').slice(1).join(' › ')}`;
}

/** Revision and number of `<kind>:<id>:<revision>:<n>`. */
function shortKey(key: string): string {
  const [revision, n] = key.split(':').slice(-2);
  return `revision ${revision}, ${n}`;
}
