/** The mode of a target as bucket `mcs_modes` has it now. Mission Control Service, section 2.5. */

import { buckets } from '../contract/bus/buckets.ts';
import type { Target } from '../mission/mission.ts';
import { type CurrentMode, currentMode, readTargetMode } from '../mission/mode.ts';
import { refuse } from './errors.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled } from './reply.ts';

/**
 * The current mode; refuses where it is not known (mission/mode.M2). Throws `Outage` when the bus is away, also for a
 * target without modes.
 */
export async function readMode(
  target: Target,
  { bus }: Pick<RoutePorts, 'bus'>,
): Promise<Handled<CurrentMode>> {
  const entry = await bus.bucket(buckets.modes).get(target.name);
  const stored = readTargetMode(entry?.value);
  if (stored !== 'unreadable' || target.modes.length === 0)
    return { ok: true, value: currentMode(target, stored === 'unreadable' ? undefined : stored) };
  return refuse(
    'api::unavailable',
    `the mode of ${target.name} is not known: its entry in bucket ${buckets.modes.name} cannot be read`,
    { help: `Set it again: mcs mode set ${target.name} MODE.` },
  );
}
