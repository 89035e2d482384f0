/**
 * Writes the checkpoint of one target for its owner: at most once a second, and once more at the end (T5).
 *
 * W1. Every write is conditional on the revision last seen (O1). A refused write is looked into: what a later owner
 *     wrote means that the target is lost; what this owner wrote itself, or an earlier one, is written over.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { VALUES_CHECKPOINT_MS } from '../contract/limits.ts';
import { Outage } from '../contract/outage.ts';
import type { Bucket, Bus } from '../ports/bus.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts';

export interface CheckpointWriterOptions {
  readonly bus: Bus;
  readonly target: string;
  readonly epoch: number;
  readonly clock: Clock;
  readonly log: Log;
  /** What to write; undefined: nothing yet. */
  readonly state: () => Checkpoint | undefined;
  /** A later owner has written. */
  readonly lost: () => void;
}

export class CheckpointWriter {
  readonly #options: CheckpointWriterOptions;
  readonly #bucket: Bucket;
  #revision = 0;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #dirty = false;
  #stopped = false;
  #timer: TimerHandle | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: CheckpointWriterOptions) {
    this.#options = options;
    this.#bucket = options.bus.bucket(buckets.values);
  }

  /** What was written last, by whichever owner. Rejects with `Outage`. */
  async load(): Promise<Checkpoint | undefined> {
    const entry = await this.#bucket.get(this.#options.target);
    this.#revision = entry?.revision ?? 0;
    if (entry === undefined) return undefined;
    const checkpoint = await decodeCheckpoint(entry.value);
    if (checkpoint === undefined)
      this.#options.log.warn({ key: entry.key }, 'checkpoint unreadable, replaying');
    return checkpoint;
  }

  /** Says that the state has changed since it was last written. */
  changed(): void {
    this.#dirty = true;
    if (this.#timer !== undefined || this.#writing !== undefined || this.#stopped) return;
    const waitMs = Math.max(0, this.#writtenAt + VALUES_CHECKPOINT_MS - this.#options.clock.now());
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#begin();
    }, waitMs);
  }

  /** Writes what is not yet written, if the bus takes it, and nothing after that. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    await this.#writing;
    if (this.#dirty) await this.#write();
  }

  #begin(): void {
    this.#writtenAt = this.#options.clock.now();
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
      if (this.#dirty) this.changed();
    });
  }

  async #write(): Promise<void> {
    const state = this.#options.state();
    this.#dirty = false;
    if (state === undefined) return;
    try {
      await this.#put(await encodeCheckpoint(state));
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      this.#dirty = true;
      this.#options.log.warn(
        { err: error, target: this.#options.target },
        'checkpoint not written, trying again',
      );
    }
  }

  /** W1. */
  async #put(bytes: Uint8Array): Promise<void> {
    const { target, epoch, lost } = this.#options;
    const written = await this.#bucket.put(target, bytes, this.#revision);
    if (written.outcome === 'written') {
      this.#revision = written.revision;
      return;
    }
    const entry = await this.#bucket.get(target);
    const theirs = entry && (await decodeCheckpoint(entry.value));
    if (theirs !== undefined && theirs.epoch > epoch) return lost();
    this.#revision = entry?.revision ?? 0;
    this.#dirty = true;
  }
}
