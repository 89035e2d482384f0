/**
 * The front end of one process: the route table on a listening server. Mission Control Service, sections 1 (10) and 4.
 * Stateless: whatever a route knows comes over the bus, so any number of instances serve one cell.
 */

import { docsPages } from './docs/docs.ts';
import { editorOperations } from './editor/editor.ts';
import type { FollowRoute } from './follow.ts';
import { consolePages } from './pages/console.ts';
import type { FrontEndPorts } from './ports.ts';
import type { Route } from './route.ts';
import { listAlarmEvents } from './routes/alarm-events.ts';
import { watchReactions } from './routes/alarm-reactions.ts';
import { alarmFollows, alarmRoutes } from './routes/alarms.ts';
import { authRoutes } from './routes/auth.ts';
import { catalogueRoutes } from './routes/catalogue.ts';
import { connectorRoutes } from './routes/connectors.ts';
import { eventFollows, eventRoutes } from './routes/events.ts';
import { fileRefreshRoutes } from './routes/file-refresh.ts';
import { fileRoutes } from './routes/files.ts';
import { historyRoutes } from './routes/history.ts';
import { inspectFollows, inspectRoutes } from './routes/inspect.ts';
import { linkFrameFollows } from './routes/link-frames.ts';
import { linkRoutes } from './routes/links.ts';
import { missionRoutes } from './routes/mission.ts';
import { modeRoutes } from './routes/modes.ts';
import { parameterRoutes } from './routes/parameters.ts';
import { passFollows, passRoutes } from './routes/passes.ts';
import { procedureRoutes } from './routes/procedures.ts';
import { runCommandRoutes } from './routes/run-commands.ts';
import { readRunReport } from './routes/run-report.ts';
import { readRunSteps } from './routes/run-steps.ts';
import { watchRuns } from './routes/run-watch.ts';
import { runFollows, runRoutes } from './routes/runs.ts';
import { ruleRoutes } from './routes/schedule-rules.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { readHealth, readMetrics, readReadiness, selfDescriptions } from './routes/service.ts';
import { simulationRoutes } from './routes/simulation.ts';
import { targetLinkRoutes } from './routes/target-links.ts';
import { listTelecommands } from './routes/telecommand-history.ts';
import { telecommandFollows, telecommandRoutes } from './routes/telecommands.ts';
import { transferContentFollows, transferContentRoutes } from './routes/transfer-content.ts';
import { transferFollows, transferRoutes } from './routes/transfers.ts';
import { unitRoutes } from './routes/units.ts';
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
  listTelecommands,
  ...linkRoutes,
  ...targetLinkRoutes,
  ...runRoutes,
  ...procedureRoutes,
  readRunReport,
  readRunSteps,
  ...runCommandRoutes,
  ...valueRoutes,
  ...historyRoutes,
  ...modeRoutes,
  ...parameterRoutes,
  ...alarmRoutes,
  listAlarmEvents,
  ...eventRoutes,
  ...passRoutes,
  ...scheduleRoutes,
  ...ruleRoutes,
  ...missionRoutes,
  ...catalogueRoutes,
  ...fileRoutes,
  ...fileRefreshRoutes,
  ...transferRoutes,
  ...transferContentRoutes,
  ...unitRoutes,
  ...connectorRoutes,
  ...simulationRoutes,
  ...authRoutes,
  ...uploadRoutes,
  ...inspectRoutes,
  readHealth,
  readReadiness,
  readMetrics,
];
export const follows: readonly FollowRoute[] = [
  ...telecommandFollows,
  watchRuns,
  ...runFollows,
  ...valueFollows,
  ...alarmFollows,
  watchReactions,
  ...eventFollows,
  ...passFollows,
  ...transferFollows,
  ...transferContentFollows,
  ...linkFrameFollows,
  ...inspectFollows,
];
/** Every route of the service, with those that describe them all. */
export const routes: readonly Route[] = [
  ...described,
  ...selfDescriptions([...described, ...editorOperations], follows),
];

/** What the interface description shows: beside the routes of this service, those that go to the editor. */
export const describedRoutes = [...routes, ...editorOperations];

/** The front end, listening; rejects when the port is taken. */
export async function startFrontEnd(options: FrontEndOptions): Promise<FrontEnd> {
  const { host = '127.0.0.1', port = 0, allowHosts = [], ...ports } = options;
  const pages = [...docsPages, ...consolePages];
  return serveRoutes({ host, port, allowHosts, ports, routes, follows, pages });
}
