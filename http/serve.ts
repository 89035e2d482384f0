/**
 * A route table on a listening server, with what routes reach beside the ports they are given. Which routes there are
 * is decided by the caller.
 */

import { PassWriter } from '../messaging/pass-writes.ts';
import { PassesOver } from '../messaging/passes-over.ts';
import { SchedulesOver } from '../messaging/schedules-over.ts';
import { TransfersOver } from '../messaging/transfers-over.ts';
import type { Stoppable } from '../ports/bus.ts';
import { ChunkFeeds } from './chunks/chunk-feeds.ts';
import type { FollowRoute } from './follow.ts';
import { watchHolds } from './holds.ts';
import { AllowedHosts } from './hosts.ts';
import { identifierSource } from './identifier.ts';
import { Inspector } from './inspect/inspector.ts';
import { frontEndMetrics } from './metrics.ts';
import { missionControlDialect } from './mission-control.ts';
import type { Page } from './pages/page.ts';
import type { FrontEndPorts, RoutePorts } from './ports.ts';
import type { Route } from './route.ts';
import { watchRuns } from './run-index.ts';
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
  /** Default: those of `contract/limits.ts`. */
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
    transfersOver: new TransfersOver(ports),
    chunkFeeds: new ChunkFeeds(ports),
    passWriter: new PassWriter(ports),
    inspector,
    newId: identifierSource(ports.clock),
    draining: () => draining,
    valuesLoaded: () => valuesLoaded,
  };
  const metrics = frontEndMetrics(ports.registry);
  const served = new Served<RoutePorts>(routePorts, missionControlDialect, metrics, hosts, limits);
  const server = await listenOrStop([runs, holds], () => listen({ host, port, ...table, pages, served }));
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
      await runs.stop();
      await holds.stop();
    },
  };
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
