/**
 * Writes the checkpoint of one target for its owner: at most once a second, and once more at the end (T5).
 *
 * W1. Every write is conditional (fenced-entry.E1). The files on board are written first (directory-checkpoint.D1).
 */

import { buckets } from '../contract/bus/buckets.ts';
import { VALUES_CHECKPOINT_MS } from '../contract/limits/value.ts';
import { Outage } from '../contract/outage.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts';
import { FencedEntry } from './fenced-entry.ts';
import { type Directory, DirectoryWriter } from './files/directory-checkpoint.ts';
import type { FileValues } from './files/file-values.ts';

export interface CheckpointWriterOptions {
  readonly bus: Bus;
  readonly target: string;
  readonly epoch: number;
  readonly clock: Clock;
  readonly log: Log;
  /** The files on board that are stored; undefined where the target has no directory. */
  readonly files: () => FileValues | undefined;
  /** What to write; undefined: nothing yet. */
  readonly state: () => Checkpoint | undefined;
  /** A later owner has written. */
  readonly lost: () => void;
}

export class CheckpointWriter {
  readonly #options: CheckpointWriterOptions;
  readonly #entry: FencedEntry;
  readonly #directory: DirectoryWriter;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #dirty = false;
  #stopped = false;
  #timer: TimerHandle | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: CheckpointWriterOptions) {
    const { bus, target: key, epoch } = options;
    this.#options = options;
    this.#directory = new DirectoryWriter(options);
    this.#entry = new FencedEntry({
      bucket: bus.bucket(buckets.values),
      key,
      epoch,
      epochOf: async (bytes) => (await decodeCheckpoint(bytes))?.epoch,
    });
  }

  /** What was written last, by whichever owner. Rejects with `Outage`. */
  async load(): Promise<Checkpoint | undefined> {
    const entry = await this.#entry.load();
    if (entry === undefined) return undefined;
    const checkpoint = await decodeCheckpoint(entry.value);
    if (checkpoint === undefined)
      this.#options.log.warn({ key: entry.key }, 'checkpoint unreadable, replaying');
    return checkpoint;
  }

  /** What was written last of the files on board; to be read behind the checkpoint. Rejects with `Outage`. */
  loadFiles(): Promise<Directory | undefined> {
    return this.#directory.load();
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
      // Copied before the files are: they may hold more than it says.
      const bytes = encodeCheckpoint(state);
      if (this.#isStored(await this.#directory.write())) this.#isStored(await this.#entry.put(await bytes));
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      this.#dirty = true;
      this.#options.log.warn(
        { err: error, target: this.#options.target },
        'checkpoint not written, trying again',
      );
    }
  }

  /** W1 */
  #isStored(outcome: 'written' | 'again' | 'lost'): boolean {
    if (outcome === 'lost') this.#options.lost();
    if (outcome === 'again') this.#dirty = true;
    return outcome === 'written';
  }
}
