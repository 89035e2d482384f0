/** The current values of targets as code needs them: one sample at a time, by ordinal or by measure. */

import type { Measure } from '../mission/platform.ts';

export interface KnownSample {
  /** In the unit of the measure, enums as their number, booleans as 0 and 1, text and bytes as string; null: unknown. */
  readonly value: number | string | null;
  /** Ground reception time, ms since 1970. */
  readonly groundMs: number;
}

export interface TargetValues {
  /** The latest sample; undefined when there never was one. `ordinal` is of the current platform of the target. */
  sample(target: string, ordinal: number): KnownSample | undefined;
  /** Position in the value stream of the last message of the target that the samples hold; undefined while that is not known. */
  position?(target: string): number | undefined;
}

/** A sample with everything a log shows of it. */
export interface DatedSample extends KnownSample {
  /** On-board time when known, else ground time, ms since 1970. */
  readonly timeMs: number;
  readonly deferred: boolean;
}

/** Current values for who judges by them: they can be asked to be up to date. */
export interface SettledValues {
  /** The latest sample of the measure; undefined when there never was one, or it meant something else. */
  sample(target: string, measure: Measure): DatedSample | undefined;
  /** Resolves when every sample of the target stored before the call is known; rejects with `Outage`. */
  upToDate(target: string): Promise<void>;
}
