/**
 * The front end of a bench: its route table on a listening server, over the bench in the same process. RF Bench
 * Service, sections 1 and 4.
 *
 * N1. A path that is written out wins over one with a name in it: no campaign, scenario or profile is called `active`.
 * N2. On loopback no caller is asked who they are; elsewhere the configuration says who may call (RF Bench Service,
 *     section 5). Which of the two it is decides who assembles the daemon.
 */

import type { Registry } from 'prom-client';
import type { Bench } from '../../ports/bench.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { docsPagesOf } from '../docs/docs.ts';
import { AllowedHosts } from '../hosts.ts';
import { identifierSource } from '../identifier.ts';
import { frontEndMetrics } from '../metrics.ts';
import type { Page } from '../pages/page.ts';
import { type FrontEnd, urlOf } from '../serve.ts';
import { Served } from '../uws/served.ts';
import { listen } from '../uws/server.ts';
import { campaignRoutes } from './campaigns.ts';
import { chainRoutes } from './chain.ts';
import { datapathRoutes } from './datapath.ts';
import { benchDialect, benchInterface } from './dialect.ts';
import { eventRoutes } from './events.ts';
import { pictureFeeds } from './feeds.ts';
import { frameFeed } from './frame-feed.ts';
import { frameRoutes } from './frames.ts';
import type { BenchIdentity, BenchPorts } from './ports.ts';
import { profileRoutes } from './profiles.ts';
import { radioRoutes } from './radio.ts';
import type { BenchFollow, BenchRoute } from './route.ts';
import { reportRoutes, scenarioRoutes } from './scenarios.ts';
import { benchDescriptions, probeRoutes, readSchema } from './service.ts';
import { transmitFeed } from './transmit-feed.ts';

export interface BenchFrontEndOptions {
  readonly bench: Bench;
  /** Default 127.0.0.1: other interfaces are a decision. */
  readonly host?: string;
  /** Default 0: a free port. */
  readonly port?: number;
  /** Further names it is called by (`http/hosts.ts`). */
  readonly allowHosts?: readonly string[];
  /** Who calls, by the configuration of the cell (N2); default: nobody is asked. */
  readonly identity?: BenchIdentity | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
  /** Pages beside the interface description; default none. */
  readonly pages?: readonly Page[];
}

const described: readonly BenchRoute[] = [
  ...radioRoutes,
  ...chainRoutes,
  ...datapathRoutes,
  ...profileRoutes,
  ...scenarioRoutes,
  ...campaignRoutes,
  ...reportRoutes,
  ...frameRoutes,
  ...eventRoutes,
  readSchema,
  ...probeRoutes,
];
export const benchFollows: readonly BenchFollow[] = [frameFeed, transmitFeed, ...pictureFeeds];
/** Every route of the bench, with those that describe them all. */
export const benchRoutes: readonly BenchRoute[] = [
  ...described,
  ...benchDescriptions(described, benchFollows),
];

/** The front end, listening; rejects when the port is taken. */
export async function startBenchFrontEnd(options: BenchFrontEndOptions): Promise<FrontEnd> {
  const { bench, host = '127.0.0.1', port = 0, identity, clock, log, registry, pages = [] } = options;
  let draining = false;
  const ports: BenchPorts = {
    bench,
    clock,
    log,
    registry,
    identity,
    newId: identifierSource(clock),
    draining: () => draining,
  };
  const hosts = new AllowedHosts(host, options.allowHosts);
  const served = new Served<BenchPorts>(ports, benchDialect, frontEndMetrics(registry, 'bench'), hosts);
  const server = await listen({
    host,
    port,
    routes: benchRoutes,
    follows: benchFollows,
    served,
    pages: [...docsPagesOf(benchInterface.title, '/api/v1/openapi.json'), ...pages],
  });
  return {
    port: server.port,
    url: urlOf(host, server.port),
    drain() {
      draining = true;
    },
    async close() {
      draining = true;
      await server.close();
    },
  };
}
