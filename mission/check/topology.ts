/**
 * A topology document to its configuration: environments, stations, gateways, drivers; targets are in `target.ts`.
 * Mission Control Service, sections 2.1, 5 item 4, 2.6.
 */

import type {
  DriverConfiguration,
  EnvironmentConfiguration,
  GatewayConfiguration,
  PlatformConfiguration,
  StationConfiguration,
  TopologyConfiguration,
} from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { ReadDocument } from '../document/read.ts';
import type {
  DriverDocument,
  EnvironmentDocument,
  GatewayDocument,
  StationsDocument,
  TopologyDocument,
} from '../document/topology.ts';
import { checkCfdpGateways } from './cfdp-gateways.ts';
import { checkDriver } from './driver.ts';
import { checkEndpoint, checkPorts } from './endpoint.ts';
import { numberIn } from './quantity.ts';
import { checkChannel } from './simulated.ts';
import { checkTarget } from './target.ts';
import { checkSharedAnswers } from './text-link.ts';

/** The topology as far as it holds. */
export function checkTopology(
  read: ReadDocument,
  platforms: ReadonlyMap<string, PlatformConfiguration>,
): TopologyConfiguration {
  const document = read.value as TopologyDocument;
  const { faults } = read;
  const { environments, gateways = {}, drivers = {}, targets } = document;
  if (Object.keys(environments).length === 0)
    faults.in('environments').fault('there is no environment', 'declare one, like bench');
  const checked = Object.entries(gateways).map(([name, each]) =>
    checkGateway(name, each, faults.in('gateways', name)),
  );
  checkPorts(checked, faults.in('gateways'));
  const flown = Object.entries(drivers).map(([name, driver]) =>
    driverOf(name, driver, faults.in('drivers', name)),
  );
  const engaged = Object.entries(targets).map(([name, each]) =>
    checkTarget(name, each, { document, platforms }, faults.in('targets', name)),
  );
  const all = { gateways: checked, drivers: flown, targets: engaged };
  checkSharedAnswers(all, platforms, faults.in('targets'));
  checkCfdpGateways(all, faults.in('targets'));
  return {
    name: document.topology,
    environments: Object.entries(environments).map(([name, each]) => environmentOf(name, each)),
    stations: checkStations(document.stations ?? {}, faults.in('stations')),
    gateways: checked,
    drivers: flown,
    targets: engaged,
  };
}

function driverOf(name: string, document: DriverDocument, faults: FaultsAt): DriverConfiguration {
  checkDriver(document, faults);
  const { protocol, description: _, ...settings } = document;
  return { name, protocol, settings };
}

function environmentOf(name: string, document: EnvironmentDocument): EnvironmentConfiguration {
  return {
    name,
    ...(document.kind !== undefined && { kind: document.kind }),
    identity: document.identity ?? 'declared',
    humanOrchestration: document.human_orchestration ?? false,
    hazardousConfirmation: document.hazardous_confirmation ?? [],
    hazardousRequiresPlan: document.hazardous_requires_plan ?? false,
    drafts: document.drafts === 'allowed',
  };
}

/** The stations as far as they hold. */
export function checkStations(stations: StationsDocument, faults: FaultsAt): StationConfiguration[] {
  return Object.entries(stations).map(([name, { latitude, longitude, altitude, min_elevation }]) => {
    const inDegrees = (key: string, value: string | number | undefined): number | undefined =>
      value === undefined ? undefined : numberIn(value, 'deg', faults.in(name, key));
    const latitudeDeg = inDegrees('latitude', latitude);
    const longitudeDeg = inDegrees('longitude', longitude);
    const minElevationDeg = inDegrees('min_elevation', min_elevation);
    const altitudeM =
      altitude === undefined ? undefined : numberIn(altitude, 'm', faults.in(name, 'altitude'));
    return {
      name,
      ...(latitudeDeg !== undefined && { latitudeDeg }),
      ...(longitudeDeg !== undefined && { longitudeDeg }),
      ...(altitudeM !== undefined && { altitudeM }),
      ...(minElevationDeg !== undefined && { minElevationDeg }),
    };
  });
}

function checkGateway(name: string, document: GatewayDocument, faults: FaultsAt): GatewayConfiguration {
  const { recording, model, faults: known = [] } = document;
  const kind = gatewayKind(document, faults);
  const simulated = document.simulated ?? false;
  if (!simulated && known.length > 0) {
    faults
      .in('faults')
      .fault('only simulated gateways have faults', 'add `simulated: true`, or leave them out');
  }
  if (!simulated && model !== undefined)
    faults.in('model').fault('only simulated gateways have a model', 'add `simulated: true`');
  if (simulated) checkChannel(document.settings ?? {}, faults.in('settings'));
  if (recording !== undefined) checkRecording(recording, faults.in('recording'));
  const endpoint = checkEndpoint(document, faults);
  const rate = document.rate === undefined ? undefined : numberIn(document.rate, 'bit/s', faults.in('rate'));
  if (rate !== undefined && rate <= 0)
    faults.in('rate').fault('a rate is above zero', 'write one like 9.6 kbit/s');
  return {
    name,
    kind,
    tags: document.tags ?? [],
    echo: document.echo ?? false,
    faults: known,
    settings: {
      ...document.settings,
      ...(rate !== undefined && { link_rate: rate }),
      ...(model !== undefined && { model }),
      ...recording,
    },
    ...(endpoint !== undefined && { endpoint }),
  };
}

/** What stands behind the gateway; a second answer to that is a fault. */
function gatewayKind(document: GatewayDocument, faults: FaultsAt): GatewayConfiguration['kind'] {
  const { simulated = false, recording, udp, tcp, echo } = document;
  if (recording !== undefined && simulated)
    faults.in('recording').fault('a gateway is simulated or plays a recording', 'keep one of the two');
  const kinds = (['recording', 'udp', 'tcp'] as const).filter((kind) => document[kind] !== undefined);
  for (const kind of kinds) {
    const others = [...(simulated ? ['simulated'] : []), ...kinds.slice(0, kinds.indexOf(kind))];
    if (kind === 'recording' || others.length === 0) continue;
    faults.in(kind).fault(`a gateway is one thing: it has ${others.join(' and ')} too`, 'keep one of them');
  }
  if (echo === true && (udp !== undefined || tcp !== undefined)) {
    const help = 'leave it out: a frame that comes back is received like any other';
    faults.in('echo').fault('a gateway over udp or tcp cannot tell an echo from telemetry', help);
  }
  return simulated ? 'simulated' : (kinds[0] ?? 'external');
}

function checkRecording(recording: NonNullable<GatewayDocument['recording']>, faults: FaultsAt): void {
  const { file, rate, as_fast_as_possible } = recording;
  if ((rate === undefined) === (as_fast_as_possible !== true)) {
    faults.fault(
      'it does not say how fast to play',
      'give `rate: packets a second`, or `as_fast_as_possible: true`',
    );
  }
  if (file.startsWith('/') || file.split(/[\\/]/).includes('..')) {
    faults.in('file').fault(`"${file}" leaves the folder of the mission`, 'write a path below it');
  }
}
