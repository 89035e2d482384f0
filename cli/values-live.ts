/**
 * `mcs values watch` in a terminal: the table in place, a heading over it and what can be done under it. It ends with q
 * or Ctrl-C, and when the service refuses; a lost connection is reported in the heading and tried again.
 *
 * W1. Changes are gathered: the table is drawn a few times a second, whatever comes in, and each second for the ages.
 */

import type { CatalogueView } from '../contract/catalogue.ts';
import type { CurrentValue } from '../contract/value.ts';
import { realClock } from '../supervision/clock.ts';
import { followOnce, pause } from './followed.ts';
import { type Key, Screen } from './screen.ts';
import type { Service } from './service.ts';
import { ValuesTable } from './values-table.ts';

export interface LiveValues {
  readonly service: Service;
  readonly target: string;
  readonly catalogue: CatalogueView;
  readonly selectors: string;
  /** Of the watch route. */
  readonly path: string;
  readonly ended: AbortController;
  readonly colour: boolean;
}

/** Ten times a second is as fast as an eye reads. */
const DRAW_MS = 100;
const TICK_MS = 1_000;
/** A service that restarts is back within seconds. */
const AGAIN_MS = 1_000;
/** Heading, its underline of names, and the last line. */
const FRAME_ROWS = 3;

/** Shows the table until it is ended; 1 when the service refuses. */
export async function showLive(live: LiveValues): Promise<number> {
  const view = new LiveView(live);
  view.open();
  let said: string | undefined;
  try {
    said = await view.follow();
  } finally {
    view.close();
  }
  if (said === undefined) return 0;
  process.stderr.write(`${said}\n`);
  return 1;
}

class LiveView {
  readonly #live: LiveValues;
  readonly #table: ValuesTable;
  readonly #screen: Screen;
  readonly #closed = new AbortController();
  #state = 'connecting';
  #first = 0;
  #isDue = false;

  constructor(live: LiveValues) {
    this.#live = live;
    this.#table = new ValuesTable(live.catalogue, live.selectors);
    this.#screen = new Screen({ key: (key) => this.#key(key), resized: () => this.#draw() });
  }

  open(): void {
    this.#screen.enter();
    this.#draw();
    void this.#tick();
  }

  close(): void {
    this.#closed.abort();
    this.#screen.leave();
  }

  /** Follows until it is ended; what the service refused, if it did. */
  async follow(): Promise<string | undefined> {
    const { service, path, ended } = this.#live;
    for (let first = true; !ended.signal.aborted; first = false) {
      const outcome = await followOnce<CurrentValue>(
        service,
        path,
        ended.signal,
        (value) => this.#take(value),
        () => this.#say('live'),
      );
      if (ended.signal.aborted) break;
      const said = outcome.kind === 'over' ? 'the service closed' : outcome.said;
      if (outcome.kind === 'refused' || (first && outcome.kind === 'lost' && !outcome.opened)) return said;
      this.#say(`${said}; trying again`);
      await pause(AGAIN_MS, ended.signal);
    }
    return undefined;
  }

  #take(value: CurrentValue): void {
    this.#table.take(value);
    this.#soon();
  }

  #say(state: string): void {
    this.#state = state.replace(/\p{Cc}/gu, ' ');
    this.#soon();
  }

  /** W1 */
  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    realClock.setTimeout(() => {
      this.#isDue = false;
      this.#draw();
    }, DRAW_MS);
  }

  async #tick(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      await pause(TICK_MS, this.#closed.signal);
      this.#draw();
    }
  }

  get #rows(): number {
    return Math.max(1, this.#screen.height - FRAME_ROWS);
  }

  #draw(): void {
    if (this.#closed.signal.aborted) return;
    const rows = this.#rows;
    this.#first = Math.max(0, Math.min(this.#first, this.#table.size - rows));
    const look = { width: this.#screen.width, colour: this.#live.colour };
    const lines = this.#table.lines(this.#first, rows, realClock.now(), look);
    const blank = Array.from({ length: rows - lines.length }, () => '');
    this.#screen.draw([this.#title(), this.#table.heading(look), ...lines, ...blank, this.#footer()]);
  }

  #title(): string {
    const { target, catalogue } = this.#live;
    const time = `${new Date(realClock.now()).toISOString().slice(11, 19)}Z`;
    const received = `${this.#table.heard} of ${this.#table.known} measures received`;
    return this.#cut([target, this.#state, time, received, catalogue.platform].join('  '));
  }

  #footer(): string {
    const last = Math.min(this.#first + this.#rows, this.#table.size);
    const shown = `${last === 0 ? 0 : this.#first + 1}-${last} of ${this.#table.size}`;
    const more = this.#table.size > this.#rows ? '  arrow and page keys scroll' : '';
    return this.#cut(`q quits${more}  ${shown}`);
  }

  #cut(line: string): string {
    const { width } = this.#screen;
    return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
  }

  #key(key: Key): void {
    if (key === 'quit') return this.#live.ended.abort();
    const moves: Readonly<Record<Exclude<Key, 'quit'>, number>> = {
      up: -1,
      down: 1,
      pageUp: -this.#rows,
      pageDown: this.#rows,
      home: -this.#table.size,
      end: this.#table.size,
    };
    this.#first += moves[key];
    this.#draw();
  }
}
