/** What is read of one run and cannot be had is wrong with that run alone (shard.S6). */

import { Outage } from '../../contract/outage.ts';
import type { Program } from '../../contract/program.ts';
import type { Mission } from '../../mission/mission.ts';
import type { RunServices } from './services.ts';

/** What can be had, or that it is broken. Throws `Outage`. */
export function orBroken<Value>(wanted: Promise<Value>): Promise<Value | 'broken'> {
  return wanted.catch((error: unknown) => {
    if (error instanceof Outage) throw error;
    return 'broken';
  });
}

/** The mission that a run was resolved with; a text saying why there is none. Throws `Outage`. */
export async function missionOf(
  { config }: Program,
  { missions, platforms }: Pick<RunServices, 'missions' | 'platforms'>,
): Promise<Mission | string> {
  const gone = `the configuration ${config} it was resolved with is not stored`;
  const mission = await orBroken(missions.at(config));
  if (mission === 'broken') return `the configuration ${config} it was resolved with cannot be read here`;
  if (mission !== undefined) platforms.learn(mission);
  return mission ?? gone;
}
