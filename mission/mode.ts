/**
 * The mode a target is in, from what bucket `mcs_modes` holds of it. Mission Control Service, section 2.5.
 *
 * M1. A target that was never set, or whose stored mode the topology no longer declares, is in its default mode, the
 *     first one declared; a target without modes is in none.
 */

import type { TargetMode } from '../contract/mode.ts';
import type { Target } from './mission.ts';

export interface CurrentMode {
  /** Null: the topology declares none. */
  readonly mode: string | null;
  /** How it came to be set; undefined for a default. */
  readonly set: TargetMode | undefined;
}

/** The current mode (M1). */
export function currentMode({ modes }: Pick<Target, 'modes'>, stored: TargetMode | undefined): CurrentMode {
  if (stored !== undefined && modes.includes(stored.mode)) return { mode: stored.mode, set: stored };
  return { mode: modes[0] ?? null, set: undefined };
}

/** The entry of the bucket; undefined when there is none, or what stands there is no mode. */
export function readTargetMode(value: Uint8Array | undefined): TargetMode | undefined {
  if (value === undefined) return undefined;
  try {
    const read = JSON.parse(Buffer.from(value).toString()) as Partial<TargetMode> | null;
    return typeof read?.mode === 'string' && typeof read.since === 'string'
      ? (read as TargetMode)
      : undefined;
  } catch {
    return undefined;
  }
}
