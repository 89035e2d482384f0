/** The mode of a target as bucket `mcs_modes` has it now. Mission Control Service, section 2.5. */

import { buckets } from '../contract/bus/buckets.ts';
import type { Target } from '../mission/mission.ts';
import { type CurrentMode, currentMode, readTargetMode } from '../mission/mode.ts';
import type { RoutePorts } from './ports.ts';

/** The current mode; throws `Outage` when the bus is away, also for a target without modes. */
export async function readMode(target: Target, { bus }: Pick<RoutePorts, 'bus'>): Promise<CurrentMode> {
  const entry = await bus.bucket(buckets.modes).get(target.name);
  return currentMode(target, readTargetMode(entry?.value));
}
