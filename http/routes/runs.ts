/**
 * Runs of procedures: launched, listed, read and followed. Mission Control Service, sections 2.3 and 4.2. Launching means
 * resolved, its program stored and its submission on the bus; what becomes of it is the executor's matter.
 *
 * U1. Nothing is stored of a launch that is refused, and every fault of it is said at once.
 * U2. A launch is taken once its submission is stored: what is written after it (the index) may fail, its executor
 *     writes it again.
 * U3. A program outlives every log that names it: one launched again is written again when it is older than a day.
 */

import { assert } from '../../contract/assert.ts';
import { RUN_LIST_DEFAULT, RUN_LIST_MOST } from '../../contract/limits.ts';
import { Outage } from '../../contract/outage.ts';
import {
  LaunchReply,
  RunEvent,
  RunList,
  RunRequest,
  RunStatus,
  type RunSubmission,
} from '../../contract/run.ts';
import { buckets, header, objectStores, streams, subject } from '../../contract/subject.ts';
import type { Mission } from '../../mission/mission.ts';
import {
  hashesIn,
  type ResolvedRun,
  type RunKnown,
  resolveRun,
} from '../../mission/procedure/resolve-run.ts';
import { statusOf, submittedRun } from '../../mission/procedure/run-status.ts';
import type { Caller } from '../caller.ts';
import { busUnavailable } from '../errors.ts';
import { closeCode, defineFollow } from '../follow.ts';
import { nameOf } from '../identity.ts';
import { currentMission } from '../mission-of.ts';
import { limitInQuery, runInPath, runOrUnknown } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';
import { defineRoute } from '../route.ts';
import { linkRefusal } from '../run-links.ts';
import { launchRefusal } from '../run-policy.ts';
import { readRun, readRunEvent, unknownRun } from '../run-record.ts';

/** Every refusal of resolution (section 7.4). */
const RESOLUTION_ERRORS = [
  'run::unknown-environment',
  'run::unknown-library',
  'run::unknown-procedure',
  'run::ambiguous-procedure',
  'run::not-allowed',
  'run::draft-not-allowed',
  'run::unexpected-target',
  'run::missing-target',
  'run::unknown-target',
  'run::wrong-platform',
  'run::catalogue-version',
  'run::not-imported',
  'run::target-not-in-environment',
  'run::unexpected-input',
  'run::missing-input',
  'run::invalid-input',
  'run::unknown-link',
  'run::link-component',
  'run::fault-target',
  'run::fault-step',
  'run::fault-not-simulated',
  'run::plan-required',
  'run::must-be-scheduled',
  'run::parameter-undefined',
  'run::unknown-pass',
] as const;

/** How old a stored program may be before a launch writes it again (U3). */
const PROGRAM_RENEW_MS = 24 * 3_600_000;

export const listRuns = defineRoute({
  method: 'GET',
  path: '/v1/runs',
  operationId: 'listRuns',
  summary: 'List the newest runs',
  description: 'Newest first. A run is listed from its launch on, before an executor has begun it.',
  tag: 'Runs',
  query: { limit: limitInQuery(RUN_LIST_DEFAULT, RUN_LIST_MOST) },
  replies: { 200: RunList },
  errors: ['api::unavailable'],
  handle({ query: { limit = RUN_LIST_DEFAULT } }, ports) {
    const runs = ports.runs.newest(limit);
    if (runs === undefined) return busUnavailable();
    return { ok: true, value: { status: 200, body: { runs: [...runs] } satisfies RunList } };
  },
});

export const launchRun = defineRoute({
  method: 'POST',
  path: '/v1/runs',
  operationId: 'launchRun',
  summary: 'Launch a run of a procedure',
  description:
    'Resolved against the current configuration and stored on the bus; what becomes of it is told by ' +
    '`GET /v1/runs/{run}/events`. A run begins when an executor takes it up, also when none runs at the moment. A launch ' +
    'without an answer may have been taken: look into the list before it is repeated.',
  tag: 'Runs',
  body: RunRequest,
  replies: { 202: LaunchReply },
  errors: [
    'api::no-configuration',
    'api::anonymous',
    'auth::jwt-required',
    ...RESOLUTION_ERRORS,
    'run::no-link',
    'api::unavailable',
  ],
  statuses: { 'api::anonymous': [401] },
  async handle({ body, caller }, ports) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const environment = mission.value.environments.get(body.environment);
    const forbidden = launchRefusal(caller, environment);
    if (forbidden !== undefined) return forbidden;
    const resolved = resolveRun(mission.value, body, await knownOf(body, mission.value, ports));
    if (!resolved.ok) return resolved;
    const unreachable = await linkRefusal(resolved.value.program, mission.value, ports);
    if (unreachable !== undefined) return unreachable;
    await storeProgram(resolved.value, ports);
    const run = ports.newId();
    await submit(run, resolved.value, mission.value, caller, ports);
    await announce(run, resolved.value, caller, ports);
    const { ir, warnings } = resolved.value;
    return {
      ok: true,
      value: { status: 202, body: { run, ir, warnings: [...warnings] } satisfies LaunchReply },
    };
  },
});

export const readRunStatus = defineRoute({
  method: 'GET',
  path: '/v1/runs/:run',
  operationId: 'readRunStatus',
  summary: 'State of one run',
  description: 'Computed from its log; a run that no executor has begun has no step.',
  tag: 'Runs',
  params: { run: runOrUnknown },
  replies: { 200: RunStatus },
  errors: ['run::unknown', 'api::unavailable'],
  async handle({ params: { run } }, ports) {
    if (!ports.bus.connected) return busUnavailable();
    const summary = await readRun(run, ports);
    if (summary === undefined) return unknownRun(run);
    return { ok: true, value: { status: 200, body: statusOf(summary) } };
  },
});

export const followRun = defineFollow({
  path: '/v1/runs/:run/events',
  operationId: 'followRun',
  summary: 'Replay and follow the log of one run; closes after `finished`',
  description: 'Opens also for a run that has no log yet, and waits.',
  tag: 'Runs',
  params: { run: runInPath },
  policy: 'log',
  message: RunEvent,
  errors: ['api::unavailable'],
  async open({ params: { run } }, ports, writer) {
    if (!ports.bus.connected) return busUnavailable();
    const about = subject.runEvents(run);
    const follower = await ports.bus.follow(streams.runs, about, { from: 'start' }, ({ data }) => {
      const event = readRunEvent(data);
      writer.push(data);
      if (event.event === 'finished') writer.finish(closeCode.finished, event.ok ? 'passed' : 'failed');
      return writer.room();
    });
    return { ok: true, value: follower };
  },
});

/** What resolution asks of the world. The service keeps no passes: a plan names none it knows. */
async function knownOf(request: RunRequest, mission: Mission, { bus }: RoutePorts): Promise<RunKnown> {
  const store = bus.objects(objectStores.uploads);
  const stored = hashesIn(request, mission).map(async (hash) =>
    (await store.size(hash)) === undefined ? [] : [hash],
  );
  return { uploads: new Set((await Promise.all(stored)).flat()), passes: { find: () => undefined } };
}

/** U3. */
async function storeProgram({ ir, canonical }: ResolvedRun, { bus, clock }: RoutePorts): Promise<void> {
  const bucket = bus.bucket(buckets.programs);
  const stored = await bucket.get(ir);
  if (stored !== undefined && clock.now() - stored.at < PROGRAM_RENEW_MS) return;
  // Whoever was faster wrote the same bytes.
  await bucket.put(ir, Buffer.from(canonical), stored?.revision ?? 0);
}

async function submit(
  run: string,
  { ir }: ResolvedRun,
  { revision }: Mission,
  caller: Caller,
  { bus }: RoutePorts,
): Promise<void> {
  const by = nameOf(caller);
  const submission: RunSubmission = { run, ir, ...(by !== undefined && { by }) };
  const headers = { [header.config]: revision, ...(by !== undefined && { [header.user]: by }) };
  const data = Buffer.from(JSON.stringify(submission));
  const { outcome } = await bus.append(streams.runSubmissions, subject.runSubmit, data, { id: run, headers });
  assert(outcome === 'stored', 'U2');
}

/** U2. The executor may have been faster, and then its entry stands. */
async function announce(
  run: string,
  { program }: ResolvedRun,
  caller: Caller,
  { bus, log }: RoutePorts,
): Promise<void> {
  const entry = Buffer.from(JSON.stringify(submittedRun(run, program, nameOf(caller))));
  try {
    await bus.bucket(buckets.runs).put(run, entry, 0);
  } catch (error) {
    if (!(error instanceof Outage)) throw error;
    log.warn({ run, err: error }, 'a run is launched and not yet in the list');
  }
}

export const runRoutes = [listRuns, launchRun, readRunStatus];
export const runFollows = [followRun];
