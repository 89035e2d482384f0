/**
 * The platforms that the columns of a value stream may be made of: of the mission of the run, of the present one, and of the
 * revision a message names.
 */

import type { Mission } from '../../mission/mission.ts';
import type { Platform } from '../../mission/platform.ts';
import type { MissionSource } from '../../ports/mission-source.ts';

/** The platform with this digest, if any of them has it. Rejects with `Outage` when the bus cannot be asked. */
export type FindPlatform = (digest: string, revision: string | undefined) => Promise<Platform | undefined>;

export function platformFinder(missions: MissionSource, own: Mission): FindPlatform {
  return async (digest, revision) => {
    const here = platformIn(own, digest) ?? platformIn(missions.current, digest);
    if (here !== undefined || revision === undefined) return here;
    return platformIn(await missions.at(revision), digest);
  };
}

function platformIn(mission: Mission | undefined, digest: string): Platform | undefined {
  return [...(mission?.platforms.values() ?? [])].find((platform) => platform.digest === digest);
}
