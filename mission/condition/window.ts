/**
 * The samples of one measure over the last stretch of ground time, for `avg min max rate delta count`. Mission Control
 * Service, section 4.4 (history).
 *
 * W1. A sample is inside until `at + length`, when it is outside.
 * W2. Samples are ordered by time, whatever the order they came in; of equal times the later one fed is the later.
 * W3. At most `WINDOW_SAMPLES` are kept; beyond that the oldest are forgotten.
 * W4. The mean does not depend on when it was asked for: sums are exact, and where they cannot be, they are recreated.
 */

import { ExactSum } from './exact-sum.ts';
import { Extreme } from './extreme.ts';

/** A day of 1 Hz samples with room to spare; 2 MiB of memory at most. */
export const WINDOW_SAMPLES = 131_072;
const FIRST_CAPACITY = 16;

export class Window {
  readonly #lengthMs: number;
  #times = new Float64Array(FIRST_CAPACITY);
  #values = new Float64Array(FIRST_CAPACITY);
  /** Samples ever forgotten: the index of the oldest kept, counted from the first ever. */
  #first = 0;
  #end = 0;
  /** Infinite when there is none. */
  #baselineAt = Number.POSITIVE_INFINITY;
  #baseline = Number.NaN;
  readonly #sum = new ExactSum();
  readonly #smallest = new Extreme(1);
  readonly #largest = new Extreme(-1);

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  /** A value known before the first sample (see `prime`): `delta` and `rate` start from it while it is inside. */
  begin(value: number, at: number): void {
    this.#baseline = value;
    this.#baselineAt = at;
  }

  insert(value: number, at: number): void {
    if (this.count === WINDOW_SAMPLES) this.#forget();
    if (this.count === this.#times.length) this.#grow();
    this.#end += 1;
    let place = this.#end - 1;
    while (place > this.#first && this.#timeAt(place - 1) > at) {
      this.#put(place, this.#timeAt(place - 1), this.#valueAt(place - 1));
      place -= 1;
    }
    this.#put(place, at, value);
    this.#sum.add(value);
    if (place === this.#end - 1) this.#pushExtremes(place, value);
    else this.#rebuildExtremes();
  }

  /** Forgets what is outside at `now` (W1). */
  expire(now: number): void {
    while (this.#first < this.#end && this.#timeAt(this.#first) + this.#lengthMs <= now) this.#forget();
    if (this.#baselineAt + this.#lengthMs <= now) this.#baselineAt = Number.POSITIVE_INFINITY;
  }

  /** When the oldest sample leaves; infinite when there is none. */
  get expiry(): number {
    const oldest = this.count > 0 ? this.#timeAt(this.#first) : Number.POSITIVE_INFINITY;
    return Math.min(this.#baselineAt, oldest) + this.#lengthMs;
  }

  get count(): number {
    return this.#end - this.#first;
  }

  /** NaN when empty, as are `min` and `max`. */
  get mean(): number {
    if (this.count === 0) return Number.NaN;
    if (!this.#sum.exact) this.#resum();
    return this.#sum.dividedBy(this.count);
  }

  get min(): number {
    return this.count === 0 ? Number.NaN : this.#valueAt(this.#smallest.index);
  }

  get max(): number {
    return this.count === 0 ? Number.NaN : this.#valueAt(this.#largest.index);
  }

  /** Last less first; NaN unless there are two. */
  get delta(): number {
    if (this.count === 0) return Number.NaN;
    const last = this.#valueAt(this.#end - 1);
    if (this.#hasBaseline) return last - this.#baseline;
    return this.count < 2 ? Number.NaN : last - this.#valueAt(this.#first);
  }

  /** `delta` per second; NaN unless there are two samples of different times. */
  get rate(): number {
    if (this.count === 0) return Number.NaN;
    const from = this.#hasBaseline ? this.#baselineAt : this.#timeAt(this.#first);
    const seconds = (this.#timeAt(this.#end - 1) - from) / 1000;
    return seconds > 0 ? this.delta / seconds : Number.NaN;
  }

  get #hasBaseline(): boolean {
    return this.#baselineAt <= this.#timeAt(this.#first);
  }

  #forget(): void {
    this.#sum.subtract(this.#valueAt(this.#first));
    this.#first += 1;
    this.#smallest.forgetBefore(this.#first);
    this.#largest.forgetBefore(this.#first);
  }

  #pushExtremes(index: number, value: number): void {
    this.#smallest.push(index, value);
    this.#largest.push(index, value);
  }

  #rebuildExtremes(): void {
    this.#smallest.clear();
    this.#largest.clear();
    for (let index = this.#first; index < this.#end; index += 1)
      this.#pushExtremes(index, this.#valueAt(index));
  }

  #resum(): void {
    const values = new Float64Array(this.count);
    for (let at = 0; at < values.length; at += 1) values[at] = this.#valueAt(this.#first + at);
    this.#sum.take(values);
  }

  #timeAt(index: number): number {
    return this.#times[index & (this.#times.length - 1)]!;
  }

  #valueAt(index: number): number {
    return this.#values[index & (this.#values.length - 1)]!;
  }

  #put(index: number, at: number, value: number): void {
    this.#times[index & (this.#times.length - 1)] = at;
    this.#values[index & (this.#values.length - 1)] = value;
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2);
    const values = new Float64Array(times.length);
    for (let index = this.#first; index < this.#end; index += 1) {
      times[index & (times.length - 1)] = this.#timeAt(index);
      values[index & (times.length - 1)] = this.#valueAt(index);
    }
    this.#times = times;
    this.#values = values;
  }
}
