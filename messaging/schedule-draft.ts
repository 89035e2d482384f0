/**
 * What a schedule is asked for: its pass, its environment, and how long behind AOS it starts. Mission Control Service,
 * section 4.6 (creation).
 */

import { buckets } from '../contract/bus/buckets.ts';
import type { Fault } from '../contract/errors.ts';
import { passKey, readStoredPass, type StoredPass } from '../contract/pass.ts';
import { accepted, type Result, refused, refusedAll } from '../contract/result.ts';
import type { ScheduleRequest } from '../contract/schedule.ts';
import type { Mission } from '../mission/mission.ts';
import { namesOf } from '../mission/pass/pass.ts';
import { lastEnvironment } from '../mission/procedure/reaction.ts';
import { readStart } from '../mission/schedule/start.ts';
import type { Bus } from '../ports/bus.ts';
import type { ScheduleTools } from './schedule-changes.ts';
import { asRefusals, malformed, refusal } from './schedule-faults.ts';
import { resolveSchedule } from './schedule-resolution.ts';

/** A schedule that is asked for, with its pass and what follows from it. */
export interface ScheduleDraft {
  readonly request: ScheduleRequest;
  readonly pass: StoredPass;
  readonly environment: string;
  /** How long behind AOS its run starts, ms. */
  readonly offsetMs: number;
}

/**
 * Finds the pass and the environment of a request; refuses a start of another form and an unknown pass, with whatever
 * else can be said against it then. `of` is the target of the pass where it is known. Throws `Outage`.
 */
export async function draftOf(
  request: ScheduleRequest,
  mission: Mission,
  tools: Pick<ScheduleTools, 'bus' | 'passes'>,
  of?: string,
): Promise<Result<ScheduleDraft, Fault>> {
  const offset = readStart(request.start);
  const pass = await passOf(request, mission, tools, of);
  if (!offset.ok || !pass.ok) {
    const ofStart = offset.ok ? [] : offset.faults.map((fault) => malformed('/start', fault));
    const ofPass = pass.ok ? [] : pass.faults;
    return refusedAll([...ofStart, ...ofPass, ...(await ofRun(request, mission, tools.bus))]);
  }
  const environment = request.environment ?? environmentOf(pass.value.target, mission);
  if (environment === undefined)
    return refused(
      refusal(`target ${pass.value.target} is in no environment`, '/targets', 'Declare it in the topology.'),
    );
  return accepted({ request, pass: pass.value, environment, offsetMs: offset.value });
}

/** What stands against its run on whatever pass; nothing where its environment depends on the pass. */
async function ofRun(request: ScheduleRequest, mission: Mission, bus: Bus): Promise<readonly Fault[]> {
  const possible = new Set(Object.values(request.targets).map((target) => environmentOf(target, mission)));
  const [only, ...more] = possible;
  const environment = request.environment ?? (more.length === 0 ? only : undefined);
  if (environment === undefined) return [];
  const resolved = await resolveSchedule(bus, mission, { ...request, environment }, request.pass);
  return resolved.ok ? [] : asRefusals(resolved.faults);
}

function environmentOf(target: string, mission: Mission): string | undefined {
  const declared = mission.targets.get(target);
  return declared && lastEnvironment(mission, declared);
}

/** The pass that a request names: one of a target of its roles (MC-SCH-007, MC-SCH-016). */
async function passOf(
  { pass: name, targets }: ScheduleRequest,
  mission: Mission,
  { bus, passes }: Pick<ScheduleTools, 'bus' | 'passes'>,
  of: string | undefined,
): Promise<Result<StoredPass, Fault>> {
  const own = [...new Set(Object.values(targets))].filter((target) => mission.targets.has(target));
  const asked = of === undefined ? own : own.filter((target) => target === of);
  const found = await Promise.all(
    asked.map(async (target) => passes.find(target, name) ?? (await storedPass(bus, target, name))),
  );
  const [pass, ...more] = found.filter((each) => each !== undefined);
  if (pass !== undefined && more.length === 0) return accepted(pass);
  if (pass !== undefined) {
    const message = `pass ${name} is one of ${[pass, ...more].map(({ target }) => target).join(' and one of ')}`;
    return refused(refusal(message, '/pass', 'Give the passes identifiers of their own.'));
  }
  const other = passes.passes().find((pass) => namesOf(pass).includes(name));
  return refused(
    other === undefined
      ? refusal(`no pass ${name} of ${named(own)}`, '/pass', 'mcs pass list shows those there are.')
      : refusal(
          `pass ${name} is of ${other.target}, which is the target of no role`,
          '/targets',
          `Give ${other.target} to a role, or choose a pass of ${named(own)}.`,
        ),
  );
}

function named(targets: readonly string[]): string {
  return targets.length === 0 ? 'these targets' : targets.join(', ');
}

/** One that was written by another process a moment ago and is not seen here yet. */
async function storedPass(bus: Bus, target: string, id: string): Promise<StoredPass | undefined> {
  const key = passKey(target, id);
  const entry = await bus.bucket(buckets.passes).get(key);
  return entry && readStoredPass(key, entry.value);
}
