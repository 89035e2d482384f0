/**
 * A watch route as a table in a terminal: the table in place, a heading over it and what can be done under it. It ends
 * with q or Ctrl-C, and when the service refuses; a lost connection is reported in the heading and tried again.
 *
 * W1. Changes are gathered: the table is drawn a few times a second, whatever comes in, and each second for the ages.
 */

import { realClock } from '../supervision/clock.ts';
import { followAgain, pause } from './followed.ts';
import { printable } from './printable.ts';
import { type Key, Screen } from './screen.ts';
import type { Service } from './service.ts';

export interface TableLook {
  readonly width: number;
  readonly colour: boolean;
}

export interface LiveTable<Event> {
  /** Rows there are. */
  readonly size: number;
  take(event: Event): void;
  /** The route begins again with everything there is. */
  restarted?(): void;
  /** Before each drawing. */
  advanceTo?(now: number): void;
  heading(look: TableLook): string;
  /** The lines of `count` rows from `first`. */
  lines(first: number, count: number, now: number, look: TableLook): string[];
}

export interface Live<Event> {
  readonly service: Service;
  /** Of the watch route. */
  readonly path: string;
  readonly ended: AbortController;
  readonly colour: boolean;
  readonly table: LiveTable<Event>;
  /** The first line; `state` is how the connection is. */
  title(state: string, now: number): string;
  /** What the last line says beside the keys. */
  remark?(look: TableLook): string;
}

/** Ten times a second is as fast as an eye reads. */
const DRAW_MS = 100;
const TICK_MS = 1_000;
/** Heading, its underline of names, and the last line. */
const FRAME_ROWS = 3;

/** Shows the table until it is ended; 1 when the service refuses. */
export async function showLive<Event>(live: Live<Event>): Promise<number> {
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

class LiveView<Event> {
  readonly #live: Live<Event>;
  readonly #screen: Screen;
  readonly #closed = new AbortController();
  #state = 'connecting';
  #first = 0;
  #isDue = false;

  constructor(live: Live<Event>) {
    this.#live = live;
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
  follow(): Promise<string | undefined> {
    const { service, path, ended, table } = this.#live;
    return followAgain<Event>(service, path, ended.signal, {
      received: (event) => {
        table.take(event);
        this.#soon();
      },
      opened: () => {
        table.restarted?.();
        this.#say('live');
      },
      lost: (said) => this.#say(`${said}; trying again`),
    });
  }

  #say(state: string): void {
    this.#state = printable(state);
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
    const { table, colour, title } = this.#live;
    const now = realClock.now();
    table.advanceTo?.(now);
    const rows = this.#rows;
    this.#first = Math.max(0, Math.min(this.#first, table.size - rows));
    const look = { width: this.#screen.width, colour };
    const lines = table.lines(this.#first, rows, now, look);
    const blank = Array.from({ length: rows - lines.length }, () => '');
    const first = this.#cut(title(this.#state, now));
    this.#screen.draw([first, table.heading(look), ...lines, ...blank, this.#footer(look)]);
  }

  #footer(look: TableLook): string {
    const { size } = this.#live.table;
    const last = Math.min(this.#first + this.#rows, size);
    const shown = `${last === 0 ? 0 : this.#first + 1}-${last} of ${size}`;
    const words = [
      'q quits',
      ...(size > this.#rows ? ['arrow and page keys scroll'] : []),
      shown,
      this.#live.remark?.(look) ?? '',
    ];
    return this.#cut(words.join('  ').trimEnd());
  }

  #cut(line: string): string {
    const { width } = this.#screen;
    return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
  }

  #key(key: Key): void {
    if (key === 'quit') return this.#live.ended.abort();
    const { size } = this.#live.table;
    const moves: Readonly<Record<Exclude<Key, 'quit'>, number>> = {
      up: -1,
      down: 1,
      pageUp: -this.#rows,
      pageDown: this.#rows,
      home: -size,
      end: size,
    };
    this.#first += moves[key];
    this.#draw();
  }
}
