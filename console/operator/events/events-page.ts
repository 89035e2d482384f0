/** The log of everything that happened: filtered, live at its head, older ones as somebody scrolls, saved as a file. */

import { html, nothing } from 'lit-html';
import { EVENT_KINDS, EVENT_SEVERITIES } from '../../../contract/event-kinds.ts';
import { eventKey } from '../../../contract/event-order.ts';
import { counted } from '../parts/counted.ts';
import { isTicked, typedIn } from '../parts/dom-value.ts';
import { refusalView } from '../parts/refusal.ts';
import type { Page, Workspace } from '../workspace.ts';
import { eventDetail } from './event-detail.ts';
import { EventExport } from './event-export.ts';
import { type EventFilter, filterOf, isLive, momentOf } from './event-filter.ts';
import { EventLog, type ShownEvent } from './event-log.ts';
import { EventTable } from './event-table.ts';

export class EventsPage implements Page {
  readonly title = 'Events';
  readonly #space: Workspace;
  readonly #log: EventLog;
  readonly #export: EventExport;
  readonly #table: EventTable;
  #selected: ShownEvent | undefined;

  readonly #isMeasure = (target: string, name: string): boolean =>
    target !== '' && this.#space.catalogues.of(target)?.byName.has(name) === true;

  constructor(space: Workspace) {
    this.#space = space;
    this.#log = new EventLog(space.calmly);
    this.#export = new EventExport(space.soon);
    this.#table = new EventTable({
      older: () => this.#log.past.older(),
      drawn: space.soon,
      select: (event) => this.#select(event),
    });
    space.whenRecovered(() => this.#log.reopen());
  }

  left(): void {
    this.#log.close();
    this.#selected = undefined;
  }

  view(): unknown {
    const { address } = this.#space;
    const filter = filterOf(address.query);
    this.#log.choose(filter);
    const { events, past } = this.#log;
    const narrow = (changes: Readonly<Record<string, string>>): void => this.#space.select(changes);
    return html`<h1>Events</h1>
      ${this.#tools(filter)} ${this.#more(filter)} ${this.#saving(filter)}
      ${refusalView(past.refusal)} ${refusalView(this.#export.refusal)}
      <p class="muted" role="status">${this.#standing(filter)}</p>
      ${this.#selected === undefined ? nothing : eventDetail(this.#selected, address, this.#isMeasure, narrow)}
      ${this.#table.view(events, this.#selected, this.#end())}`;
  }

  /** How much there is, whether it is live, and what is missing. */
  #standing(filter: EventFilter): string {
    const { past, events, isLive: isOpen } = this.#log;
    const { said } = past;
    const live = !isLive(filter) ? 'of a time that has ended' : isOpen ? 'live' : 'not live at the moment';
    const missing = [
      (said?.gaps.length ?? 0) > 0
        ? `${counted(said!.gaps.length, 'gap')}: something was lost before it was recorded`
        : [],
      (said?.damaged ?? 0) > 0
        ? `${counted(said!.damaged, 'damaged segment of the archive is', 'damaged segments of the archive are')} missing`
        : [],
      (said?.pending ?? 0) > 0 ? `${said!.pending} not archived yet` : [],
    ].flat();
    const count = `${past.hasOlder ? `newest ${events.length} events` : counted(events.length, 'event')}, ${live}`;
    return [count, ...missing, past.isAsking ? 'reading…' : []].flat().join('; ');
  }

  #end(): unknown {
    const { past, events } = this.#log;
    if (past.isAsking) return html`<p class="empty">Reading…</p>`;
    if (past.isFull) return html`<p class="empty">No older ones are shown: narrow the time.</p>`;
    return events.length === 0 && past.refusal === undefined
      ? html`<p class="empty">No event has all of that.</p>`
      : nothing;
  }

  #text(name: string, label: string, hint: string): unknown {
    const typed = this.#space.address.query[name] ?? '';
    return html`<label>${label} <input type="search" class="medium" .value=${typed} placeholder=${hint} @input=${(event: Event) => this.#space.select({ [name]: typedIn(event) })} /></label>`;
  }

  #time(name: 'from' | 'to', label: string): unknown {
    const typed = this.#space.address.query[name] ?? '';
    const isWrong = typed !== '' && momentOf(typed) === '';
    return html`<label>${label} <input class="medium" .value=${typed} placeholder="2026-03-01 12:00" aria-invalid=${isWrong ? 'true' : 'false'} @change=${(event: Event) => this.#space.select({ [name]: typedIn(event) })} /></label>
      ${isWrong ? html`<span class="bad" role="alert">${label}: a time in UTC, as 2026-03-01 12:00</span>` : nothing}`;
  }

  #tools(filter: EventFilter): unknown {
    return html`<div class="tools" role="group" aria-label="Which events">
      ${this.#text('text', 'Find', 'in the sentence')} ${this.#text('of', 'Targets', 'all')} ${this.#text('by', 'Person', 'anybody')}
      <label>Severity at least <select @change=${(event: Event) => this.#space.select({ severity: typedIn(event) })}>
        ${EVENT_SEVERITIES.map((each) => html`<option value=${each} ?selected=${each === filter.severity}>${each}</option>`)}</select></label></div>`;
  }

  /** What is asked for more rarely; on a narrow screen behind a word, unless something of it is chosen. */
  #more(filter: EventFilter): unknown {
    const { kinds, from, to, subject, run } = filter;
    const isOpen =
      matchMedia('(min-width: 700px)').matches || kinds.join() + from + to + subject + run !== '';
    return html`<details ?open=${isOpen}><summary>Time, kinds, identifiers</summary>
      <div class="tools" role="group" aria-label="Time and identifiers">${this.#time('from', 'From')} ${this.#time('to', 'To')}
        ${this.#text('subject', 'About', 'identifier')} ${this.#text('run', 'Run', 'identifier')}</div>
      ${this.#kinds(filter)}</details>`;
  }

  #kinds({ kinds }: EventFilter): unknown {
    const toggle = (kind: (typeof EVENT_KINDS)[number], on: boolean): void =>
      this.#space.select({
        kinds: EVENT_KINDS.filter((each) => (each === kind ? on : kinds.includes(each))).join(),
      });
    return html`<div class="tools" role="group" aria-label="Kinds; none chosen means every one">
      ${EVENT_KINDS.map((kind) => html`<label><input type="checkbox" .checked=${kinds.includes(kind)} @change=${(event: Event) => toggle(kind, isTicked(event))} /> ${kind}</label>`)}</div>`;
  }

  #saving(filter: EventFilter): unknown {
    const { underWay, outcome } = this.#export;
    const busy = underWay !== undefined;
    return html`<div class="tools" role="group" aria-label="Save what is filtered">
      <button ?disabled=${busy} @click=${() => void this.#export.save(filter, 'csv')}>Save as CSV</button>
      <button ?disabled=${busy} @click=${() => void this.#export.save(filter, 'json')}>Save as JSON</button>
      <button @click=${() => this.#space.open('events')}>Clear the filter</button>
      <span role="status">${busy ? `${underWay} events read…` : outcome}</span></div>`;
  }

  #select(event: ShownEvent): void {
    const isSame = this.#selected !== undefined && eventKey(this.#selected) === eventKey(event);
    this.#selected = isSame ? undefined : event;
    this.#space.soon();
  }
}
