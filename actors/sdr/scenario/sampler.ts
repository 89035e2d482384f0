/**
 * Reads metrics of the board at the interval of a scenario. RF Bench Service, section 2 (metric samples).
 *
 * M1. What is kept is bounded: when there is too much, every other look is dropped, of the past and from then on, so
 *     that the whole run stays covered evenly. The first look and the last are kept.
 * M2. One look at a time: a board that is slow is looked at less often, not twice at once.
 */

import type { MetricName } from '../../../contract/bench/metric.ts';
import type { MetricSample, Scenario } from '../../../contract/bench/scenario.ts';
import { BENCH_SAMPLES_KEPT } from '../../../contract/limits/bench.ts';
import { pause } from '../../../messaging/pause.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { BoardUser } from '../radio/board-user.ts';

interface SamplerOptions {
  readonly board: BoardUser;
  readonly clock: Clock;
  readonly sampler: NonNullable<Scenario['sampler']>;
  readonly elapsed: () => number;
  /** Called each time that samples are dropped, with how many looks one of those kept stands for. */
  readonly thinned: (every: number) => void;
}

type Look = readonly MetricSample[];

export class Sampler {
  readonly #options: SamplerOptions;
  readonly #stopping = new AbortController();
  #looks: Look[] = [];
  #every = 1;
  #count = 0;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: SamplerOptions) {
    this.#options = options;
  }

  /** Of every look that is kept, in order of time. */
  get samples(): MetricSample[] {
    return this.#looks.flat();
  }

  /** Nominal, whatever was dropped. */
  get intervalMs(): number {
    return this.#options.sampler.interval_ms;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Takes a last look, so that what the last step did is seen, and ends. */
  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort('stopped');
    await this.#loop;
    this.#keep(await this.#look());
  }

  /** Ends without a last look. */
  leave(): void {
    this.#stopping.abort('stopped');
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { clock, sampler, elapsed } = this.#options;
    while (!signal.aborted) {
      const begun = elapsed();
      if (this.#count % this.#every === 0) this.#keep(await this.#look());
      this.#count += 1;
      await pause(clock, sampler.interval_ms - (elapsed() - begun), signal);
    }
  }

  async #look(): Promise<Look> {
    const { board, sampler, elapsed } = this.#options;
    const names = sampler.metrics as MetricName[];
    const values = await board.sample(names);
    const { source } = board;
    if (source === undefined) return [];
    const at = elapsed();
    return names.map((name) => ({ elapsed_ms: at, name, value: values[name] ?? null, source }));
  }

  #keep(look: Look): void {
    if (look.length === 0) return;
    this.#looks.push(look);
    while (this.#looks.length > 2 && this.#looks.length * look.length > BENCH_SAMPLES_KEPT) {
      this.#looks = everyOther(this.#looks);
      this.#every *= 2;
      this.#options.thinned(this.#every);
    }
  }
}

/** Every other one, the first and the last in any case. */
export function everyOther<Item>(items: readonly Item[]): Item[] {
  return items.filter((_, index) => index % 2 === 0 || index === items.length - 1);
}
