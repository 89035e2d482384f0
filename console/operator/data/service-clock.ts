/**
 * The time of the service, from the header `Date` of its answers: ages and countdowns do not depend on the clock of
 * the browser. Pure.
 *
 * C1. A header has whole seconds, cut off, and is older than its arrival: each is a lower bound of the difference
 *     of the clocks, and the largest of the last `KEPT` is within the shortest way of an answer.
 */

const KEPT = 64;

export class ServiceClock {
  readonly #browser: () => number;
  readonly #bounds: number[] = [];
  #aheadMs = 0;

  /** `browser`: its time, ms since 1970. */
  constructor(browser: () => number) {
    this.#browser = browser;
  }

  /** `dateHeader` of an answer that arrived at `arrivedAt`, ms of the browser. */
  take(dateHeader: string | null, arrivedAt: number): void {
    const said = Date.parse(dateHeader ?? '');
    if (Number.isNaN(said)) return;
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
