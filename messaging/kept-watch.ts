/**
 * A bucket watched for as long as a process lives, from whenever the bus can first be reached: what lists and pages are
 * made of.
 *
 * W1. Nothing is live before every entry of the beginning was seen, and nothing while the bus is away or
 *     silent: a list never leaves out what is there.
 * W2. A watch that cannot be begun is tried again: at once when the bus is connected again, and every `BUS_RETRY_MS`
 *     where there is a clock.
 */

import type { BucketDefinition } from '../contract/bus/buckets.ts';
import { BUS_RETRY_MS } from '../contract/limits/bus.ts';
import type { Bus, Entry, Stoppable, Watch } from '../ports/bus.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { busAnswers } from './bus-answers.ts';

export interface KeptWatch extends Stoppable {
  /** Whether everything stored was seen, and the bus is there (W1). */
  readonly live: boolean;
  /** Whether everything stored at the beginning was seen once. */
  readonly known: boolean;
  /** Resolves when it is known, or stopped. */
  readonly ready: Promise<void>;
}

interface WatchTools {
  readonly bus: Bus;
  readonly log: Log;
  readonly clock?: Clock;
}

type Changed = (key: string, entry: Entry | undefined) => void;

/** Watches what matches in a bucket from now on; see `Bucket.watch`. */
export function keepWatching(tools: WatchTools, bucket: BucketDefinition, changed: Changed): KeptWatch {
  return new Kept(tools, bucket, changed);
}

class Kept implements KeptWatch {
  readonly ready: Promise<void>;
  readonly #tools: WatchTools;
  readonly #bucket: BucketDefinition;
  readonly #changed: Changed;
  readonly #offConnection: () => void;
  #resolve: () => void = () => undefined;
  #known = false;
  #stopped = false;
  #starting = false;
  /** Whether it has said that it cannot begin. */
  #isSilent = false;
  #watch: Watch | undefined;
  #timer: TimerHandle | undefined;

  constructor(tools: WatchTools, bucket: BucketDefinition, changed: Changed) {
    this.#tools = tools;
    this.#bucket = bucket;
    this.#changed = changed;
    this.ready = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#offConnection = tools.bus.onConnection((connected) => {
      if (connected) void this.#start();
    });
    void this.#start();
  }

  get live(): boolean {
    return this.#known && busAnswers(this.#tools.bus);
  }

  get known(): boolean {
    return this.#known;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#offConnection();
    if (this.#timer !== undefined) this.#tools.clock?.clearTimeout(this.#timer);
    this.#resolve();
    await this.#watch?.stop();
  }

  async #start(): Promise<void> {
    const { bus, log } = this.#tools;
    if (this.#starting || this.#watch !== undefined || this.#stopped || !bus.connected) return;
    this.#starting = true;
    try {
      this.#watch = await bus.bucket(this.#bucket).watch('>', this.#changed);
      if (this.#stopped) return await this.#watch.stop();
      await this.#watch.ready;
      this.#known = true;
      this.#resolve();
    } catch (error) {
      if (!this.#isSilent) log.warn({ err: error, bucket: this.#bucket.name }, 'a bucket cannot be watched');
      this.#isSilent = true;
      this.#again();
    } finally {
      this.#starting = false;
    }
  }

  /** W2 */
  #again(): void {
    const { clock } = this.#tools;
    if (clock === undefined || this.#stopped || this.#watch !== undefined || this.#timer !== undefined)
      return;
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      void this.#start();
    }, BUS_RETRY_MS);
  }
}
