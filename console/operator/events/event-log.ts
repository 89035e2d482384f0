/**
 * The log of events as the page has it: pages of the past behind what came since.
 *
 * L1. The first page is asked for once the watch is open: nothing falls between both, and what both have is shown once.
 * L2. What comes is kept up to a bound; beyond it the first page is read again, which has it by then.
 * L4. What is shown is in order of time; pages are in the order of recording (decision 51).
 */

import type { EventPage, LogEvent, WatchedEvent } from '../../../contract/event.ts';
import { eventKey, newestFirst } from '../../../contract/event-order.ts';
import { later } from '../../browser-clock.ts';
import { Follower } from '../data/follower.ts';
import { Paged } from '../data/paged.ts';
import { type EventFilter, isAsked, isLive, questionOf, watchQuestionOf } from './event-filter.ts';

const PAGE = 200;
const LIVE_KEPT = 1_000;
const SETTLE_MS = 300;
/** No question has this text. */
const NOTHING = ' ';

/** `id` is absent until a page has it. */
export type ShownEvent = WatchedEvent & Partial<Pick<LogEvent, 'id'>>;

export class EventLog {
  readonly #changed: () => void;
  readonly past: Paged<EventPage, LogEvent>;
  #follower: Follower<WatchedEvent> | undefined;
  #key = NOTHING;
  #settle: () => void = () => undefined;
  /** Newest first. */
  #live: ShownEvent[] = [];
  #all: readonly ShownEvent[] | undefined;
  #seen: readonly LogEvent[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
    this.past = new Paged<EventPage, LogEvent>(
      ({ events }) => events,
      ({ id }) => id,
      () => this.#pageCame(),
    );
  }

  /** Whether what happens now is shown as it happens. */
  get isLive(): boolean {
    return this.#follower?.state === 'open';
  }

  /** Newest first (L4). */
  get events(): readonly ShownEvent[] {
    this.#all ??= newestFirst<ShownEvent>([...this.#live, ...this.past.rows]);
    return this.#all;
  }

  /** A little after the last change: a filter is typed letter by letter. */
  choose(filter: EventFilter): void {
    const key = `${questionOf(filter)}`;
    if (key === this.#key) return;
    const isFirst = this.#key === NOTHING;
    this.#key = key;
    this.#settle();
    if (isFirst) this.#open(filter);
    else this.#settle = later(() => this.#open(filter), SETTLE_MS);
  }

  #open(filter: EventFilter): void {
    this.#end();
    const question = questionOf(filter);
    const path = `/v1/events?limit=${PAGE}&${question}`;
    if (!isLive(filter)) return void this.past.choose(path);
    this.#follower = new Follower<WatchedEvent>({
      path: `/v1/events/watch?${watchQuestionOf(filter)}`,
      message: (event) => {
        if (isAsked(filter, event)) this.#take(event);
      },
      changed: (state) => {
        // L1; after an outage as well.
        if (state === 'open') this.#begin(path);
        this.#changed();
      },
    });
  }

  reopen(): void {
    if (this.#follower === undefined) this.past.again();
    else this.#follower.reopen();
  }

  close(): void {
    this.#end();
    this.#settle();
    this.#key = NOTHING;
  }

  #end(): void {
    this.#follower?.close();
    this.#follower = undefined;
    this.past.forget();
    this.#live = [];
    this.#all = undefined;
  }

  #begin(path: string): void {
    if (!this.past.choose(path)) this.past.again();
  }

  #take(event: WatchedEvent): void {
    this.#live.unshift(event);
    this.#all = undefined;
    // Once for so many: a flood asks no more often.
    if (this.#live.length % LIVE_KEPT === 0) this.past.again();
    if (this.#live.length > 2 * LIVE_KEPT) this.#live.length = LIVE_KEPT;
    this.#changed();
  }

  #pageCame(): void {
    this.#all = undefined;
    const { rows } = this.past;
    if (rows !== this.#seen) {
      this.#seen = rows;
      const known = new Set(rows.slice(0, LIVE_KEPT).map(eventKey));
      this.#live = this.#live.filter((event) => !known.has(eventKey(event)));
    }
    this.#changed();
  }
}
