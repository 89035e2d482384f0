/**
 * The log of a run under its chart: every event in words, oldest first, the newest in sight. Links lead to
 * telecommands.
 *
 * G1. At most `ROWS` rows are drawn, whatever the length of the log: the newest, or those around the moment that is
 *     shown. While more than `AT_SPEED` come at once nobody reads them: the others are drawn when the log is calm.
 * G2. Whoever has scrolled back reads in peace: rows stay where they are until the end is in sight again.
 */

import type { RunEvent, RunSample } from '../../contract/run-event.ts';
import { later } from '../browser-clock.ts';
import { arrange, byId, element, setAttribute, setText } from '../element.ts';
import type { unitsIn } from '../input-units.ts';
import { clockTime } from '../moment.ts';
import { addressOf } from './address.ts';
import { sampleText, wordsFor } from './run-words.ts';

const ROWS = 250;
const AT_SPEED = 60;
const CALM_MS = 400;
/** Further from its end than this, the list was scrolled by a person. */
const NEAR_PX = 24;

type Units = ReturnType<typeof unitsIn>;

export class RunLog {
  readonly #list = byId('run-log-list', HTMLOListElement);
  readonly #title = byId('run-log-count', HTMLElement);
  readonly #all = byId('run-log-all', HTMLButtonElement);
  readonly #newest = byId('run-log-newest', HTMLButtonElement);
  readonly #rows = new Map<number, HTMLLIElement>();
  readonly #go: (seq: number) => void;
  #events: readonly RunEvent[] = [];
  #step: string | undefined;
  /** The moment that is shown; undefined: the present. */
  #at: number | undefined;
  #drawnTo = 0;
  #units: Units = () => () => undefined;
  /** Somebody has scrolled back (G2). */
  #isRead = false;
  #scrollTop = 0;
  #cancelFill: () => void = () => undefined;

  /** `go`: to the moment of that event; `all`: of every step again. */
  constructor(go: (seq: number) => void, all: () => void) {
    this.#go = go;
    // What scrolls is scrolled with the keyboard too.
    this.#list.tabIndex = 0;
    this.#list.addEventListener('click', (event) => this.#click(event));
    this.#list.addEventListener('scroll', () => this.#scrolled());
    this.#newest.addEventListener('click', () => this.#showNewest());
    this.#all.addEventListener('click', all);
    new ResizeObserver(() => this.#toEnd()).observe(this.#list);
  }

  focus(): void {
    this.#list.focus();
  }

  /** Of inputs, by the path of an event; what is drawn is drawn again with them. */
  measureIn(units: Units): void {
    this.#units = units;
    this.#rows.clear();
  }

  clear(): void {
    this.#rows.clear();
    this.#isRead = false;
    this.#drawnTo = 0;
    this.#step = undefined;
    this.show([], undefined);
  }

  /** Only what is of that step and what is in it; of all of them. */
  filter(step: string | undefined): void {
    this.#step = step;
    this.#isRead = false;
    this.show(this.#events, this.#at);
  }

  show(events: readonly RunEvent[], at: number | undefined): void {
    const isMoved = at !== this.#at;
    this.#events = events;
    this.#at = at;
    const wanted = this.#wanted;
    this.#count(wanted.length);
    const unseen = wanted.filter(({ seq }) => seq > this.#drawnTo).length;
    this.#newest.hidden = at !== undefined || !this.#isRead || unseen === 0;
    setText(this.#newest, `${unseen} newer ↓`);
    if (at === undefined && this.#isRead) return;
    const isFast = at === undefined && unseen > AT_SPEED;
    this.#draw(windowOf(wanted, at, isFast ? AT_SPEED : ROWS));
    this.#cancelFill();
    if (isFast) this.#cancelFill = later(() => this.show(this.#events, this.#at), CALM_MS);
    if (at === undefined) this.#toEnd();
    else if (isMoved) this.#rows.get(at)?.scrollIntoView({ block: 'nearest' });
  }

  #toEnd(): void {
    if (this.#at === undefined && !this.#isRead) this.#list.scrollTop = this.#list.scrollHeight;
  }

  #draw(events: readonly RunEvent[]): void {
    this.#drawnTo = events.at(-1)?.seq ?? 0;
    const wanted = new Set(events.map(({ seq }) => seq));
    for (const seq of this.#rows.keys()) if (!wanted.has(seq)) this.#rows.delete(seq);
    arrange(
      this.#list,
      events.map((event) => this.#row(event)),
    );
    setAttribute(this.#list, 'class', this.#at === undefined ? 'run-log-list' : 'run-log-list scrubbed');
  }

  #row(event: RunEvent): HTMLLIElement {
    const row = this.#rows.get(event.seq) ?? rowOf(event, this.#units);
    this.#rows.set(event.seq, row);
    setAttribute(row, 'aria-current', event.seq === this.#at ? 'step' : undefined);
    row.classList.toggle('later', this.#at !== undefined && event.seq > this.#at);
    return row;
  }

  #count(shown: number): void {
    const all = this.#events.length;
    const isAll = this.#step === undefined;
    setText(
      this.#title,
      isAll ? `${all} ${all === 1 ? 'event' : 'events'}` : `of ${this.#step}: ${shown} of ${all}`,
    );
    this.#all.hidden = isAll;
  }

  #click(event: Event): void {
    if (!(event.target instanceof Element) || event.target.closest('a, summary') !== null) return;
    const seq = event.target.closest<HTMLElement>('[data-seq]')?.dataset['seq'];
    if (seq !== undefined) this.#go(Number(seq));
  }

  /** G2. Only a person scrolls back; that the end is out of sight may also be a list that has grown. */
  #scrolled(): void {
    const { scrollTop, clientHeight, scrollHeight } = this.#list;
    const isBack = scrollTop < this.#scrollTop;
    this.#scrollTop = scrollTop;
    const isAway = scrollHeight - scrollTop - clientHeight > NEAR_PX;
    const isRead = isAway && (isBack || this.#isRead);
    if (isRead === this.#isRead || this.#at !== undefined) return;
    this.#isRead = isRead;
    if (isRead) this.#fill();
    this.show(this.#events, this.#at);
  }

  /**
   * What is drawn at speed is too little to read back in: the rows before come above it, and what is in sight stays.
   */
  #fill(): void {
    this.#cancelFill();
    const drawn = this.#wanted.filter(({ seq }) => seq <= this.#drawnTo);
    const { scrollHeight } = this.#list;
    this.#draw(windowOf(drawn, undefined, ROWS));
    this.#list.scrollTop += this.#list.scrollHeight - scrollHeight;
    this.#scrollTop = this.#list.scrollTop;
  }

  get #wanted(): readonly RunEvent[] {
    const step = this.#step;
    return step === undefined ? this.#events : this.#events.filter((event) => isOf(event, step));
  }

  #showNewest(): void {
    this.#isRead = false;
    this.show(this.#events, this.#at);
    this.#list.focus();
  }
}

/** G1 */
function windowOf(events: readonly RunEvent[], at: number | undefined, rows: number): readonly RunEvent[] {
  if (at === undefined) return events.slice(-rows);
  const behind = events.findIndex(({ seq }) => seq > at);
  const middle = behind < 0 ? events.length : behind;
  const first = Math.max(0, Math.min(middle - ROWS / 2, events.length - ROWS));
  return events.slice(first, first + ROWS);
}

function isOf(event: RunEvent, step: string): boolean {
  return 'path' in event && (event.path === step || event.path.startsWith(`${step}/`));
}

function rowOf(event: RunEvent, units: Units): HTMLLIElement {
  const at = 'path' in event ? event.path : undefined;
  const { what, tone, text, path, link, samples = [] } = wordsFor(event, units(at));
  const row = element(
    'li',
    { 'data-seq': event.seq, class: event.event },
    element('span', { class: 'seq mono' }, `${event.seq}`),
    element('time', { class: 'at mono', datetime: event.at }, clockTime(Date.parse(event.at))),
    element('span', { class: `what ${tone}` }, what),
  );
  const said = element('span', { class: 'said' });
  if (path !== undefined) said.append(element('span', { class: 'path mono' }, path), ' ');
  said.append(text);
  if (link !== undefined) said.append(' ', element('a', { class: 'mono', href: addressOf(link) }, link.id));
  if (samples.length > 0) said.append(samplesOf(samples));
  row.append(said);
  return row;
}

function samplesOf(samples: readonly RunSample[]): HTMLElement {
  const list = element('ul', { class: 'samples mono' });
  for (const sample of samples)
    list.append(element('li', {}, sampleText(sample), element('span', {}, ` at ${sample.time.slice(11)}`)));
  return list;
}
