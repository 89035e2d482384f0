/**
 * A condition of a mission document, compiled: what it reads and how to follow its truth. Three-valued: true, false,
 * unknown (null). Mission Control Service, section 3.3 (unknown changes nothing) and section 4.4 (evaluation).
 *
 * N1. A condition does no I/O and has no clock: samples and the present come in as arguments.
 * N2. The same samples at the same times give the same truths, whatever the process.
 * N3. Every name and instance a condition uses is bound when it is opened.
 */

import type { ResolvedValue } from '../../contract/telecommand.ts';

export type Truth = true | false | null;

export interface Bindings {
  /** Values of `$name`. */
  readonly names?: Readonly<Record<string, ResolvedValue>>;
  /** The own instance of a multi-instance component. */
  readonly instance?: string | undefined;
  /** Collects the measures of files that are read; without it they are unknown. */
  readonly files?: FileOrdinals | undefined;
}

/** A measure of a file on board that a condition reads. */
export interface FileRead {
  /** The platform, as the scope of the condition has it. */
  readonly platform: object;
  readonly component: string;
  readonly file: string;
  readonly measure: string;
}

/** Gives each measure of a file that is read an ordinal, which no measure of a platform has. */
export interface FileOrdinals {
  ordinal(read: FileRead): number;
}

export interface Condition {
  /** As written. */
  readonly source: string;
  /** Whether it looks at history or time: then real-time samples only may be fed. */
  readonly temporal: boolean;
  /** Opens an evaluation; `names` gives `$name`, `instance` the own instance of a multi-instance component. */
  open(bindings: Bindings): Evaluation;
}

/** What is fed to a condition or an expression being followed. */
export interface Feed {
  /** Ordinals of the measures it reads: only their samples need to be fed. */
  readonly reads: readonly number[];
  /**
   * Feeds a sample in the unit of its measure (enums as their number, booleans as 0 and 1, text and bytes as string);
   * null is unknown. `atMs` is its ground time. Feed all samples of one moment, then ask: `changes`
   * speaks of the last one only.
   */
  feed(ordinal: number, value: number | string | null, atMs: number): void;
  /**
   * Gives what came before: the value `changes`, `delta` and `rate` compare the first sample with. The measure stays
   * unknown until it is fed.
   */
  prime(ordinal: number, value: number | string | null, atMs: number): void;
  /** As `feed`, of the last sample of before, with the one before it not known: whether it changed is unknown. */
  recall(ordinal: number, value: number | string | null, atMs: number): void;
  /** The next moment at which the outcome may change without a new sample, if any. */
  deadline(nowMs: number): number | undefined;
}

/** One condition being followed. */
export interface Evaluation extends Feed {
  truth(nowMs: number): Truth;
}

/** One expression being followed. */
export interface ExpressionEvaluation extends Feed {
  /** In the unit of the measure; enums as their number, booleans as 0 and 1; null is unknown. */
  value(nowMs: number): number | null;
  /** Ground time of the oldest input; undefined while one has no value. */
  groundTimeMs(nowMs: number): number | undefined;
}
