/**
 * Submits the run of a schedule that has fired. Mission Control Service, section 4.6 (firing).
 *
 * B1. Its message id is `<schedule>-<pass>`, so that it is stored once whoever submits it and however often.
 * B2. Past the memory of the stream for message ids the run itself shows that it was submitted; before, asking for it
 *     would only cost time at the start of a pass.
 * B3. Names may hold a `-`: two schedules of two passes may have one message id. A submission of another schedule under
 *     it is no submission of this one, which is then made under an id that also has its run.
 * B4. Where a run was submitted for it before under another identifier, that is the run which was started: the record
 *     that named it is lost with a store that went back.
 * B5. Its program was stored when the schedule was made, which may be longer ago than programs are kept, and the bus
 *     may have lost it: then it is resolved once more with the same configuration, which gives the same program, and
 *     stored before the run is submitted.
 */

import { assert } from '../../contract/assert.ts';
import { streams } from '../../contract/bus/streams.ts';
import { drawnAt } from '../../contract/telecommand-id.ts';
import type { ScheduleEffect } from '../../machines/schedule/protocol.ts';
import {
  announceRun,
  isLaunched,
  keepProgram,
  storeProgram,
  submissionAt,
  submitRun,
} from '../../messaging/run-launch.ts';
import type { ScheduleBook } from '../../messaging/schedule-book.ts';
import { resolveSchedule } from '../../messaging/schedule-resolution.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import { submittedRun } from '../../mission/procedure/run-status.ts';
import { bySchedule } from '../../mission/schedule/schedule.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { recognizedMs } from '../../ports/id-window.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';

interface SubmissionTools {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: Pick<MissionSource, 'at'>;
  readonly schedules: Pick<ScheduleBook, 'get'>;
}

/** The run that was started; waits while the bus is away. Undefined when `signal` ended the wait. */
export async function submitScheduled(
  tools: SubmissionTools,
  schedule: string,
  effect: ScheduleEffect,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { clock } = tools;
  const submitted = await retryWhileBusIsAway({ clock, signal }, () => submit(tools, schedule, effect));
  return submitted?.value;
}

async function submit(tools: SubmissionTools, schedule: string, effect: ScheduleEffect): Promise<string> {
  const { bus, clock, log } = tools;
  const { run, ir, config, pass } = effect;
  const isOld = clock.now() - drawnAt(run) > recognizedMs(bus, streams.runSubmissions);
  if (isOld && (await isLaunched(bus, run))) return run;
  if (!(await keepProgram(bus, clock, ir))) await storeAgain(tools, schedule, effect);
  const by = bySchedule(schedule);
  const id = `${schedule}-${pass}`;
  const first = await submitRun(bus, { run, ir, by }, { id, config });
  const before = first.outcome === 'duplicate' ? await submissionAt(bus, first.seq) : undefined;
  if (before !== undefined && before.by === by) return before.run;
  if (first.outcome === 'duplicate') {
    log.warn({ schedule, run, id, by: before?.by }, 'the message id of a schedule is in use by another one');
    const second = await submitRun(bus, { run, ir, by }, { id: `${id}-${run}`, config });
    assert(second.outcome === 'stored' || second.outcome === 'duplicate', 'B3');
  }
  const { procedure, environment, targets } = effect;
  await announceRun(bus, log, submittedRun(run, { procedure, environment, targets }, by));
  return run;
}

/** B5. Where that is not possible its run says that it has no program. */
async function storeAgain(
  { bus, clock, log, missions, schedules }: SubmissionTools,
  id: string,
  { ir, config }: ScheduleEffect,
): Promise<void> {
  const [schedule, mission] = [schedules.get(id), await missions.at(config)];
  const resolved =
    schedule === undefined || mission === undefined
      ? undefined
      : await resolveSchedule(bus, mission, schedule, schedule.pass);
  if (resolved?.ok !== true || resolved.value.ir !== ir) {
    const faults = resolved?.ok === false ? resolved.faults.map(({ message }) => message) : [];
    log.error({ schedule: id, ir, config, faults }, 'program of a schedule is lost and cannot be made again');
    return;
  }
  await storeProgram(bus, clock, resolved.value);
  log.error({ schedule: id, ir }, 'program of a schedule was lost: resolved and stored again');
}
