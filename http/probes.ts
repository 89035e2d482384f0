/**
 * What probes and scrapers ask of a process that has no API: health and metrics on a port of their own, and nothing
 * else. Mission Control Service, section 6 (metrics). The same two routes as those of the API, on the same server.
 *
 * B1. It is no part of the supervision tree: a role that is restarted or given up is seen here.
 * B2. Whoever asks is not counted: the counts of requests are those of the interface.
 */

import type { Books } from '../messaging/books.ts';
import { AllowedHosts } from './hosts.ts';
import type { FrontEndMetrics } from './metrics.ts';
import { missionControlDialect } from './mission-control.ts';
import type { FrontEndPorts, RoutePorts } from './ports.ts';
import { type ProbePorts, readHealth, readMetrics, readReadiness } from './routes/service.ts';
import { type FrontEnd, urlOf } from './serve.ts';
import { Served } from './uws/served.ts';
import { listen } from './uws/server.ts';

interface ProbesOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Further names it is called by (`hosts.ts`). */
  readonly allowHosts?: readonly string[];
  readonly ports: Omit<FrontEndPorts, 'values' | keyof Books | 'followers'>;
  /** A fresh ULID. */
  readonly newId: () => string;
}

/** `/healthz` and `/metrics`, listening; rejects when the port is taken. */
export async function serveProbes({
  host,
  port,
  allowHosts,
  ports,
  newId,
}: ProbesOptions): Promise<FrontEnd> {
  let draining = false;
  const reached: ProbePorts = { ...ports, newId, draining: () => draining };
  // The two routes take no more than `ProbePorts`, as their types say; the holds and runs that others reach are not
  // watched here.
  const hosts = new AllowedHosts(host, allowHosts);
  const served = new Served<RoutePorts>(reached as RoutePorts, missionControlDialect, UNCOUNTED, hosts);
  const server = await listen({
    host,
    port,
    served,
    follows: [],
    pages: [],
    routes: [readHealth, readReadiness, readMetrics],
    help: 'This port serves /healthz, /readyz and /metrics only; the API is served by processes with the role api.',
  });
  return {
    port: server.port,
    url: urlOf(host, server.port),
    drain() {
      draining = true;
    },
    close: () => server.close(),
  };
}

/** B2 */
const UNCOUNTED: FrontEndMetrics = {
  answered: () => undefined,
  opened: () => undefined,
  closed: () => undefined,
  conflated: () => undefined,
  tooSlow: () => undefined,
};
