/** The current values of targets for who judges by them: found by measure, whatever catalogue is the present one. */

import type { Measure } from '../mission/platform.ts';

export interface ReceivedValue {
  /**
   * In the unit of the measure, enums as their number, booleans as 0 and 1, text and bytes as string; null: unknown.
   */
  readonly value: number | string | null;
  /** Ground reception time, ms since 1970. */
  readonly groundMs: number;
}

/** With everything a log shows of it. */
export interface LatestSample extends ReceivedValue {
  /** On-board time when known, else ground time, ms since 1970. */
  readonly timeMs: number;
  readonly deferred: boolean;
}

export interface TargetValues {
  /** The latest sample of the measure; undefined when there never was one, or it meant something else. */
  sample(target: string, measure: Measure): LatestSample | undefined;
  /**
   * Position in the value stream of the last message of the target that the samples hold; undefined while that is not
   * known.
   */
  position(target: string): number | undefined;
  /** Resolves when every sample of the target stored before the call is known; rejects with `Outage`. */
  upToDate(target: string): Promise<void>;
}
