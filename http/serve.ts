/**
 * A route table on a listening server, with what routes reach beside the ports they are given. Which routes there are
 * is decided by the caller.
 */

import { ConnectorLags } from '../messaging/connector-lags.ts';
import { Connectors } from '../messaging/connectors.ts';
import { Fleet } from '../messaging/fleet.ts';
import { HistoryAsker } from '../messaging/history-asker.ts';
import { PassWriter } from '../messaging/pass-writes.ts';
import { PassesOver } from '../messaging/passes-over.ts';
import { RuleViews } from '../messaging/rule-views.ts';
import { SchedulesOver } from '../messaging/schedules-over.ts';
import { TransfersOver } from '../messaging/transfers-over.ts';
import { UnitRegistrar } from '../messaging/unit-registrar.ts';
import type { Stoppable } from '../ports/bus.ts';
import { ChunkFeeds } from './chunks/chunk-feeds.ts';
import { registerConnectorMetrics } from './connector-metrics.ts';
import { editorOf } from './editor/editor.ts';
import type { FollowRoute } from './follow.ts';
import { HistoryStreams } from './history/streams.ts';
import { watchHolds } from './holds.ts';
import { AllowedHosts } from './hosts.ts';
import { identifierSource } from './identifier.ts';
import { Inspector } from './inspect/inspector.ts';
import { frontEndMetrics } from './metrics.ts';
import { missionControlDialect } from './mission-control.ts';
import { originOf, type Page } from './pages/page.ts';
import type { FrontEndPorts, RoutePorts } from './ports.ts';
import { RequestEvents } from './request-events.ts';
import type { Route } from './route.ts';
import { watchRuns } from './run-index.ts';
import { UnitGateways } from './unit-gateways.ts';
import type { AdmissionLimits } from './uws/admission.ts';
import { Served } from './uws/served.ts';
import { listen } from './uws/server.ts';

export interface FrontEnd {
  readonly port: number;
  readonly url: string;
  /** From now on `/healthz` answers 503, so that no new clients are sent here; everything is still served. */
  drain(): void;
  /** Lets requests finish, closes followers with 1001, and stops. */
  close(): Promise<void>;
}

export interface Table {
  readonly host: string;
  readonly port: number;
  /** Beside the loopback names and `host` (hosts.H1); default none. */
  readonly allowHosts?: readonly string[];
  /** Default: those of `contract/limits/connection.ts`. */
  readonly limits?: Partial<AdmissionLimits>;
  readonly ports: FrontEndPorts;
  readonly routes: readonly Route[];
  readonly follows: readonly FollowRoute[];
  /** Default none. */
  readonly pages?: readonly Page[];
}

/** The server, listening; rejects when the port is taken. */
export async function serveRoutes({
  host,
  port,
  allowHosts,
  limits,
  ports,
  pages = [],
  ...table
}: Table): Promise<FrontEnd> {
  const hosts = new AllowedHosts(host, allowHosts);
  const holds = watchHolds(ports.bus, ports.log);
  const runs = watchRuns(ports.bus, ports.log);
  const inspector = new Inspector(ports);
  const fleet = startFleet(ports);
  const connectors = startConnectors(ports);
  const newId = identifierSource(ports.clock);
  const asker = new HistoryAsker({ bus: ports.bus, clock: ports.clock, newId });
  const requests = new RequestEvents({ ...ports, newId });
  let draining = false;
  let valuesLoaded = false;
  ports.values.ready.then(
    () => {
      valuesLoaded = true;
    },
    (error) => ports.log.error({ err: error }, 'current values could not be read'),
  );
  const routePorts: RoutePorts = {
    ...ports,
    holds,
    runs,
    passesOver: new PassesOver(ports),
    schedulesOver: new SchedulesOver(ports),
    ruleViews: new RuleViews(ports),
    transfersOver: new TransfersOver(ports),
    chunkFeeds: new ChunkFeeds(ports),
    fleet: fleet.fleet,
    unitGateways: new UnitGateways(ports),
    connectors: connectors.connectors,
    connectorLags: connectors.connectorLags,
    passWriter: new PassWriter(ports),
    inspector,
    history: {
      source: ports.historySource ?? asker,
      tables: ports.historyTables,
      streams: new HistoryStreams(),
    },
    newId,
    acted: (act) => requests.add(act),
    signInAt: () => originOf(ports.missions.current?.settings.auth.issuer),
    draining: () => draining,
    valuesLoaded: () => valuesLoaded,
  };
  const metrics = frontEndMetrics(ports.registry);
  const served = new Served<RoutePorts>(routePorts, missionControlDialect, metrics, hosts, limits);
  const server = await listenOrStop([runs, holds, fleet, connectors, asker], () =>
    listen({ host, port, ...table, pages, served, editorOf }),
  );
  return {
    port: server.port,
    url: urlOf(host, server.port),
    drain() {
      draining = true;
    },
    async close() {
      draining = true;
      await server.close();
      await inspector.stop();
      await asker.stop();
      await requests.stop();
      await fleet.stop();
      await connectors.stop();
      await runs.stop();
      await holds.stop();
    },
  };
}

/** The units of the fleet, watched, and answered where this process has what their credentials are made of. */
function startFleet(ports: FrontEndPorts): Stoppable & { readonly fleet: Fleet } {
  const fleet = new Fleet(ports);
  const { units: credentials } = ports;
  const registrar = credentials && new UnitRegistrar({ ...ports, fleet, credentials });
  fleet.start();
  registrar?.start();
  const stop = async (): Promise<void> => {
    await registrar?.stop();
    await fleet.stop();
  };
  return { fleet, stop };
}

/** The connectors, watched and answered, with their lags. */
function startConnectors(ports: FrontEndPorts): Stoppable & Pick<RoutePorts, 'connectors' | 'connectorLags'> {
  const connectors = new Connectors(ports);
  const connectorLags = new ConnectorLags({ ...ports, connectors });
  registerConnectorMetrics(ports.registry, connectorLags);
  connectors.start();
  connectorLags.start();
  const stop = async (): Promise<void> => {
    await connectorLags.stop();
    await connectors.stop();
  };
  return { connectors, connectorLags, stop };
}

/** Where clients reach a server that listens there. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function listenOrStop<Server>(
  started: readonly Stoppable[],
  start: () => Promise<Server>,
): Promise<Server> {
  try {
    return await start();
  } catch (error) {
    for (const each of started) await each.stop();
    throw error;
  }
}
