/**
 * The current values of every target in one process: loaded from the checkpoints of their owners, then kept by
 * following the value stream (T5). Mission Control Service, sections 1.3 and 4.1 rule 10. Any number of processes may
 * do so.
 *
 * F1. Nothing stored is missed: the stream is followed from before everything the checkpoints do not cover. What is
 *     read twice changes nothing (current-values.V3).
 * F2. A new mission is taken up by reading again: stores of changed catalogues adopt the earlier values by key at once,
 *     then checkpoints and stream fill in what the earlier catalogue could not say.
 * F3. A listener that throws is dropped and logged; the others go on.
 */

import type { ValueBatch } from '../contract/batch.ts';
import { header } from '../contract/bus/headers.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import { BUS_RETRY_MS } from '../contract/limits/bus.ts';
import { Outage } from '../contract/outage.ts';
import type { Mission } from '../mission/mission.ts';
import type { Bus, Follower, StreamMessage } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';
import { CurrentValues } from './current-values.ts';
import { fitsPlatform } from './reading/batch-shape.ts';
import { KnownPlatforms } from './reading/known-platforms.ts';
import { mapBatch } from './reading/measure-map.ts';
import { valuesIn } from './reading/values-in.ts';
import { readCheckpoints } from './value-replay.ts';

/**
 * Notified of changed values, oldest change first: an ordinal that changed twice in one message is reported twice. The
 * array is only good during the call. Ordinals are those of `store.platform`, which a new mission may change.
 */
export type ValueListener = (changed: Uint32Array, store: CurrentValues) => void;

export interface ValueFeeds {
  /** Undefined for a target that the mission does not have or whose catalogue is absent. */
  current(target: string): CurrentValues | undefined;
  /** Calls the listener at each change of a value of the target; returns how to end it. */
  watch(target: string, listener: ValueListener): () => void;
}

export interface RunningValueFeeds extends ValueFeeds {
  /** Resolves when everything stored before the start is known. */
  readonly ready: Promise<void>;
  /** Resolves when every sample of the target stored before the call is known; rejects with `Outage`. */
  upToDate(target: string): Promise<void>;
  /** Position of the last message of the target that the current values hold; undefined while they are read again. */
  position(target: string): number | undefined;
  stop(): Promise<void>;
}

export interface ValueFeedsOptions {
  readonly bus: Bus;
  readonly missions: MissionSource;
  readonly clock: Clock;
  readonly log: Log;
}

/** The feeds of all targets of the mission, loading at once and, while the bus is away, again and again. */
export function startValueFeeds(options: ValueFeedsOptions): RunningValueFeeds {
  return new Feeds(options);
}

class Feeds implements RunningValueFeeds {
  readonly ready: Promise<void>;
  readonly #options: ValueFeedsOptions;
  readonly #platforms: KnownPlatforms;
  readonly #forget: () => void;
  readonly #stores = new Map<string, CurrentValues>();
  readonly #listeners = new Map<string, Set<ValueListener>>();
  readonly #stopping: Promise<void>;
  #endWaiting: () => void = () => {};
  #stopped = false;
  #follower: Follower | undefined;
  /** Counts the missions that asked for a reading, and the readings done. */
  #wanted = 1;
  #done = 0;
  #reading: Promise<void> | undefined;
  /** Position of the last message taken up. */
  #position = 0;
  /** Position of the last message of each target that was taken up, or that its checkpoint covers. */
  readonly #positions = new Map<string, number>();
  /** Who waits for a position or for the end of a reading. */
  #waiting: (() => void)[] = [];
  /** Batches left out because no known mission has their catalogue, by digest. */
  readonly #skipped = new Set<string>();

  constructor(options: ValueFeedsOptions) {
    this.#options = options;
    this.#stopping = new Promise((resolve) => {
      this.#endWaiting = resolve;
    });
    this.#platforms = new KnownPlatforms(options.missions, options.clock);
    this.#forget = options.missions.onChange((mission) => this.#takeUp(mission));
    this.ready = this.#read();
  }

  current(target: string): CurrentValues | undefined {
    return this.#stores.get(target);
  }

  watch(target: string, listener: ValueListener): () => void {
    const listeners = this.#listeners.get(target) ?? new Set();
    this.#listeners.set(target, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(target) === listeners) this.#listeners.delete(target);
    };
  }

  async upToDate(target: string): Promise<void> {
    const last = await this.#options.bus.last(streams.values, subject.values(target));
    while (last !== undefined && !this.#isTakenUp(last.seq)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  position(target: string): number | undefined {
    return this.#reading === undefined ? this.#positions.get(target) : undefined;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#endWaiting();
    this.#wake();
    this.#forget();
    this.#platforms.stop();
    await this.#reading;
    await this.#follower?.stop();
  }

  /** F2. */
  #takeUp(mission: Mission): void {
    const changed = [...mission.targets.values()].filter(
      ({ name, platform }) =>
        platform !== undefined && platform.digest !== this.#stores.get(name)?.platform.digest,
    );
    for (const name of this.#stores.keys()) {
      if (mission.targets.get(name)?.platform === undefined) this.#stores.delete(name);
    }
    for (const { name, platform } of changed) {
      const store = new CurrentValues(platform!);
      const earlier = this.#stores.get(name);
      if (earlier !== undefined) store.adopt(earlier);
      this.#stores.set(name, store);
    }
    if (changed.length === 0) return;
    this.#wanted += 1;
    void this.#read();
  }

  /** Reads until the last request is met; a request that comes while reading joins in. */
  #read(): Promise<void> {
    this.#reading ??= this.#readWanted();
    return this.#reading;
  }

  async #readWanted(): Promise<void> {
    while (this.#done < this.#wanted && !this.#stopped) {
      const wanted = this.#wanted;
      try {
        await this.#readOnce();
        this.#done = wanted;
      } catch (error) {
        if (!(error instanceof Outage)) throw error;
        await this.#pause();
      }
    }
    // In the same turn as the check above, so that no request falls between.
    this.#reading = undefined;
    this.#wake();
  }

  async #readOnce(): Promise<void> {
    const { bus } = this.#options;
    await this.#follower?.stop();
    this.#follower = undefined;
    if (this.#stores.size === 0) return;
    const { checkpoints, directories, from } = await readCheckpoints(bus, [...this.#stores.keys()]);
    for (const [target, checkpoint] of checkpoints) {
      const store = this.#stores.get(target);
      if (store === undefined) continue;
      this.#positions.set(target, checkpoint.positions.values);
      this.#tell(target, store, store.restore(checkpoint.columns));
    }
    for (const [target, { parts }] of directories) {
      const store = this.#stores.get(target);
      if (store?.files !== undefined) this.#tell(target, store, store.restoreFiles(parts));
    }
    const [everyTarget] = streams.values.subjects;
    this.#follower = await bus.follow(streams.values, everyTarget, from, (message) => this.#takeIn(message), {
      wentBack: () => this.#wentBack(),
    });
    const position = await Promise.race([this.#follower.caughtUp, this.#stopping]);
    this.#position = Math.max(this.#position, position ?? 0);
  }

  /** Positions from before mean nothing: checkpoints and stream are read again. */
  #wentBack(): void {
    this.#position = 0;
    this.#wanted += 1;
    void this.#read();
  }

  /** While it is read again a store may lack what an earlier position had brought. */
  #isTakenUp(position: number): boolean {
    if (this.#stopped) return true;
    return this.#reading === undefined && (this.#follower === undefined || this.#position >= position);
  }

  #takeIn(message: StreamMessage): void | Promise<void> {
    const handled = this.#handle(message);
    if (handled !== undefined) return handled.then(() => this.#passed(message.seq));
    this.#passed(message.seq);
  }

  #passed(position: number): void {
    this.#position = position;
    if (this.#waiting.length > 0) this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #pause(): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const timer = clock.setTimeout(resolve, BUS_RETRY_MS);
      void this.#stopping.then(() => {
        clock.clearTimeout(timer);
        resolve();
      });
    });
  }

  #handle(message: StreamMessage): void | Promise<void> {
    const target = message.subject.slice(message.subject.lastIndexOf('.') + 1);
    const store = this.#stores.get(target);
    if (store === undefined) return;
    this.#positions.set(target, message.seq);
    const batch = valuesIn(message, this.#options.log);
    if (batch === undefined) return;
    if (batch.blocks.length === 0 && batch.files === undefined) return;
    if (batch.platform !== store.platform.digest) return this.#handleForeign(message, target, batch);
    this.#apply(target, store, batch);
  }

  /** A batch made under another mission than the present one; what was ahead of it is read again by F2. */
  async #handleForeign(message: StreamMessage, target: string, batch: ValueBatch): Promise<void> {
    const known = this.#platforms.get(batch.platform);
    const made = known ?? (await this.#platforms.find(batch.platform, message.headers[header.config], 0));
    const store = this.#stores.get(target);
    if (store === undefined) return;
    if (made === undefined || !fitsPlatform(batch.blocks, made.measures.length)) {
      this.#skip(target, batch.platform);
      // Files mean the same in every catalogue.
      return this.#apply(target, store, { ...batch, platform: store.platform.digest, blocks: [] });
    }
    this.#apply(target, store, mapBatch(batch, made, store.platform));
  }

  #skip(target: string, platform: string): void {
    if (this.#skipped.has(platform)) return;
    this.#skipped.add(platform);
    this.#options.log.warn({ target, platform }, 'values of an unknown catalogue, left out');
  }

  #apply(target: string, store: CurrentValues, batch: ValueBatch): void {
    if (!fitsPlatform(batch.blocks, store.platform.measures.length)) this.#skip(target, batch.platform);
    else if (!this.#listeners.has(target)) store.apply(batch);
    else store.apply(batch, (changed) => this.#tell(target, store, changed));
  }

  /** F3. */
  #tell(target: string, store: CurrentValues, changed: Uint32Array): void {
    if (changed.length === 0) return;
    for (const listener of this.#listeners.get(target) ?? []) {
      try {
        listener(changed, store);
      } catch (error) {
        this.#listeners.get(target)?.delete(listener);
        this.#options.log.error({ err: error, target }, 'listener of values failed, dropped');
      }
    }
  }
}
