/** How many samples of each link arrive in a second, from counts that only grow. Pure but for what it remembers. */

const SPAN_MS = 10_000;
const LEAST_MS = 2_000;

export interface Arrivals {
  readonly linkCount: ReadonlyMap<string, number>;
}

interface Look {
  readonly at: number;
  readonly counts: ReadonlyMap<string, number>;
}

export class ArrivalRates {
  #of: Arrivals | undefined;
  #looks: Look[] = [];

  /** Called at each drawing; another target begins again. */
  look(arrivals: Arrivals | undefined, at: number): void {
    if (arrivals !== this.#of) this.#looks = [];
    this.#of = arrivals;
    const last = this.#looks.at(-1);
    if (arrivals === undefined || (last !== undefined && at - last.at < LEAST_MS / 2)) return;
    this.#looks.push({ at, counts: new Map(arrivals.linkCount) });
    while (this.#looks.length > 2 && at - this.#looks[1]!.at >= SPAN_MS) this.#looks.shift();
  }

  /** Per second over the last ten; undefined before two seconds are counted. */
  of(link: string): number | undefined {
    const [first, last] = [this.#looks[0], this.#looks.at(-1)];
    if (first === undefined || last === undefined || last.at - first.at < LEAST_MS) return undefined;
    const came = (last.counts.get(link) ?? 0) - (first.counts.get(link) ?? 0);
    return (came * 1_000) / (last.at - first.at);
  }

  forget(): void {
    this.#looks = [];
  }
}
