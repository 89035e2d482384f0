/**
 * A launch that its client repeats under the identifier it chose, since it had no answer: nothing new is started.
 * Mission Control Service, section 4.2.
 *
 * L1. `duplicate` is true exactly when a run of that identifier is known: by its log, by the list of runs, or by the
 *     stream of submissions inside its window (a day). The executor guards once more behind them (shard.S2).
 * L2. A repetition of a launch that was taken is never refused for what has changed since, but one whose caller may not
 *     launch.
 * L3. An identifier of another run is refused. Whether it is another one says what never changes of a run and is asked
 *     for: procedure, environment, targets.
 * L4. Runs are listed by their identifiers: one drawn more than `RUN_ID_OFF_MS` ago, or ahead, starts no run.
 */

import { decodeTime } from 'ulid';
import { buckets } from '../contract/bus/buckets.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import { RUN_ID_OFF_MS } from '../contract/limits/run.ts';
import type { Program } from '../contract/program.ts';
import type { LaunchReply, RunRequest } from '../contract/run.ts';
import type { RunSubmission } from '../contract/run-wire.ts';
import { isUlid } from '../contract/token.ts';
import { readSubmission } from '../messaging/run-launch.ts';
import type { Bus } from '../ports/bus.ts';
import { invalidId, refuse } from './errors.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled, Refusal } from './reply.ts';
import { firstEvent, storedProgram } from './run-record.ts';

/** How far behind its submission a run stands in the list, at most, as the bus dates both. */
const LISTED_WITHIN_MS = 60_000;

/** The answer to a launch that was taken before; undefined where it is a new one. Throws `Outage`. */
export async function launchedBefore(
  request: RunRequest,
  ports: RoutePorts,
): Promise<Handled<LaunchReply> | undefined> {
  const { id } = request;
  if (id === undefined) return undefined;
  if (!isUlid(id)) return invalidId(id);
  const ir = await knownProgram(id, ports);
  return ir === undefined
    ? strangeTime(id, ports.clock.now())
    : repetitionOf({ run: id, ir }, request, ports);
}

/** The answer to a launch of what was submitted before. Throws `Outage`. */
export async function repetitionOf(
  { run, ir }: RunSubmission,
  request: RunRequest,
  ports: RoutePorts,
): Promise<Handled<LaunchReply>> {
  const program = await storedProgram(ir, ports);
  if (program !== undefined && !isOf(program, request)) return anotherRun(run, program);
  return { ok: true, value: { run, ir, warnings: [], duplicate: true } };
}

/** The hash of the program of a run; undefined where no such run is known. */
async function knownProgram(run: string, ports: RoutePorts): Promise<string | undefined> {
  const first = await firstEvent(run, ports);
  if (first?.event === 'started') return first.ir;
  const entry = await ports.bus.bucket(buckets.runs).get(run);
  if (entry === undefined) return undefined;
  return (await submissionSince(ports.bus, run, entry.at - LISTED_WITHIN_MS))?.ir;
}

/** Of a run that no executor has begun. */
async function submissionSince(bus: Bus, run: string, at: number): Promise<RunSubmission | undefined> {
  let found: RunSubmission | undefined;
  const follower = await bus.follow(
    streams.runSubmissions,
    subject.runSubmit,
    { from: 'time', at },
    ({ data }) => {
      const submission = readSubmission(data);
      if (submission?.run === run) found ??= submission;
    },
  );
  try {
    await follower.caughtUp;
  } finally {
    await follower.stop();
  }
  return found;
}

/** L3 */
function isOf({ procedure, environment, targets }: Program, request: RunRequest): boolean {
  const asked = Object.entries(request.targets);
  return (
    procedure === request.run &&
    environment === request.environment &&
    asked.length === Object.keys(targets).length &&
    asked.every(([role, target]) => targets[role] === target)
  );
}

function anotherRun(run: string, { procedure, environment, targets }: Program): Refusal {
  const of = Object.values(targets).join(', ');
  return refuse('api::invalid-id', `${run} is another run: ${procedure} in ${environment} of ${of}`, {
    help: 'Choose a new ULID for each run; only a repetition of the same launch has the same one.',
    path: '/id',
  });
}

/** L4 */
function strangeTime(id: string, now: number): Refusal | undefined {
  if (Math.abs(now - decodeTime(id)) <= RUN_ID_OFF_MS) return undefined;
  const drawn = new Date(decodeTime(id)).toISOString();
  return refuse(
    'api::invalid-id',
    `${id} was drawn at ${drawn}, and here it is ${new Date(now).toISOString()}`,
    {
      help: 'Draw it when the launch is first asked for, with a clock that is right, or leave it out.',
      path: '/id',
    },
  );
}
