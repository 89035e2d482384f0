/**
 * The values of a target as its owner has them, by the catalogue of the mission in force: what is stored, and what is
 * current once everything handed over is stored (telemetry-owner.O8).
 */

import type { FileSample, ValueBatch } from '../contract/batch.ts';
import type { Platform } from '../mission/platform.ts';
import { CurrentValues, type ValueColumns } from './current-values.ts';
import type { FilesPart } from './files/known-files.ts';
import { KnownFiles } from './files/known-files.ts';
import { mapBatch } from './reading/measure-map.ts';
import { markBatch, SampleOrder } from './sample-order.ts';

export class OwnedValues {
  #store: CurrentValues | undefined;
  /** Of the catalogue of the store. */
  #order: SampleOrder | undefined;
  /** What of the files on board is handed over, ahead of what is stored. */
  #files = new KnownFiles();
  /** Of the checkpoint, until there is a catalogue to read it by. */
  #restored: ValueColumns | undefined;
  #restoredFiles: readonly FilesPart[] | undefined;

  /** Undefined while the mission does not have the target. */
  get store(): CurrentValues | undefined {
    return this.#store;
  }

  get platform(): Platform | undefined {
    return this.#store?.platform;
  }

  /** Goes on by another catalogue, with what it shares with the one before. */
  takeUp(platform: Platform): CurrentValues {
    const earlier = this.#store;
    const store = new CurrentValues(platform);
    this.#store = store;
    this.#order = new SampleOrder(platform, this.#order);
    if (earlier !== undefined) store.adopt(earlier);
    else if (this.#restored !== undefined) this.restore(this.#restored);
    if (this.#restoredFiles !== undefined) this.restoreFiles(this.#restoredFiles);
    this.#restored = undefined;
    this.#restoredFiles = undefined;
    return store;
  }

  /** Takes the checkpoint up, before anything is handed over. */
  restore(columns: ValueColumns): void {
    if (this.#store === undefined) this.#restored = columns;
    else this.#store.restore(columns);
    this.noteCurrent();
  }

  /** As `restore`, of the files on board. */
  restoreFiles(parts: readonly FilesPart[]): void {
    if (this.#store === undefined) this.#restoredFiles = parts;
    else this.#store.restoreFiles(parts);
    this.#noteFiles();
  }

  /** What is stored is what is handed over: nothing is on its way. */
  noteCurrent(): void {
    const store = this.#store;
    if (store === undefined) return;
    for (const ordinal of store.columnOrdinals()) {
      const { timeMs, groundMs, deferred } = store.sample(ordinal)!;
      this.#order?.note(ordinal, timeMs, groundMs, deferred ? 1 : 0);
    }
    this.#noteFiles();
  }

  #noteFiles(): void {
    const files = this.#store?.files;
    if (files === undefined) return;
    this.#files = new KnownFiles();
    this.#files.restore(files.snapshot());
  }

  /** Whether the target has an on-board directory. */
  get hasDirectory(): boolean {
    return this.#store?.files !== undefined;
  }

  /** Samples of files that become current, as far as they do; they are about to be handed over. */
  currentFiles(samples: readonly FileSample[], link: string, deferred: boolean): readonly FileSample[] {
    return this.hasDirectory ? this.#files.apply(samples, link, deferred) : [];
  }

  /** Is stored. The mission may have changed since the batch was made. */
  apply(values: ValueBatch, platform: Platform | undefined): void {
    if (platform === undefined || this.#store === undefined) return;
    this.#store.apply(mapBatch(values, platform, this.#store.platform));
  }

  /** Is about to be handed over: samples that do not become current are marked. */
  marked(batch: ValueBatch): ValueBatch {
    return this.#order === undefined ? batch : markBatch(this.#order, batch);
  }

  /** As `marked`, of what was derived from samples that are marked and stands behind them. */
  markedFrom(batch: ValueBatch, first: number): ValueBatch {
    if (this.#order === undefined || batch.blocks.length === first) return batch;
    const derived = this.#order.mark(batch.blocks.slice(first), batch.deferred);
    return { ...batch, blocks: [...batch.blocks.slice(0, first), ...derived] };
  }
}
