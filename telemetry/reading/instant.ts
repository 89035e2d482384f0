/** Moments of samples. Mission Control Service, section 2.2. */

import { isInstant } from '../../contract/instant.ts';

/** The `time` of a sample: the on-board time when it is known, else the ground time. */
export function timeOf(onboardMs: number, groundMs: number): number {
  return isInstant(onboardMs) ? onboardMs : groundMs;
}
