/**
 * The first so many samples behind a cursor, whatever order they come in.
 *
 * C1. What is kept is at most a few pages: once a page is full, `horizon` says from which time on nothing is wanted.
 */

import type { Cursor, HistorySample } from '../contract/history.ts';

export class SampleCollector {
  readonly #cursor: Cursor | undefined;
  readonly #most: number;
  readonly #limit: number;
  #samples: HistorySample[] = [];
  #horizon = Number.POSITIVE_INFINITY;

  constructor(cursor: Cursor | undefined, limit: number) {
    this.#cursor = cursor;
    this.#limit = limit;
    // One more than the page tells that there is another.
    this.#most = limit + 1 + (cursor?.given ?? 0);
  }

  /** Samples of a later time are not wanted. */
  get horizon(): number {
    return this.#horizon;
  }

  wants(time: number, position: number): boolean {
    const cursor = this.#cursor;
    if (time > this.#horizon) return false;
    return (
      cursor === undefined || time > cursor.time || (time === cursor.time && position >= cursor.position)
    );
  }

  add(sample: HistorySample): void {
    this.#samples.push(sample);
    if (this.#samples.length >= 2 * this.#most + 1_000) this.#cut();
  }

  /** Those kept so far, in order; they are one more than the page where there are more. */
  taken(): HistorySample[] {
    this.#cut();
    return this.#samples;
  }

  page(): { samples: HistorySample[]; next?: Cursor } {
    const all = this.taken();
    const { time, position, given } = this.#cursor ?? { time: Number.NaN, position: 0, given: 0 };
    let skipped = 0;
    while (skipped < given && all[skipped]?.time === time && all[skipped]!.position === position)
      skipped += 1;
    const samples = all.slice(skipped, skipped + this.#limit);
    const last = samples.at(-1);
    if (last === undefined || all.length <= skipped + this.#limit) return { samples };
    const same = (sample: HistorySample): boolean =>
      sample.time === last.time && sample.position === last.position;
    const before = last.time === time && last.position === position ? skipped : 0;
    return {
      samples,
      next: { time: last.time, position: last.position, given: before + samples.filter(same).length },
    };
  }

  #cut(): void {
    this.#samples.sort(inOrder);
    if (this.#samples.length < this.#most) return;
    this.#samples.length = this.#most;
    this.#horizon = this.#samples.at(-1)!.time;
  }
}

/** Stable: samples of one measure at one time and position stay in the order of their message. */
function inOrder(one: HistorySample, other: HistorySample): number {
  return one.time - other.time || one.position - other.position || one.measure - other.measure;
}
