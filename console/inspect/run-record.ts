/**
 * The events of one run as they came, each once and in order, and the picture of any moment of them. Pure.
 *
 * K1. An event that was there before is skipped: a log that is followed again begins at its beginning.
 * K2. At most `KEPT` events are kept; what is older lives on in the pictures.
 */

import type { RunEvent } from '../../contract/run-event.ts';
import { RunPicture } from './run-picture.ts';

/** About 10 MB of the longest run anybody looks at. */
const KEPT = 20_000;
/** Dropped at once, so that dropping costs little. */
const DROPPED = 4_000;

export class RunRecord {
  readonly live = new RunPicture();
  #events: RunEvent[] = [];
  /** What the events that are no longer kept amount to. */
  #before = new RunPicture();
  /** The moment asked for last: the next one is mostly a little later. */
  #shown = new RunPicture();

  /** Oldest first. */
  get events(): readonly RunEvent[] {
    return this.#events;
  }

  /** Whether the event is a new one (K1). */
  take(event: RunEvent): boolean {
    if (event.seq <= this.live.seq) return false;
    this.live.take(event);
    this.#events.push(event);
    if (this.#events.length > KEPT) this.#drop();
    return true;
  }

  /** The picture behind event `seq`, or behind the first one that is kept if that is later. */
  at(seq: number): RunPicture {
    if (seq >= this.live.seq) return this.live;
    if (this.#shown.seq > seq || this.#shown.seq < this.#before.seq) this.#shown = this.#before.copy();
    for (const event of this.#events.slice(this.#shown.seq - this.#before.seq)) {
      if (event.seq > seq) break;
      this.#shown.take(event);
    }
    return this.#shown;
  }

  /** K2 */
  #drop(): void {
    for (const event of this.#events.slice(0, DROPPED)) this.#before.take(event);
    this.#events = this.#events.slice(DROPPED);
  }
}
