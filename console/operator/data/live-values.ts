/**
 * The current values of one target, kept current by the watch, with the last samples of each measure for its spark
 * line.
 *
 * V1. A message costs one look-up and one write: what is drawn is decided when it is drawn.
 * V3. The service decides which sample is the current one: one that is reported again is left out, and not one that
 *     only has the times of the one before.
 * V2. Of each measure `SPARK` samples are kept for its line, and `TAIL` where it is plotted.
 */

import type { CurrentValue, Sample } from '../../../contract/value.ts';
import { Follower } from './follower.ts';
import { type LiveValue, measureName, numberOf } from './live-value.ts';

const SPARK = 40;
const TAIL = 4_000;

export class LiveValues {
  readonly target: string;
  readonly byName = new Map<string, LiveValue>();
  /** When the last real-time sample of each link was received on the ground, ms since 1970. */
  readonly linkAt = new Map<string, number>();
  /** Samples of each link since the page follows the target. */
  readonly linkCount = new Map<string, number>();
  readonly #changed: () => void;
  readonly #follower: Follower<CurrentValue>;
  #plotted: ReadonlySet<string> = new Set();
  /** Counts samples: what was drawn of an older one is drawn again. */
  version = 0;

  constructor(target: string, changed: () => void) {
    this.target = target;
    this.#changed = changed;
    this.#follower = new Follower<CurrentValue>({
      path: `/v1/targets/${encodeURIComponent(target)}/values/watch`,
      message: (value) => this.#take(value),
      changed: () => this.#changed(),
    });
  }

  get isLive(): boolean {
    return this.#follower.state === 'open';
  }

  reopen(): void {
    this.#follower.reopen();
  }

  close(): void {
    this.#follower.close();
  }

  /** Whose samples are kept from now on. */
  plot(names: readonly string[]): void {
    this.#plotted = new Set(names);
    for (const [name, value] of this.byName) {
      if (!this.#plotted.has(name)) value.tail = undefined;
      else value.tail ??= { times: [], values: [] };
    }
  }

  #take({ component, instance, measure, sample }: CurrentValue): void {
    const name = measureName(component, instance, measure);
    const groundAt = Date.parse(sample.ground_time);
    const known = this.byName.get(name);
    if (known === undefined) this.byName.set(name, this.#entry(name, sample, groundAt));
    else if (isRepeated(known, sample, groundAt)) return;
    else this.#update(known, sample, groundAt);
    this.version += 1;
    if (sample.link !== undefined)
      this.linkCount.set(sample.link, (this.linkCount.get(sample.link) ?? 0) + 1);
    if (
      sample.link !== undefined &&
      sample.delivery === 'realtime' &&
      groundAt > (this.linkAt.get(sample.link) ?? 0)
    )
      this.linkAt.set(sample.link, groundAt);
    this.#changed();
  }

  #entry(name: string, sample: Sample, groundAt: number): LiveValue {
    const number = numberOf(sample.value);
    const tail = this.#plotted.has(name) ? { times: [], values: [] } : undefined;
    return { name, sample, groundAt, spark: number === undefined ? [] : [number], tail };
  }

  /** V2 */
  #update(known: LiveValue, sample: Sample, groundAt: number): void {
    known.sample = sample;
    known.groundAt = groundAt;
    const number = numberOf(sample.value);
    if (number === undefined) return;
    known.spark.push(number);
    if (known.spark.length > SPARK) known.spark.shift();
    const { tail } = known;
    if (tail === undefined) return;
    tail.times.push(Date.parse(sample.time) / 1000);
    tail.values.push(number);
    if (tail.times.length <= TAIL) return;
    tail.times.splice(0, TAIL / 4);
    tail.values.splice(0, TAIL / 4);
  }
}

/** V3 */
function isRepeated(known: LiveValue, sample: Sample, groundAt: number): boolean {
  if (known.sample.time !== sample.time || known.groundAt !== groundAt) return false;
  return JSON.stringify(known.sample) === JSON.stringify(sample);
}
