/**
 * The time of the service, from the header `Date` of its answers: ages and countdowns do not depend on the clock of
 * the browser. Pure.
 *
 * C1. A header has whole seconds, cut off, and is older than its arrival: each is a lower bound of the difference
 *     of the clocks, and the largest of the last `KEPT` is within the shortest way of an answer.
 * C2. An answer is also an upper bound: a bound above it is of before one of the clocks was set, and counts no more.
 */

const KEPT = 64;
/** A header may be older than its answer by its resolution, and by the second for which a service keeps it. */
const OLDEST_HEADER_MS = 3_000;

export class ServiceClock {
  readonly #browser: () => number;
  #bounds: number[] = [];
  #aheadMs = 0;

  /** `browser`: its time, ms since 1970. */
  constructor(browser: () => number) {
    this.#browser = browser;
  }

  /** `dateHeader` of an answer that was asked for at `askedAt` and arrived at `arrivedAt`, ms of the browser. */
  take(dateHeader: string | null, askedAt: number, arrivedAt: number): void {
    const said = Date.parse(dateHeader ?? '');
    if (Number.isNaN(said)) return;
    const most = said + OLDEST_HEADER_MS - askedAt;
    this.#bounds = this.#bounds.filter((bound) => bound <= most);
    this.#bounds.push(said - arrivedAt);
    if (this.#bounds.length > KEPT) this.#bounds.shift();
    const bound = Math.max(...this.#bounds);
    // Below the resolution of the header the clocks agree.
    this.#aheadMs = bound <= 0 && bound > -1_500 ? 0 : bound;
  }

  /** ms since 1970, as the service has it. */
  now(): number {
    return this.#browser() + this.#aheadMs;
  }
}
