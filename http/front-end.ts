/**
 * The front end of one process: the route table on a listening server. Mission Control Service, sections 1 (10) and 4.
 * Stateless: whatever a route knows comes over the bus, so any number of instances serve one cell.
 */

import { docsPages } from './docs/docs.ts';
import type { FollowRoute } from './follow.ts';
import { consolePages } from './pages/console.ts';
import type { FrontEndPorts } from './ports.ts';
import type { Route } from './route.ts';
import { alarmFollows, alarmRoutes } from './routes/alarms.ts';
import { authRoutes } from './routes/auth.ts';
import { catalogueRoutes } from './routes/catalogue.ts';
import { fileRefreshRoutes } from './routes/file-refresh.ts';
import { fileRoutes } from './routes/files.ts';
import { inspectFollows, inspectRoutes } from './routes/inspect.ts';
import { linkFrameFollows } from './routes/link-frames.ts';
import { linkRoutes } from './routes/links.ts';
import { modeRoutes } from './routes/modes.ts';
import { parameterRoutes } from './routes/parameters.ts';
import { passFollows, passRoutes } from './routes/passes.ts';
import { runCommandRoutes } from './routes/run-commands.ts';
import { readRunSteps } from './routes/run-steps.ts';
import { runFollows, runRoutes } from './routes/runs.ts';
import { ruleRoutes } from './routes/schedule-rules.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { readHealth, readMetrics, selfDescriptions } from './routes/service.ts';
import { simulationRoutes } from './routes/simulation.ts';
import { targetLinkRoutes } from './routes/target-links.ts';
import { telecommandFollows, telecommandRoutes } from './routes/telecommands.ts';
import { transferContentFollows, transferContentRoutes } from './routes/transfer-content.ts';
import { transferFollows, transferRoutes } from './routes/transfers.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { valueFollows, valueRoutes } from './routes/values.ts';
import { type FrontEnd, serveRoutes } from './serve.ts';

export interface FrontEndOptions extends FrontEndPorts {
  /** Default 127.0.0.1: other interfaces are a decision. */
  readonly host?: string;
  /** Default 0: a free port. */
  readonly port?: number;
  /** Further names it is called by (`hosts.ts`). */
  readonly allowHosts?: readonly string[];
}

const described: readonly Route[] = [
  ...telecommandRoutes,
  ...linkRoutes,
  ...targetLinkRoutes,
  ...runRoutes,
  readRunSteps,
  ...runCommandRoutes,
  ...valueRoutes,
  ...modeRoutes,
  ...parameterRoutes,
  ...alarmRoutes,
  ...passRoutes,
  ...scheduleRoutes,
  ...ruleRoutes,
  ...catalogueRoutes,
  ...fileRoutes,
  ...fileRefreshRoutes,
  ...transferRoutes,
  ...transferContentRoutes,
  ...simulationRoutes,
  ...authRoutes,
  ...uploadRoutes,
  ...inspectRoutes,
  readHealth,
  readMetrics,
];
export const follows: readonly FollowRoute[] = [
  ...telecommandFollows,
  ...runFollows,
  ...valueFollows,
  ...alarmFollows,
  ...passFollows,
  ...transferFollows,
  ...transferContentFollows,
  ...linkFrameFollows,
  ...inspectFollows,
];
/** Every route of the service, with those that describe them all. */
export const routes: readonly Route[] = [...described, ...selfDescriptions(described, follows)];

/** The front end, listening; rejects when the port is taken. */
export async function startFrontEnd(options: FrontEndOptions): Promise<FrontEnd> {
  const { host = '127.0.0.1', port = 0, allowHosts = [], ...ports } = options;
  const pages = [...docsPages, ...consolePages];
  return serveRoutes({ host, port, allowHosts, ports, routes, follows, pages });
}
