/** The current values of targets as code needs them: one sample at a time, by ordinal. */

export interface KnownSample {
  /** In the unit of the measure, enums as their number, booleans as 0 and 1, text and bytes as string; null: unknown. */
  readonly value: number | string | null;
  /** Ground reception time, ms since 1970. */
  readonly groundMs: number;
}

export interface TargetValues {
  /** The latest sample; undefined when there never was one. `ordinal` is of the current platform of the target. */
  sample(target: string, ordinal: number): KnownSample | undefined;
}
