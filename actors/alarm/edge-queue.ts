/**
 * What has changed in the alarms of one target and is not recorded yet. Part of the alarm service.
 *
 * Q1. Changes of one alarm are recorded in their order, one at a time; those of different alarms side by side.
 * Q2. As many at the same time as there are slots, and no more: a storm fills no inbox, and a command of a person to
 *     any alarm finds its cell free.
 */

import type { Slots } from './slots.ts';

interface EdgeQueueOptions<Edge> {
  /** Alarms recorded at the same time, shared with other queues. */
  readonly slots: Slots;
  /** Waiting ones from which on there is no room. */
  readonly waiting: number;
  /** Resolves when it is recorded. */
  readonly record: (key: string, edge: Edge) => Promise<void>;
  readonly failed: (error: unknown) => void;
}

interface Waiting<Edge> {
  readonly edge: Edge;
  readonly done: () => void;
}

export class EdgeQueue<Edge> {
  readonly #options: EdgeQueueOptions<Edge>;
  readonly #byAlarm = new Map<string, Waiting<Edge>[]>();
  /** Alarms with something to record and nothing under way, in the order they came. */
  #ready: string[] = [];
  #size = 0;
  #stopped = false;
  #roomMade: (() => void)[] = [];
  readonly #recording = new Set<Promise<void>>();
  readonly #slotFreed = (): void => this.#start();

  constructor(options: EdgeQueueOptions<Edge>) {
    this.#options = options;
  }

  put(key: string, edge: Edge, done: () => void): void {
    const waiting = this.#byAlarm.get(key);
    this.#size += 1;
    if (waiting !== undefined) {
      waiting.push({ edge, done });
      return;
    }
    this.#byAlarm.set(key, [{ edge, done }]);
    this.#ready.push(key);
    this.#start();
  }

  /** Alarms with changes not recorded yet. */
  get keys(): string[] {
    return [...this.#byAlarm.keys()];
  }

  /** Changes not recorded yet. */
  get size(): number {
    return this.#size;
  }

  /** Resolves when fewer wait than are too many; undefined when there is room now. */
  room(): Promise<void> | undefined {
    if (this.#stopped || this.#size < this.#options.waiting) return undefined;
    return new Promise((resolve) => this.#roomMade.push(resolve));
  }

  /** Begins nothing more; resolves when what was begun has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    await Promise.allSettled([...this.#recording]);
  }

  #start(): void {
    const { slots } = this.#options;
    while (!this.#stopped && this.#ready.length > 0 && slots.take(this.#slotFreed)) {
      const recording = this.#recordNext(this.#ready.shift()!);
      this.#recording.add(recording);
      void recording.finally(() => this.#ended(recording));
    }
  }

  #ended(recording: Promise<void>): void {
    this.#recording.delete(recording);
    this.#options.slots.give();
    this.#start();
  }

  /**
   * The oldest change of one alarm; the others of it line up again behind it, so that no alarm keeps the rest waiting.
   */
  async #recordNext(key: string): Promise<void> {
    const waiting = this.#byAlarm.get(key)!;
    const { edge, done } = waiting[0]!;
    try {
      await this.#options.record(key, edge);
    } catch (error) {
      return this.#options.failed(error);
    }
    if (this.#stopped) return;
    waiting.shift();
    if (waiting.length === 0) this.#byAlarm.delete(key);
    else this.#ready.push(key);
    this.#size -= 1;
    done();
    if (this.#size < this.#options.waiting) this.#wake();
  }

  #wake(): void {
    for (const wake of this.#roomMade.splice(0)) wake();
  }
}
