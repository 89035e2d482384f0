/**
 * What the alarm service needs of the evaluation of one target: samples go in, changes of what alarms say come out. No
 * sample enters an actor (T2). Mission Control Service, sections 2.4 and 4.4 (evaluation).
 */

import type { EvaluatedAt, Severity } from '../contract/alarm.ts';
import type { ValueBatch } from '../contract/batch.ts';

/**
 * What the condition of an alarm says has changed, or is known for the first time: then normal is reported too, for the
 * record may say otherwise.
 */
export interface AlarmEdge {
  /** As in `AlarmName`, without the target. */
  readonly component: string;
  readonly instance?: string;
  readonly alarm: string;
  /** `null`: back to normal. Unknown is no edge (MC-ALM-028). */
  readonly severity: Severity | null;
  /** Of a limits alarm: the value of the measure, as the API shows it. */
  readonly value?: number | boolean | string | null;
  /** What it runs when it is raised; of named alarms only. */
  readonly onRaise?: string;
  readonly evaluated: EvaluatedAt;
}

/** The last sample of a measure in real time. */
export interface KnownSample {
  readonly ordinal: number;
  /** As conditions take it; null is unknown. */
  readonly value: number | string | null;
  /** Ground time, ms since 1970. */
  readonly at: number;
}

/** The values in a message of their stream; undefined when it is malformed. */
export type ReadValues = (bytes: Uint8Array) => ValueBatch | undefined;

export interface AlarmWatch {
  /** Takes the samples of one message in, of the catalogue of the watch; deferred ones change nothing (MC-ALM-029). */
  apply(batch: ValueBatch, position: number): void;
  /** Takes what was known before of the measures it has no sample of, and reports nothing of it. */
  prime(known: readonly KnownSample[]): void;
  /** Lets time pass: holds and windows turn without a sample (MC-ALM-052). */
  pass(now: number): void;
  /** The next moment at which time alone may change something. */
  deadline(now: number): number | undefined;
  /** How far back samples matter, ms: from there a new leader reads. */
  readonly spanMs: number;
  /**
   * Whether all it evaluates goes on from an earlier watch: else what is stored must be read into another one beside
   * it.
   */
  readonly whole: boolean;
  /** How every alarm that is known stands, as of its last sample, for a new leader to compare with the records. */
  standing(): Iterable<AlarmEdge>;
}
