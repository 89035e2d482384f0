/** The current values of targets for who judges by them: found by measure, whatever catalogue is the present one. */

import type { Measure } from '../mission/platform.ts';

export interface ReceivedValue {
  /**
   * In the unit of the measure, enums as their number, booleans as 0 and 1, text and bytes as string; null: unknown.
   */
  readonly value: number | string | null;
  /** Ground reception time, ms since 1970. */
  readonly groundMs: number;
  /** On-board time when known, else ground time, ms since 1970. */
  readonly timeMs: number;
  readonly deferred: boolean;
}

/**
 * What the freshness of a sample counts from: its reception. A deferred one was taken long before it came: it is as old
 * as its measurement (MC-VAL-007, MC-XFER-059).
 */
export function freshSince({ groundMs, timeMs, deferred }: Omit<ReceivedValue, 'value'>): number {
  return deferred ? Math.min(groundMs, timeMs) : groundMs;
}

export interface TargetValues {
  /** The latest sample of the measure; undefined when there never was one, or it meant something else. */
  sample(target: string, measure: Measure): ReceivedValue | undefined;
  /**
   * Position in the value stream of the last message of the target that the samples hold; undefined while that is not
   * known.
   */
  position(target: string): number | undefined;
  /** Resolves when every sample of the target stored before the call is known; rejects with `Outage`. */
  upToDate(target: string): Promise<void>;
}
