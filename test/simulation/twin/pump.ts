/**
 * Hands what waits to one handler, one at a time: what followers and watches are made of. The queue stands on the side
 * of the server: a break of the connection loses nothing of it and repeats nothing.
 *
 * M1. The next is handed over when the handler has resolved; a rejection hands the same one over again, later each
 *     time.
 * M2. Nothing is handed over once stopped, also from inside the handler, nor while the connection is broken.
 */

import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import type { Wire } from './wire.ts';

interface Waiting<Item> {
  readonly item: Item;
  readonly mark?: undefined;
}

interface Mark {
  readonly mark: () => void;
}

const REPEAT_FIRST_MS = 50;
const REPEAT_LONGEST_MS = 5_000;

export class Pump<Item> {
  readonly #wire: Wire;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #handle: (item: Item, pending: number) => void | Promise<void>;
  readonly #forget: () => void;
  #queue: (Waiting<Item> | Mark)[] = [];
  #items = 0;
  #running = false;
  #kicked = false;
  #stopped = false;

  constructor(
    wire: Wire,
    clock: Clock,
    log: Log,
    handle: (item: Item, pending: number) => void | Promise<void>,
  ) {
    this.#wire = wire;
    this.#clock = clock;
    this.#log = log;
    this.#handle = handle;
    this.#forget = wire.onChange((connected) => {
      this.#kicked = false;
      if (connected) this.#kick();
    });
  }

  push(item: Item): void {
    this.#queue.push({ item });
    this.#items += 1;
    this.#kick();
  }

  /** Takes out what waits and is not being handled, where it matches. */
  drop(matches: (item: Item) => boolean): void {
    const first = this.#running ? this.#queue[0] : undefined;
    this.#queue = this.#queue.filter(
      (each) => each === first || each.mark !== undefined || !matches(each.item),
    );
    this.#items = this.#queue.filter((each) => each.mark === undefined).length;
  }

  /** Takes out everything that waits and is not being handled, marks too. */
  clear(): void {
    const first = this.#running ? this.#queue[0] : undefined;
    this.#queue = first === undefined ? [] : [first];
    this.#items = first === undefined || first.mark !== undefined ? 0 : 1;
  }

  /** Calls back when everything pushed so far is handled. */
  mark(reached: () => void): void {
    this.#queue.push({ mark: reached });
    this.#kick();
  }

  stop(): void {
    this.#stopped = true;
    this.#forget();
    this.#queue = [];
  }

  #kick(): void {
    if (this.#kicked || this.#running || this.#stopped || !this.#wire.connected) return;
    this.#kicked = true;
    this.#wire.pull(() => {
      this.#kicked = false;
      if (!this.#running) void this.#run();
    });
  }

  get #goesOn(): boolean {
    return !this.#stopped && this.#wire.connected && this.#wire.alive;
  }

  async #run(): Promise<void> {
    this.#running = true;
    let round = 0;
    for (let next = this.#queue[0]; next !== undefined && this.#goesOn; next = this.#queue[0]) {
      if (next.mark !== undefined) next.mark();
      else if (!(await this.#hand(next.item))) {
        await this.#pause(Math.min(REPEAT_FIRST_MS * 2 ** round, REPEAT_LONGEST_MS));
        round += 1;
        continue;
      } else this.#items -= 1;
      round = 0;
      if (!this.#stopped) this.#queue.shift();
    }
    this.#running = false;
    if (this.#queue.length > 0) this.#kick();
  }

  /** Whether it was handled. */
  async #hand(item: Item): Promise<boolean> {
    try {
      const taking = this.#handle(item, this.#items - 1);
      if (taking !== undefined) await taking;
      return true;
    } catch (error) {
      this.#log.error({ err: error }, 'handler of a message failed');
      return false;
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimeout(resolve, ms));
  }
}
