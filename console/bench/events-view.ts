/** The newest events of the bench: one line always, more on demand. */

import type { BenchEvent, Severity } from '../../contract/bench/event.ts';
import { arrange, byId, element, setText } from '../element.ts';
import { clockTime } from '../moment.ts';

/** How many are asked for and listed. */
export const EVENTS_SHOWN = 30;

const SIGNS: Readonly<Record<Severity, string>> = { debug: '·', info: '•', warning: '▲', error: '■' };
const TONES: Readonly<Record<Severity, string>> = { debug: 'muted', info: '', warning: 'warn', error: 'bad' };

export class EventsView {
  readonly #newest = byId('newest-event', HTMLElement);
  readonly #list = byId('events-list', HTMLOListElement);
  readonly #drawn = new Map<string, HTMLLIElement>();

  show(events: readonly BenchEvent[]): void {
    const [newest] = events;
    setText(this.#newest, newest === undefined ? 'no events' : words(newest));
    this.#newest.className = newest === undefined ? 'muted' : TONES[newest.severity];
    const keys = new Set(events.map(keyOf));
    for (const key of this.#drawn.keys()) if (!keys.has(key)) this.#drawn.delete(key);
    arrange(
      this.#list,
      events.map((event) => this.#drawn.get(keyOf(event)) ?? this.#make(event)),
    );
  }

  #make(event: BenchEvent): HTMLLIElement {
    const item = element(
      'li',
      {},
      element('time', { class: 'mono muted', datetime: event.timestamp }, event.timestamp.slice(11, 19)),
      element('span', { class: TONES[event.severity] }, `${SIGNS[event.severity]} ${event.severity}`),
      element('span', { class: 'mono' }, event.kind),
      element('span', {}, event.message),
    );
    this.#drawn.set(keyOf(event), item);
    return item;
  }
}

function keyOf({ id, timestamp, kind, message }: BenchEvent): string {
  return `${id ?? ''}|${timestamp}|${kind}|${message}`;
}

function words({ severity, timestamp, kind, message }: BenchEvent): string {
  return `${SIGNS[severity]} ${clockTime(Date.parse(timestamp)).slice(0, 8)} ${kind}: ${message}`;
}
