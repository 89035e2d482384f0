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

import type { ValueBatch } from '../../contract/batch.ts';
import { sameMeasure } from '../../mission/measure-meaning.ts';
import type { Measure, Platform } from '../../mission/platform.ts';
import { fitsPlatform } from './batch-shape.ts';
import { BlockSamples } from './block-samples.ts';
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

/** What is wanted of the columns of one platform, by ordinal there. */
type WantedColumns = ReadonlyMap<number, readonly WantedMeasure[]>;

interface ReadBlock {
  readonly samples: BlockSamples;
  readonly places: readonly { readonly place: number; readonly wanted: readonly WantedMeasure[] }[];
}

export class MeasureReader {
  readonly #wanted: readonly WantedMeasure[];
  /** By digest of the platform. */
  readonly #columns = new Map<string, WantedColumns>();
  /** Moment of the last sample, by ordinal (R4). */
  readonly #lastAt = new Map<number, number>();

  constructor(wanted: readonly WantedMeasure[]) {
    this.#wanted = wanted;
  }

  /** The samples of a batch made by this platform; none where it does not fit the platform. */
  read(batch: ValueBatch, platform: Platform): ReadSample[] {
    if (batch.deferred || this.#wanted.length === 0) return [];
    if (!fitsPlatform(batch.blocks, platform.measures.length)) return [];
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
        const at = Math.max(groundMs, this.#lastAt.get(ordinal) ?? groundMs);
        this.#lastAt.set(ordinal, at);
        read.push({ ordinal, value: samples.plain(measure.definition, index), at, groundMs, timeMs });
      }
    }
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
