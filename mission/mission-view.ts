/**
 * A mission as clients see it. No setting of a driver, gateway or link is shown: addresses and keys may be among them.
 *
 * V1. A mission never changes (mission.M1), so its view is written once, whoever asks and how often.
 */

import type { MissionView } from '../contract/mission-view.ts';
import type { Environment, Mission, Station, Target } from './mission.ts';
import { allProcedures } from './procedure/view.ts';

const written = new WeakMap<Mission, Buffer>();

/** The view as JSON (V1). */
export function missionBytes(mission: Mission): Buffer {
  let bytes = written.get(mission);
  if (bytes === undefined) {
    bytes = Buffer.from(JSON.stringify(missionView(mission)));
    written.set(mission, bytes);
  }
  return bytes;
}

export function missionView(mission: Mission): MissionView {
  const { revision, environments, targets, gateways, stations } = mission;
  return {
    revision,
    environments: [...environments.values()].map(environmentView),
    targets: [...targets.values()].map(targetView),
    gateways: [...gateways.values()].map(({ name, kind, tags, faults }) => ({
      gateway: name,
      kind,
      tags: [...tags],
      faults: [...faults],
    })),
    stations: [...stations.values()].map(stationView),
    procedures: allProcedures(mission),
  };
}

function environmentView(environment: Environment): MissionView['environments'][number] {
  const { name, kind, identity, humanOrchestration, hazardousConfirmation } = environment;
  return {
    environment: name,
    in_orbit: kind === 'in_orbit',
    identity,
    human_orchestration: humanOrchestration,
    hazardous_confirmation: [...hazardousConfirmation],
  };
}

function stationView(station: Station): MissionView['stations'][number] {
  const { name, latitudeDeg, longitudeDeg, altitudeM, minElevationDeg } = station;
  return {
    station: name,
    ...(latitudeDeg !== undefined && { latitude_deg: latitudeDeg }),
    ...(longitudeDeg !== undefined && { longitude_deg: longitudeDeg }),
    ...(altitudeM !== undefined && { altitude_m: altitudeM }),
    ...(minElevationDeg !== undefined && { min_elevation_deg: minElevationDeg }),
  };
}

function targetView(target: Target): MissionView['targets'][number] {
  const { name, platformId, environments, modes, defaultLink, links } = target;
  return {
    target: name,
    platform: platformId,
    environments: [...environments],
    modes: [...modes],
    default_link: defaultLink,
    links: [...links.keys()],
  };
}
