/**
 * Runs of procedures: launched, listed, read and followed. Mission Control Service, sections 2.3 and 4.2. Launching
 * means resolved, its program stored and its submission on the bus; what becomes of it is the executor's matter.
 *
 * N1. Nothing is stored of a launch that is refused, and every fault of it is said at once.
 * run-launch.U1, U2, repeated-launch.L1.
 */

import { assert } from '../../contract/assert.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { RUN_LIST_DEFAULT, RUN_LIST_MOST } from '../../contract/limits/run.ts';
import type { StoredPass } from '../../contract/pass.ts';
import type { Program } from '../../contract/program.ts';
import { LaunchReply, RunList, RunRequest, RunStatus } from '../../contract/run.ts';
import { RunEvent, readRunEvent } from '../../contract/run-event.ts';
import type { RunSubmission } from '../../contract/run-wire.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import {
  announceRun,
  storedUploads,
  storeProgram,
  submissionAt,
  submitRun,
} from '../../messaging/run-launch.ts';
import type { Mission } from '../../mission/mission.ts';
import { outlastWarnings, planRefusals } from '../../mission/pass/launch.ts';
import { type ResolvedRun, type RunKnown, resolveRun } from '../../mission/procedure/resolve-run.ts';
import { statusOf, submittedRun } from '../../mission/procedure/run-status.ts';
import type { Caller } from '../caller.ts';
import { busUnavailable } from '../errors.ts';
import { closeCode, defineFollow } from '../follow.ts';
import { nameOf } from '../identity.ts';
import { currentMission } from '../mission-of.ts';
import { limitInQuery, runInPath, runOrUnknown } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';
import { launchedBefore, repetitionOf } from '../repeated-launch.ts';
import type { Handled, Reply } from '../reply.ts';
import { defineRoute } from '../route.ts';
import { linkRefusal } from '../run-links.ts';
import { launchRefusal } from '../run-policy.ts';
import { readRun, unknownRun } from '../run-record.ts';

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
    'Resolved against the current configuration and stored on the bus; its progress is in ' +
    '`GET /v1/runs/{run}/events`. A run begins when an executor takes it up, also when none runs at the moment. A ' +
    'repetition with the same `id` starts nothing new and answers `duplicate: true`, so a launch without an answer may be ' +
    'repeated; one without `id` may have been accepted: check the list before repeating it.',
  tag: 'Runs',
  body: RunRequest,
  replies: { 202: LaunchReply },
  errors: [
    'api::invalid-id',
    'api::no-configuration',
    'api::anonymous',
    'auth::jwt-required',
    ...RESOLUTION_ERRORS,
    'run::pass-cancelled',
    'run::not-booked',
    'run::before-aos',
    'run::window',
    'run::receive-only',
    'run::no-link',
    'api::unavailable',
  ],
  statuses: { 'api::anonymous': [401], 'api::invalid-id': [400] },
  async handle({ body, caller }, ports) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const environment = mission.value.environments.get(body.environment);
    const forbidden = launchRefusal(caller, environment);
    if (forbidden !== undefined) return forbidden;
    const before = await launchedBefore(body, ports);
    if (before !== undefined) return launchReply(before);
    // What is not known of passes is not guessed: a plan would name none, a warning would be left out, and a fault
    // would be switched at another gateway.
    const hasFaults = (body.faults ?? []).length > 0;
    const decides = body.plan !== undefined || hasFaults || environment?.kind === 'in_orbit';
    if (decides && !ports.passes.live) return busUnavailable();
    const pass = plannedPass(body, ports);
    const resolved = resolveRun(mission.value, body, await knownOf(body, mission.value, pass, ports));
    if (!resolved.ok) return resolved;
    const { program } = resolved.value;
    const moment = {
      now: ports.clock.now(),
      marginMs: mission.value.settings.schedulerMarginMs,
      environment,
    };
    const [first, ...more] = pass === undefined ? [] : planRefusals(program, pass, moment);
    if (first !== undefined) return { ok: false, faults: [first, ...more] };
    const unreachable = await linkRefusal(resolved.value.program, mission.value, ports);
    if (unreachable !== undefined) return unreachable;
    const run = body.id ?? ports.newId();
    const earlier = await launch(run, resolved.value, caller, ports);
    if (earlier !== undefined) return launchReply(await repetitionOf(earlier, body, ports));
    const { ir } = resolved.value;
    const over = pass === undefined ? outlastWarnings(program, passesOf(program, ports), moment) : [];
    const warnings = [...resolved.value.warnings, ...over];
    return launchReply({
      ok: true,
      value: { run, ir, warnings, ...(body.id !== undefined && { duplicate: false }) },
    });
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
    if (!busAnswers(ports.bus)) return busUnavailable();
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
    if (!busAnswers(ports.bus)) return busUnavailable();
    const about = subject.runEvents(run);
    const follower = await ports.bus.follow(streams.runs, about, { from: 'start' }, ({ data, seq }) => {
      const event = readRunEvent(data);
      if (event === undefined) {
        ports.log.error({ run, position: seq }, 'malformed run event skipped');
        return writer.room();
      }
      writer.push(data);
      if (event.event === 'finished') writer.finish(closeCode.finished, event.ok ? 'passed' : 'failed');
      return writer.room();
    });
    return { ok: true, value: follower };
  },
});

/** The pass that the plan of a request names: one of a target of the run (MC-RUN-016). */
function plannedPass(
  { plan, targets }: Pick<RunRequest, 'plan' | 'targets'>,
  { passes }: RoutePorts,
): StoredPass | undefined {
  if (plan === undefined) return undefined;
  for (const target of Object.values(targets)) {
    const pass = passes.find(target, plan);
    if (pass !== undefined) return pass;
  }
  return undefined;
}

/** Those of every target of a run. */
function passesOf({ targets }: Program, { passes }: RoutePorts): StoredPass[] {
  return [...new Set(Object.values(targets))].flatMap((target) => passes.passes(target));
}

/** What resolution asks of the world. */
async function knownOf(
  request: RunRequest,
  mission: Mission,
  pass: StoredPass | undefined,
  { bus, clock, passes }: RoutePorts,
): Promise<RunKnown> {
  const inProgress = (target: string): readonly StoredPass[] => passes.inProgress(target, clock.now());
  const uploads = await storedUploads(bus, request, mission);
  return { uploads, passes: { find: () => pass, inProgress } };
}

function launchReply(launched: Handled<LaunchReply>): Handled<Reply> {
  return launched.ok ? { ok: true, value: { status: 202, body: launched.value } } : launched;
}

/** What was submitted under the same identifier a moment before, if anything: then nothing is submitted. */
async function launch(
  run: string,
  resolved: ResolvedRun,
  caller: Caller,
  { bus, clock, log }: RoutePorts,
): Promise<RunSubmission | undefined> {
  const { ir, program } = resolved;
  const by = nameOf(caller);
  await storeProgram(bus, clock, resolved);
  const submission = { run, ir, ...(by !== undefined && { by }) };
  const submitted = await submitRun(bus, submission, { id: run, config: program.config });
  assert(submitted.outcome !== 'conflict', 'run-launch.U1');
  const earlier = submitted.outcome === 'stored' ? undefined : await submissionAt(bus, submitted.seq);
  // Whoever launched it before may have died before it was listed.
  if (earlier === undefined || earlier.ir === ir) await announceRun(bus, log, submittedRun(run, program, by));
  return submitted.outcome === 'stored' ? undefined : (earlier ?? submission);
}

export const runRoutes = [listRuns, launchRun, readRunStatus];
export const runFollows = [followRun];
