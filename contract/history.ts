/**
 * Questions about the past and their answers, as plain data: between the threads of an archive, and between processes.
 *
 * H1. Times are ms since 1970; `from` counts in, `to` does not.
 * H2. Samples come in order of time, then of the position at which the stream had them; a cursor names the place
 *     behind the last one, so that pages together are every sample once, also while segments are compacted in between.
 * H3. Whoever asks does not choose the cost: measures, points and pages are bounded, and a page costs what it has.
 */

/** As it was first written; compacted to an hour, to a day; what is left when the samples are deleted. */
export const LEVELS = ['part', 'hour', 'day', 'minutes'] as const;
export type Level = (typeof LEVELS)[number];

/** A segment of the archive: the positions of the stream that it answers for. */
export interface SegmentName {
  readonly first: number;
  readonly last: number;
  readonly level: Level;
}

/** Positions that the stream no longer had, and the ground times around them. */
export interface Gap {
  readonly first: number;
  readonly last: number;
  readonly from: number;
  readonly to: number;
}

/** A segment that cannot be read, and why. */
export interface Damage {
  readonly segment: SegmentName;
  readonly reason: string;
}

export type Delivery = 'realtime' | 'deferred' | 'all';

export interface HistoryQuery {
  readonly target: string;
  /** Names as the catalogue had them: `component[instance].measure`. */
  readonly measures: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly delivery: Delivery;
}

export interface Cursor {
  readonly time: number;
  readonly position: number;
  /** Samples of that time and position that were given already. */
  readonly given: number;
}

export type SampleValue = number | bigint | string | boolean | null;

export interface HistorySample {
  /** Its place among the measures of the question. */
  readonly measure: number;
  /** In the unit of the measure, the label of an enumeration, bytes as hexadecimal; null where unknown. */
  readonly value: SampleValue;
  /** Where it says more than the value. */
  readonly raw?: SampleValue;
  readonly time: number;
  readonly ground: number;
  readonly position: number;
  readonly link: string;
  readonly deferred: boolean;
  /** It did not become the current value (batch.B4). */
  readonly superseded?: true;
}

/** What an answer says beside what was asked for. */
export interface Reservations {
  /** Positions that were lost before the archive had them, in the time asked for. */
  readonly gaps: readonly Gap[];
  /** Segments that could not be read; what they had is missing. */
  readonly damaged: readonly Damage[];
  /** Samples of a part of the time are deleted, and minutes are left. */
  readonly thinned: boolean;
}

export interface SamplePage extends Reservations {
  readonly samples: readonly HistorySample[];
  /** Where the next page begins; absent on the last. */
  readonly next?: Cursor;
}

/** One measure in buckets; a bucket without samples has `n` 0 and NaN. */
export interface BucketColumn {
  readonly n: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly mean: Float64Array;
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** The last sample of each bucket: a number (0 and 1 of a boolean), a text, or null. */
  readonly value: readonly (number | string | null)[];
}

export interface Buckets extends Reservations {
  /** When the first bucket begins, and how long each is, ms. */
  readonly start: number;
  readonly width: number;
  /** By measure of the question. */
  readonly measures: readonly BucketColumn[];
}
