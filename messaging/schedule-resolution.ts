/**
 * What the current configuration makes of the run of a schedule. Mission Control Service, section 4.6 (creation,
 * validation).
 */

import { assert } from '../contract/assert.ts';
import type { Fault } from '../contract/errors.ts';
import { type Result, refusedAll } from '../contract/result.ts';
import type { ScheduleRequest } from '../contract/schedule.ts';
import type { StoredSchedule } from '../contract/stored-schedule.ts';
import type { Mission } from '../mission/mission.ts';
import { type ResolvedRun, resolveRun } from '../mission/procedure/resolve-run.ts';
import type { Resolution } from '../mission/schedule/assess.ts';
import { planOf, type SchedulePlan } from '../mission/schedule/plan.ts';
import type { Bus } from '../ports/bus.ts';
import { storedUploads } from './run-launch.ts';

/** What of a schedule or a rule is resolved. */
export type Resolvable = Pick<ScheduleRequest, 'run' | 'targets' | 'inputs' | 'library'> & {
  readonly environment: string;
};

/** The run of a schedule on the pass of that stored identifier; refuses with every fault. Throws `Outage`. */
export async function resolveSchedule(
  bus: Bus,
  mission: Mission,
  { run, targets, inputs, library, environment }: Resolvable,
  pass: string,
): Promise<Result<ResolvedRun, Fault>> {
  const request = {
    run,
    environment,
    targets,
    plan: pass,
    ...(inputs !== undefined && { inputs }),
    ...(library !== undefined && { library }),
  };
  const uploads = await storedUploads(bus, request, mission);
  const known = { uploads, passes: { find: (id: string) => ({ id }), inProgress: () => [] } };
  const resolved = resolveRun(mission, request, known, { from: 'schedule' });
  return resolved.ok && resolved.value.program.maxDurationMs === null ? refusedAll([UNBOUNDED]) : resolved;
}

/** What has become of the run of a stored schedule. Throws `Outage`. */
export async function resolveAgain(
  bus: Bus,
  mission: Mission,
  schedule: StoredSchedule,
): Promise<{ readonly resolution: Resolution; readonly run?: ResolvedRun }> {
  const resolved = await resolveSchedule(bus, mission, schedule, schedule.pass);
  if (!resolved.ok)
    return {
      resolution: { outcome: 'none', reasons: resolved.faults.map(({ message }) => message) },
    };
  const plan = boundedPlan(resolved.value);
  if (plan.content === schedule.content) return { resolution: { outcome: 'same' } };
  return { resolution: { outcome: 'another', plan }, run: resolved.value };
}

/** The plan of a run that has a longest duration. */
export function boundedPlan(run: ResolvedRun): SchedulePlan {
  const plan = planOf(run);
  assert(plan !== undefined, 'a run without longest duration was refused');
  return plan;
}

const UNBOUNDED: Fault = {
  code: 'schedule::refused',
  message: 'the longest duration of the run is unbounded, and it fits no pass',
  help: 'Give each question and each wait of the procedure a timeout.',
  path: '/run',
};
