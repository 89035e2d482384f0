/**
 * Answers about the past as tables for people and their tools: Parquet, made away from the loop that serves others.
 */

import type { BucketColumn, HistorySample } from '../contract/history.ts';

/** What a table says of itself, by name. */
export type TableAbout = Readonly<Record<string, string>>;

/** A file while it is made; each call gives the bytes that it added. */
export interface HistoryTable<Rows> {
  add(rows: Rows): Promise<Uint8Array>;
  end(): Promise<Uint8Array>;
  /** Nobody wants the rest; nothing after `end`. */
  abandon(): void;
}

/** Buckets of one measure that go into a table: `places` of the column. */
export interface BucketRows {
  readonly measure: string;
  readonly column: BucketColumn;
  readonly start: number;
  readonly width: number;
  readonly places: readonly number[];
  /** By place of the column. */
  readonly lost: readonly boolean[];
}

export interface HistoryTables {
  /** Rows of a target, a sample each; `measures` are the names of the places in samples. */
  samples(
    target: string,
    measures: readonly string[],
    about: TableAbout,
  ): HistoryTable<readonly HistorySample[]>;
  /** Rows of a target, a bucket each. */
  buckets(target: string, about: TableAbout): HistoryTable<readonly BucketRows[]>;
}
