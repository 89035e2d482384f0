/** Scenarios, their runs and their reports. RF Bench Service, section 4. */

import { Validated } from '../../contract/bench/profile.ts';
import { BENCH_LIST_LIMIT } from '../../contract/limits/bench.ts';
import { limitInQuery, nameInPath, uuidInPath, wordInQuery } from './parameters.ts';
import { asked, type BenchRoute, defineBenchRoute, found, given, replied } from './route.ts';
import {
  ActiveRunShape,
  AnyScenario,
  ReportShape,
  ReportsShape,
  RunEventsShape,
  ScenarioRunShape,
  ScenarioRunsShape,
  ScenarioShape,
  ScenariosShape,
} from './shapes.ts';

const params = { name: nameInPath('scenario', 'loopback') };
const run = { run_id: uuidInPath('The run of a scenario.') };
const OVER = ['passed', 'failed', 'cancelled'] as const;

export const scenarioRoutes: readonly BenchRoute[] = [
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/scenarios',
    operationId: 'listScenarios',
    summary: 'All scenarios',
    description: 'Those of the configuration.',
    tag: 'Scenarios',
    replies: { 200: ScenariosShape },
    errors: [],
    handle: (_request, { bench }) => replied(bench.scenarios.list()),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/scenarios/active',
    operationId: 'readActiveScenario',
    summary: 'The run in flight, or null',
    description: 'Including one that a campaign started.',
    tag: 'Scenarios',
    replies: { 200: ActiveRunShape },
    errors: [],
    handle: (_request, { bench }) => replied(bench.scenarios.active() ?? null),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/scenarios/active/cancel',
    operationId: 'cancelScenario',
    summary: 'Asks the run in flight to stop',
    description: 'Answers the run it asked; what the scenario does at its end is still done.',
    tag: 'Scenarios',
    replies: { 200: ScenarioRunShape },
    errors: ['conflict', 'unavailable'],
    handle: (_request, { bench }) => asked(bench.scenarios.cancel()),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/scenarios/validate',
    operationId: 'validateScenario',
    summary: 'Judges a scenario',
    description: 'For an invalid scenario the reply lists every reason; it is not an error. Nothing is kept.',
    tag: 'Scenarios',
    body: AnyScenario,
    replies: { 200: Validated },
    errors: [],
    handle: ({ body }, { bench }) => replied(bench.scenarios.validate(body)),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/scenarios/:name',
    operationId: 'readScenario',
    summary: 'One scenario',
    description: 'The whole document.',
    tag: 'Scenarios',
    params,
    replies: { 200: ScenarioShape },
    errors: [],
    handle: ({ params: { name } }, { bench }) =>
      found(bench.scenarios.get(name), 'scenario', name, 'GET /api/v1/scenarios'),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/scenarios/:name/run',
    operationId: 'runScenario',
    summary: 'Starts a scenario',
    description: 'Refused while a campaign or another scenario runs.',
    tag: 'Scenarios',
    params,
    replies: { 202: ScenarioRunShape },
    errors: ['conflict', 'unavailable'],
    handle: ({ params: { name } }, { bench }) => asked(bench.scenarios.start(name), 202),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/scenario-runs',
    operationId: 'listScenarioRuns',
    summary: 'The runs of scenarios',
    description: 'Newest first, the one in flight among them.',
    tag: 'Scenarios',
    replies: { 200: ScenarioRunsShape },
    errors: ['unavailable'],
    handle: (_request, { bench }) => asked(bench.scenarios.runs()),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/scenario-runs/:run_id',
    operationId: 'readScenarioRun',
    summary: 'One run of a scenario',
    description: 'Its state, or how it ended.',
    tag: 'Scenarios',
    params: run,
    replies: { 200: ScenarioRunShape },
    errors: ['unavailable'],
    handle: ({ params: { run_id } }, { bench }) => asked(bench.scenarios.run(run_id.toLowerCase())),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/scenario-runs/:run_id/events',
    operationId: 'listRunEvents',
    summary: 'Events of a run',
    description: 'In order; empty while it is in flight.',
    tag: 'Scenarios',
    params: run,
    replies: { 200: RunEventsShape },
    errors: ['unavailable'],
    handle: ({ params: { run_id } }, { bench }) => asked(bench.scenarios.runEvents(run_id.toLowerCase())),
  }),
];

export const reportRoutes: readonly BenchRoute[] = [
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/reports',
    operationId: 'listReports',
    summary: 'Reports of finished runs',
    description: 'Newest first; a run in flight is not among them.',
    tag: 'Reports',
    query: { limit: limitInQuery, status: wordInQuery(OVER, 'Only of this outcome.') },
    replies: { 200: ReportsShape },
    errors: ['unavailable'],
    handle: ({ query: { limit = BENCH_LIST_LIMIT, status } }, { bench }) =>
      asked(bench.scenarios.reports(given({ limit, status }))),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/reports/:run_id',
    operationId: 'readReport',
    summary: 'One report',
    description: 'With its events, its assertions and whether one of them read the link.',
    tag: 'Reports',
    params: run,
    replies: { 200: ReportShape },
    errors: ['unavailable'],
    handle: ({ params: { run_id } }, { bench }) => asked(bench.scenarios.report(run_id.toLowerCase())),
  }),
];
