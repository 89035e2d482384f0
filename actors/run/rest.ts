/**
 * Whether a run is at rest, suspended or over, as its log says. Mission Control Service, section 3.2. It follows the
 * log from where it looked last, so that looking often costs little.
 *
 * Z1. A suspension lasts until it is continued or the run is over: what is logged meanwhile (an answer that is refused,
 *     another owner, a fault that is switched) ends nothing.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { Bus } from '../../ports/bus.ts';
import { readLogged, readRunLog } from './run-log.ts';

/** These are written whether a run is suspended or not: only what stands before them says which. */
const SAYS_NOTHING: ReadonlySet<RunEvent['event']> = new Set(['answer_refused', 'taken_over', 'logged']);

export class RunRest {
  readonly #bus: Bus;
  readonly #run: string;
  #position = 0;
  #isAtRest = false;

  constructor(bus: Bus, run: string) {
    this.#bus = bus;
    this.#run = run;
  }

  /** Throws `Outage`. */
  async now(): Promise<boolean> {
    const last = await this.#bus.last(streams.runs, subject.runEvents(this.#run));
    if (last === undefined || last.seq === this.#position) return this.#isAtRest;
    // Of a store that was put back nothing that was read counts.
    if (last.seq < this.#position) this.#position = 0;
    const event = readLogged(last)?.event;
    const saysNothing = event === undefined || SAYS_NOTHING.has(event.event);
    this.#isAtRest = saysNothing ? await this.#lookBack() : isRest(event);
    this.#position = last.seq;
    return this.#isAtRest;
  }

  /** What the events say that came since the last look. */
  async #lookBack(): Promise<boolean> {
    const later = await readRunLog(this.#bus, this.#run, this.#position + 1);
    const telling = later.findLast(({ event }) => !SAYS_NOTHING.has(event.event));
    return telling === undefined ? this.#isAtRest : isRest(telling.event);
  }
}

function isRest({ event }: RunEvent): boolean {
  return event === 'suspended' || event === 'finished';
}
