/**
 * The rows of the log. Only those in sight are in the document; the next older page is asked for before its place is
 * in sight.
 *
 * T1. What comes before it does not move what somebody reads further down.
 */

import { html, nothing } from 'lit-html';
import { ref } from 'lit-html/directives/ref.js';
import { eventKey } from '../../../contract/event-order.ts';
import { later } from '../../browser-clock.ts';
import { dateTime } from '../../moment.ts';
import { windowOf } from '../parts/row-window.ts';
import { spacer } from '../parts/rows-in-sight.ts';
import type { ShownEvent } from './event-log.ts';

const ROW = 30;
/** What happened in three lines (`console/operator/operator.css`): nobody moves a telephone sideways to read. */
const NARROW_ROW = 60;
const NARROW = matchMedia('(max-width: 640px)');
const HEIGHT = 900;
const COLUMNS = 6;
/** Rows before the end at which older ones are asked for. */
const BEFORE_END = 40;

const LOOKS = {
  critical: ['▲', 'bad'],
  warning: ['△', 'warn'],
  info: ['●', 'muted'],
  detail: ['·', 'muted'],
} as const;

interface TableActions {
  readonly older: () => void;
  readonly drawn: () => void;
  readonly select: (event: ShownEvent) => void;
}

export class EventTable {
  readonly #actions: TableActions;
  #scrolled = 0;
  #height = HEIGHT;
  /** The first one in sight, and its place. */
  #read: { readonly event: ShownEvent; readonly place: number } | undefined;
  /** Of the rows as they are drawn. */
  #rowHeight = ROW;

  /** rows-in-sight.R2 */
  readonly #placed = (box: Element | undefined): void => {
    if (box === undefined || this.#scrolled === 0) return;
    this.#scrolled = 0;
    this.#read = undefined;
    this.#actions.drawn();
  };

  constructor(actions: TableActions) {
    this.#actions = actions;
    NARROW.addEventListener('change', () => actions.drawn());
  }

  view(events: readonly ShownEvent[], selected: ShownEvent | undefined, more: unknown): unknown {
    this.#turn();
    this.#stay(events);
    const rowHeight = this.#rowHeight;
    const chosen = selected && eventKey(selected);
    const { first, shown } = windowOf(this.#scrolled, this.#height, rowHeight, events.length);
    if (first + shown > events.length - BEFORE_END) later(this.#actions.older, 0);
    return html`<div class="scroll in-sight values events" tabindex="0" role="region" aria-label="Table of events" ${ref(this.#placed)} @scroll=${(event: Event) => this.#scroll(event)}>
      <table aria-rowcount=${events.length + 1}><thead><tr><th scope="col">time</th><th scope="col"><span class="word">severity</span></th><th scope="col" class="wide-only">kind</th><th scope="col" class="wide-only">target</th><th scope="col" class="wide-only">by</th><th scope="col">what happened</th></tr></thead>
      <tbody>${spacer(first, COLUMNS, rowHeight)}
        ${events.slice(first, first + shown).map((event, index) => this.#row(event, first + index, chosen !== undefined && eventKey(event) === chosen))}
        ${spacer(events.length - first - shown, COLUMNS, rowHeight)}</tbody></table>${more}</div>`;
  }

  #row(event: ShownEvent, index: number, isSelected: boolean): unknown {
    const [sign, tone] = LOOKS[event.severity];
    const [day, time] = dateTime(Date.parse(event.time)).split(' ');
    return html`<tr class=${event.severity} aria-rowindex=${index + 2} aria-current=${isSelected ? 'true' : nothing}>
      <td class="mono"><span>${day}</span> <span>${time}</span></td><td class=${tone}>${sign} <span class="word">${event.severity}</span></td><td class="wide-only">${event.kind}</td>
      <td class="wide-only">${event.target ?? ''}</td><td class="wide-only" title=${event.by ?? ''}>${event.by ?? ''}</td>
      <th scope="row"><button class="line-button" title=${event.text} aria-expanded=${isSelected ? 'true' : 'false'} @click=${() => this.#actions.select(event)}>${event.text}</button></th></tr>`;
  }

  /** A telephone that is turned has rows of another height: what is read stays in sight. */
  #turn(): void {
    const height = NARROW.matches ? NARROW_ROW : ROW;
    if (height === this.#rowHeight) return;
    const to = (this.#scrolled / this.#rowHeight) * height;
    this.#rowHeight = height;
    if (this.#scrolled > 0) this.#scrollTo(to);
  }

  #scrollTo(top: number): void {
    this.#scrolled = top;
    later(() => document.querySelector('.events')?.scrollTo({ top }), 0);
  }

  /** T1 */
  #stay(events: readonly ShownEvent[]): void {
    const before = this.#read;
    const isAway = this.#scrolled > 0 && before !== undefined;
    const place = isAway ? placeOf(before.event, events) : -1;
    if (isAway && place >= 0 && place !== before.place)
      this.#scrollTo(this.#scrolled + (place - before.place) * this.#rowHeight);
    const first = Math.floor(this.#scrolled / this.#rowHeight);
    const event = events[first];
    this.#read = event && { event, place: first };
  }

  #scroll(event: Event): void {
    const { scrollTop, clientHeight } = event.currentTarget as HTMLElement;
    this.#scrolled = scrollTop;
    this.#height = clientHeight;
    this.#actions.drawn();
  }
}

/** A page that was read again has objects of its own. */
function placeOf(event: ShownEvent, events: readonly ShownEvent[]): number {
  const place = events.indexOf(event);
  if (place >= 0) return place;
  const key = eventKey(event);
  return events.findIndex((each) => each.time === event.time && eventKey(each) === key);
}
