/**
 * Reads the samples of a few measures out of batches of values, as they are to be judged: for verification and for
 * runs. Mission Control Service, sections 2.2, 3.1 and 4.2.
 *
 * R1. Samples come in the order of reception: messages in that of the stream, the rows of a message in that of their
 *     ground times, whatever block they stand in.
 * R2. Columns of another catalogue are read by key, and only where the measure means the same.
 * R3. Deferred samples are skipped: they were taken long before they came. So is what did not become the current value,
 *     and what has no ground time.
 * R4. The moment of a sample is its ground time, or that of the sample before it of its measure where that is later:
 *     two stations whose clocks differ do not make a later sample an earlier one.
 */

import type { FileSample, ValueBatch } from '../../contract/batch.ts';
import { sameMeasure } from '../../mission/measure-meaning.ts';
import type { Measure, Platform } from '../../mission/platform.ts';
import { fitsPlatform } from './batch-shape.ts';
import { BlockSamples } from './block-samples.ts';
import { sampledValue } from './file-samples.ts';
import { timeOf } from './instant.ts';
import { rowOrder } from './row-order.ts';
import type { PlainValue } from './unknown-value.ts';

/** A measure to read, with the ordinal its samples are given. */
export interface WantedMeasure {
  readonly ordinal: number;
  readonly measure: Measure;
}

export interface ReadSample {
  readonly ordinal: number;
  readonly value: PlainValue;
  /** When it counts, ms since 1970 (R4). */
  readonly at: number;
  readonly groundMs: number;
  /** On-board time when known, else ground time. */
  readonly timeMs: number;
}

/** What is wanted of files: by identifier. */
type WantedFiles = ReadonlyMap<string, readonly WantedMeasure[]>;

/** What is wanted of the columns of one platform, by ordinal there. */
type WantedColumns = ReadonlyMap<number, readonly WantedMeasure[]>;

interface ReadBlock {
  readonly samples: BlockSamples;
  readonly places: readonly { readonly place: number; readonly wanted: readonly WantedMeasure[] }[];
}

export class MeasureReader {
  readonly #wanted: readonly WantedMeasure[];
  readonly #files: WantedFiles;
  /** By digest of the platform. */
  readonly #columns = new Map<string, WantedColumns>();
  /** Moment of the last sample, by ordinal (R4). */
  readonly #lastAt = new Map<number, number>();

  constructor(wanted: readonly WantedMeasure[]) {
    this.#wanted = wanted.filter(({ measure }) => measure.file === undefined);
    this.#files = filesIn(wanted);
  }

  /** The samples of a batch made by this platform; none where it does not fit the platform. */
  read(batch: ValueBatch, platform: Platform): ReadSample[] {
    if (batch.deferred) return [];
    const files = batch.files === undefined || this.#files.size === 0 ? [] : this.#readFiles(batch.files);
    if (this.#wanted.length === 0 || !fitsPlatform(batch.blocks, platform.measures.length)) return files;
    return inOrder(this.#readBlocks(batch, platform), files);
  }

  #readBlocks(batch: ValueBatch, platform: Platform): ReadSample[] {
    const columns = this.#columnsOf(platform);
    const blocks = batch.blocks.flatMap((block): ReadBlock[] => {
      if (block.deferred === true) return [];
      const places = [...block.ordinals].flatMap((column, place) => {
        const wanted = columns.get(column);
        return wanted === undefined ? [] : [{ place, wanted }];
      });
      return places.length === 0 ? [] : [{ samples: new BlockSamples(block), places }];
    });
    return blocks.length === 0 ? [] : this.#readRows(blocks);
  }

  /** R1 */
  #readRows(blocks: readonly ReadBlock[]): ReadSample[] {
    const order = rowOrder(
      blocks.map(({ samples }) => samples.block),
      false,
    );
    const read: ReadSample[] = [];
    order.block.forEach((index, nth) => {
      this.#readRow(blocks[index]!, order.row[nth]!, read);
    });
    return read;
  }

  #readRow({ samples, places }: ReadBlock, row: number, read: ReadSample[]): void {
    const { ordinals, ground, onboard } = samples.block;
    const groundMs = ground[row]!;
    const timeMs = timeOf(onboard[row]!, groundMs);
    for (const { place, wanted } of places) {
      const index = row * ordinals.length + place;
      if (!samples.isCurrent(index)) continue;
      for (const { ordinal, measure } of wanted) {
        const at = this.#moment(ordinal, groundMs);
        read.push({ ordinal, value: samples.plain(measure.definition, index), at, groundMs, timeMs });
      }
    }
  }

  /** The owner of the target has left out what did not become current (R3). */
  #readFiles(files: readonly FileSample[]): ReadSample[] {
    const found = files.filter(({ file }) => this.#files.has(file));
    return found.sort((a, b) => a.ground - b.ground).flatMap((sample) => this.#readFile(sample));
  }

  #readFile(sample: FileSample): ReadSample[] {
    const { ground: groundMs, onboard } = sample;
    const timeMs = timeOf(onboard, groundMs);
    return (this.#files.get(sample.file) ?? []).flatMap(({ ordinal, measure }) => {
      const value = sampledValue(sample, measure.file!);
      return value === undefined
        ? []
        : [{ ordinal, value, at: this.#moment(ordinal, groundMs), groundMs, timeMs }];
    });
  }

  /** R4 */
  #moment(ordinal: number, groundMs: number): number {
    const at = Math.max(groundMs, this.#lastAt.get(ordinal) ?? groundMs);
    this.#lastAt.set(ordinal, at);
    return at;
  }

  /** R2 */
  #columnsOf(platform: Platform): WantedColumns {
    const known = this.#columns.get(platform.digest);
    if (known !== undefined) return known;
    const columns = new Map<number, WantedMeasure[]>();
    for (const wanted of this.#wanted) {
      const column = sameMeasure(wanted.measure, platform)?.ordinal;
      if (column !== undefined) columns.set(column, [...(columns.get(column) ?? []), wanted]);
    }
    this.#columns.set(platform.digest, columns);
    return columns;
  }
}

function filesIn(wanted: readonly WantedMeasure[]): WantedFiles {
  const files = new Map<string, WantedMeasure[]>();
  for (const each of wanted) {
    const { file, instance } = each.measure;
    if (file === undefined || instance === undefined) continue;
    files.set(instance, [...(files.get(instance) ?? []), each]);
  }
  return files;
}

/** R1 */
function inOrder(blocks: ReadSample[], files: ReadSample[]): ReadSample[] {
  if (files.length === 0) return blocks;
  return [...blocks, ...files].sort((a, b) => a.groundMs - b.groundMs);
}
