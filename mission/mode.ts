/**
 * The mode a target is in, from what bucket `mcs_modes` holds of it. Mission Control Service, section 2.5.
 *
 * M1. A target that was never set, or whose stored mode the topology no longer declares, is in its default mode, the
 *     first one declared; a target without modes is in none.
 * M2. An entry that cannot be read is no target that was never set: what it is in is not known until it is set again.
 * M3. What is announced in an entry (`announced`) is not set: the mode is the one that stands beside it.
 */

import { readInstant } from '../contract/instant.ts';
import { objectIn } from '../contract/json-bytes.ts';
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

/** What the entry of the bucket says; undefined without one, or with an empty one. Never throws (M2). */
export function readTargetMode(value: Uint8Array | undefined): TargetMode | 'unreadable' | undefined {
  if (value === undefined || value.length === 0) return undefined;
  const read: Partial<Record<keyof TargetMode | 'announced', unknown>> = objectIn(value) ?? {};
  const { announced, ...stands } = read;
  if (announced !== undefined && Object.keys(stands).length === 0) return undefined;
  const { mode, since, by = '', run = '' } = stands;
  const isWhole = [mode, since, by, run].every((text) => typeof text === 'string');
  return isWhole && readInstant(since as string) !== undefined ? (stands as TargetMode) : 'unreadable';
}

/** The entry with a mode announced beside what stands in it (M3). */
export function announcedMode(value: Uint8Array | undefined, announced: TargetMode): Uint8Array {
  const stands = readTargetMode(value);
  return Buffer.from(JSON.stringify({ ...(stands === 'unreadable' ? { mode: null } : stands), announced }));
}

/** Whether a mode is announced in the entry. Never throws. */
export function isAnnounced(value: Uint8Array): boolean {
  const read: { readonly announced?: unknown } = objectIn(value) ?? {};
  return read.announced !== undefined;
}
