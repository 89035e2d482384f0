/**
 * The log of events as it is followed: what the watch brings behind what the archive has, printed line by line.
 *
 * F1. The past is listed once the watch is open, at the beginning and after each loss: nothing falls between both, and
 *     what both have is printed once. What the watch alone brings is printed as often as it brings it.
 * F2. What the watch brings waits until the past is printed, but for a few seconds alone: an archive that is behind
 *     keeps nothing back that happens now.
 * F3. What may be missing is said.
 */

import type { WatchedEvent } from '../contract/event.ts';
import { eventKey, newestFirst } from '../contract/event-order.ts';
import type { ListedPages } from './log-pages.ts';
import { printable } from './printable.ts';

/** How long the past is waited for (F2). */
const CATCH_UP_MS = 5_000;
const AGAIN_MS = 250;
/** A connection may have been gone for so long before anybody noticed, and what is recorded may be late. */
const UNNOTICED_MS = 2 * 60_000;
/** Events that are remembered as printed. */
const REMEMBERED = 20_000;

type Listed = ListedPages<WatchedEvent>;

export interface EventFollowOptions {
  /** ms since 1970. */
  now(): number;
  /** Waits, or until the command ends. */
  pause(ms: number): Promise<void>;
  /** What there is, or what happened since then; undefined where the service refuses, which it has said. */
  list(since: string | undefined): Promise<Listed | undefined>;
  show(event: WatchedEvent): void;
  /** A line beside the events. */
  say(line: string): void;
  /** The first list was refused: nothing is followed. */
  refused(): void;
}

export class EventFollow {
  readonly #options: EventFollowOptions;
  readonly #printed = new Set<string>();
  /** What has come while the past is listed (F2). */
  #waiting: WatchedEvent[] | undefined = [];
  /** How often the watch was opened. */
  #opened = 0;
  /** When the watch was lost, until what happened behind that is printed; ISO 8601. */
  #lostAt: string | undefined;
  #isOpen = false;

  constructor(options: EventFollowOptions) {
    this.#options = options;
  }

  received(event: WatchedEvent): void {
    if (this.#waiting === undefined) this.#print(event);
    else this.#waiting.push(event);
  }

  lost(said: string): void {
    this.#isOpen = false;
    if (this.#lostAt === undefined) this.#options.say(`-- ${printable(said)}; trying again`);
    this.#lostAt ??= new Date(this.#options.now()).toISOString();
  }

  /** Resolves when the past is printed, or was not to be had in time. */
  async opened(): Promise<void> {
    const [count, lostAt] = [this.#opened + 1, this.#lostAt];
    this.#opened = count;
    this.#isOpen = true;
    this.#waiting ??= [];
    if (lostAt !== undefined) this.#options.say('-- connected again');
    const past = await this.#past(lostAt);
    // Lost and opened again meanwhile: that one lists more.
    if (count !== this.#opened) return;
    if (past === 'refused' && count === 1) return this.#options.refused();
    this.#printAll(typeof past === 'string' ? [] : past.items);
    // Lost again meanwhile: what happened behind the first loss is listed once more.
    if (!this.#isOpen) return;
    this.#lostAt = undefined;
    this.#saidOf(past, lostAt);
  }

  #printAll(past: readonly WatchedEvent[]): void {
    for (const event of newestFirst(past).reverse())
      if (!this.#printed.has(eventKey(event))) this.#print(event);
    const listed = new Set(past.map(eventKey));
    for (const event of this.#waiting ?? []) if (!listed.has(eventKey(event))) this.#print(event);
    this.#waiting = undefined;
  }

  /** F3 */
  #saidOf(past: Listed | 'refused' | 'late', lostAt: string | undefined): void {
    const said = typeof past === 'string' ? [] : past.said;
    for (const line of said) this.#options.say(line);
    const isWhole = typeof past !== 'string' && said.length === 0;
    if (lostAt === undefined) {
      if (past === 'late') this.#options.say('the archive does not answer: what happened before is missing');
    } else if (!isWhole || past.more)
      this.#options.say(`-- some of what happened meanwhile may be missing: mcs events --from ${lostAt}`);
  }

  /** When it has all there is, or as it is when the time is over (F2). */
  async #past(lostAt: string | undefined): Promise<Listed | 'refused' | 'late'> {
    const { pause, list } = this.#options;
    const since = lostAt && new Date(Date.parse(lostAt) - UNNOTICED_MS).toISOString();
    let isLate = false;
    const late = pause(CATCH_UP_MS).then((): 'late' => {
      isLate = true;
      return 'late';
    });
    let last: Listed | undefined;
    for (;;) {
      const listed = await Promise.race([list(since), late]);
      if (listed === 'late') return last ?? 'late';
      if (listed === undefined) return last ?? 'refused';
      if (listed.pending === 0 || isLate) return listed;
      last = listed;
      await pause(AGAIN_MS);
    }
  }

  #print(event: WatchedEvent): void {
    this.#printed.add(eventKey(event));
    for (const oldest of this.#printed) {
      if (this.#printed.size <= REMEMBERED) break;
      this.#printed.delete(oldest);
    }
    this.#options.show(event);
  }
}
