/**
 * The configuration a request is resolved against, and its targets. Mission Control Service, section 1 (10).
 *
 * G1. Without a connection it is not known whether a configuration is published, so the answer is "unavailable".
 */

import { busAnswers } from '../messaging/bus-answers.ts';
import type { Mission, Target } from '../mission/mission.ts';
import { busUnavailable, refuse } from './errors.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled } from './reply.ts';

/** The current mission; refuses with `api::no-configuration` until one is published. */
export function currentMission({ missions, bus }: Pick<RoutePorts, 'missions' | 'bus'>): Handled<Mission> {
  const mission = missions.current;
  if (mission !== undefined) return { ok: true, value: mission };
  if (!busAnswers(bus)) return busUnavailable();
  return refuse('api::no-configuration', 'no configuration is published yet', {
    help: 'Publish one: mcs config publish DIR.',
  });
}

/** The target of a path; refuses with `api::no-configuration` or `api::unknown-target`. */
export function targetOf(name: string, ports: Pick<RoutePorts, 'missions' | 'bus'>): Handled<Target> {
  const mission = currentMission(ports);
  if (!mission.ok) return mission;
  const target = mission.value.targets.get(name);
  return target === undefined ? unknownTarget(name, mission.value) : { ok: true, value: target };
}

export function unknownTarget(name: string, mission: Mission): Handled<never> {
  return refuse('api::unknown-target', `no target ${name} in the topology`, {
    help: `Targets: ${[...mission.targets.keys()].join(', ') || 'none'}.`,
    path: 'target',
  });
}

/** Refuses a target that the mission does not have: a filter misspelt would look like calm. */
export function strangerRefusal(
  target: string | undefined,
  { missions }: Pick<RoutePorts, 'missions'>,
): Handled<never> | undefined {
  const mission = missions.current;
  if (target === undefined || mission === undefined || mission.targets.has(target)) return undefined;
  return unknownTarget(target, mission);
}
