/**
 * Creates schedules, the same for people and for rules. Mission Control Service, sections 3.4 and 4.6. Who may is the
 * caller's matter.
 *
 * W1. Nothing is written of a schedule that is refused, and every reason is reported at once.
 * W2. Every write is conditional on what was read: whoever loses reads again, or says that it changed meanwhile.
 * W3. The resolved run is stored before the schedule that names it.
 * W4. The pass is read from the bus in each round, and written is only what was found by a reading that is not older
 *     than `SCHEDULE_FRESH_MS`: a watch may be late, and a process may sleep between any two steps.
 * W5. Whether the one that stands may be replaced is asked of the record that was read in the round: what is written is
 *     written over that one alone.
 * W6. One that was fired is not replaced, also where it has left those that every process holds.
 */

import { buckets } from '../contract/bus/buckets.ts';
import type { Fault } from '../contract/errors.ts';
import { nearestInstant } from '../contract/instant.ts';
import {
  SCHEDULE_FRESH_MS,
  SCHEDULE_WRITE_ROUNDS,
  SCHEDULES_OF_PASS,
  SCHEDULES_OPEN,
} from '../contract/limits/schedule.ts';
import { Outage } from '../contract/outage.ts';
import type { StoredPass } from '../contract/pass.ts';
import { accepted, type Result, refusedAll } from '../contract/result.ts';
import type { StoredSchedule } from '../contract/stored-schedule.ts';
import { createdSchedule } from '../machines/schedule/step.ts';
import type { Mission } from '../mission/mission.ts';
import { windowOf } from '../mission/pass/pass.ts';
import type { ResolvedRun } from '../mission/procedure/resolve-run.ts';
import { type Assessed, assess } from '../mission/schedule/assess.ts';
import { takesPlace } from '../mission/schedule/schedule.ts';
import { fireTime } from '../mission/schedule/start.ts';
import type { Written } from '../ports/bus.ts';
import { freshPass } from './fresh-pass.ts';
import { storeProgram } from './run-launch.ts';
import { readSchedule, type ScheduleBook } from './schedule-book.ts';
import { type ScheduleTools, surroundingsOf } from './schedule-changes.ts';
import type { ScheduleDraft } from './schedule-draft.ts';
import { asRefusals, refusal } from './schedule-faults.ts';
import { boundedPlan, resolveSchedule } from './schedule-resolution.ts';

export type Created =
  | { readonly outcome: 'created'; readonly stored: StoredSchedule; readonly revision: number }
  | { readonly outcome: 'refused'; readonly faults: readonly [Fault, ...Fault[]] }
  /** One of that identifier has been fired, or is there at all where only a new one is written. */
  | { readonly outcome: 'exists'; readonly state: StoredSchedule['state'] }
  /** The one that stands may not be replaced (W5). */
  | { readonly outcome: 'forbidden'; readonly standing: StoredSchedule }
  /** Whoever asked for it does not want it any more. */
  | { readonly outcome: 'unwanted' }
  | { readonly outcome: 'changed' };

interface CreateOptions {
  readonly by: string | undefined;
  /** Writes nothing where there is one of that identifier, whatever became of it. */
  readonly onlyNew?: boolean;
  /** Whether the one that stands may be replaced; default: any may (W5). */
  readonly mayReplace?: (standing: StoredSchedule) => boolean;
  /**
   * The one of an identifier among those that have long been final (W6). Rules leave it out: theirs are named by passes
   * that are to come, and where the identifier of such a pass was used before, that was another pass.
   */
  readonly over?: (id: string) => Promise<StoredSchedule | undefined>;
  /**
   * Whether it is still to be made, on the pass as the bus has it (undefined: it has none); asked in each round (W4).
   */
  readonly wanted?: (pass: StoredPass | undefined) => Promise<boolean>;
}

/** Creates the schedule, or replaces one that has not been fired, and drops its validation. Throws `Outage`. */
export async function createSchedule(
  known: ScheduleDraft,
  mission: Mission,
  tools: ScheduleTools,
  options: CreateOptions,
): Promise<Created> {
  const { clock } = tools;
  const { id } = known.request;
  const atHand = tools.schedules.get(id);
  // Before the rounds: it reads much, and what stands there does not change any more.
  const last = atHand ?? (await options.over?.(id));
  let isFresh = false;
  for (let round = 0; round < SCHEDULE_WRITE_ROUNDS; round += 1) {
    const asked = clock.monotonic();
    // One that nobody knows of is not there as a rule: to ask the bus for what it does not have is a long search.
    const isNew = round === 0 && atHand === undefined;
    const made = await makeOnce(known, mission, tools, { ...options, isNew, last });
    if (made.outcome !== 'made') return made;
    isFresh = clock.monotonic() - asked <= SCHEDULE_FRESH_MS;
    if (!isFresh) continue;
    const written = await write(tools, made);
    if (written.outcome === 'written')
      return { outcome: 'created', stored: made.stored, revision: written.revision };
  }
  if (isFresh) return { outcome: 'changed' };
  const message = `what schedule ${id} depends on took more than ${SCHEDULE_FRESH_MS} ms to read`;
  throw new Outage('bus.unavailable', message);
}

/** A record that may be written over this revision. */
interface Made {
  readonly outcome: 'made';
  readonly stored: StoredSchedule;
  readonly over: number;
}

interface Round extends CreateOptions {
  /** Nothing stands under its identifier, as far as this process knows. */
  readonly isNew: boolean;
  /** What is known of one that the bucket does not have any more. */
  readonly last: StoredSchedule | undefined;
}

/** W4: what the schedule is by what the bus has now; its run is stored. */
async function makeOnce(
  known: ScheduleDraft,
  mission: Mission,
  tools: ScheduleTools,
  { by, onlyNew = false, mayReplace, wanted, isNew, last }: Round,
): Promise<Made | Exclude<Created, { outcome: 'created' }>> {
  const { bus, clock } = tools;
  const { id } = known.request;
  const pass = await freshPass(tools, { target: known.pass.target, pass: known.pass.id });
  if (wanted !== undefined && !(await wanted(pass))) return { outcome: 'unwanted' };
  if (pass === undefined) return { outcome: 'refused', faults: [goneRefusal(known.pass)] };
  const draft = { ...known, pass };
  const entry = isNew ? undefined : await bus.bucket(buckets.schedules).get(id);
  const standing = entry === undefined ? last : readSchedule(id, entry.value);
  if (standing !== undefined && mayReplace?.(standing) === false) return { outcome: 'forbidden', standing };
  if (standing !== undefined && (onlyNew || standing.state === 'fired'))
    return { outcome: 'exists', state: standing.state };
  const request = { ...draft.request, ...environmentOf(draft) };
  const resolved = await resolveSchedule(bus, mission, request, draft.pass.id);
  if (!resolved.ok)
    return { outcome: 'refused', faults: [...asRefusals(resolved.faults), ...ofAnyRun(draft, tools)] };
  const record = recordOf(draft, resolved.value, mission, tools, by);
  if (!record.ok) return { outcome: 'refused', faults: record.faults };
  await storeProgram(bus, clock, resolved.value);
  return { outcome: 'made', stored: record.value, over: entry?.revision ?? 0 };
}

/** W4: it is not sent for longer, either. */
function write({ bus }: ScheduleTools, { stored, over }: Made): Promise<Written> {
  const bytes = Buffer.from(JSON.stringify(stored));
  return bus.bucket(buckets.schedules).put(stored.id, bytes, over, { deadlineMs: SCHEDULE_FRESH_MS });
}

/** W1: the record as it is created, or why it is not. */
function recordOf(
  draft: ScheduleDraft,
  run: ResolvedRun,
  mission: Mission,
  tools: ScheduleTools,
  by: string | undefined,
): Result<StoredSchedule, Fault> {
  const { request, pass, offsetMs } = draft;
  const now = tools.clock.now();
  const at = new Date(now).toISOString();
  const environment = environmentOf(draft);
  const record = {
    ...request,
    ...environment,
    ...boundedPlan(run),
    pass: pass.id,
    target: pass.target,
    created_at: at,
    ...(by !== undefined && { by }),
  };
  const start = fireTime(windowOf(pass).aos, offsetMs);
  const assessed: Assessed = { ...record, state: 'scheduled', fire_at: nearestInstant(start) };
  const around = {
    ...surroundingsOf(record, mission, tools),
    pass,
    resolution: { outcome: 'same' },
  } as const;
  const { reasons } = assess({ ...assessed, needs_validation: false }, around);
  const faults = [...reasons.map((reason) => refusal(reason, '/pass')), ...ofAnyRun(draft, tools)];
  if (faults.length > 0) return refusedAll(faults);
  return accepted(createdSchedule({ record, at: now, found: assess(assessed, around) }));
}

/** Why it is not made, whatever its run is. */
function ofAnyRun({ request, pass, offsetMs }: ScheduleDraft, { clock, schedules }: ScheduleTools): Fault[] {
  const start = fireTime(windowOf(pass).aos, offsetMs);
  const past = `its start, ${nearestInstant(start)}, is past`;
  return [
    ...(start > clock.now() ? [] : [refusal(past, '/start', 'Choose a later pass.')]),
    ...tooMany(request.id, pass, schedules),
  ];
}

function environmentOf({ environment }: ScheduleDraft): { environment: string } {
  return { environment };
}

function goneRefusal({ id, target }: StoredPass): Fault {
  return refusal(`no pass ${id} of ${target}`, '/pass', 'mcs pass list shows those there are.');
}

/** Whoever asks does not choose what others pay for. */
function tooMany(id: string, { target, id: pass }: StoredPass, schedules: ScheduleBook): Fault[] {
  const onPass = schedules.onPass(target, pass).filter((each) => each.id !== id && takesPlace(each));
  if (onPass.length >= SCHEDULES_OF_PASS)
    return [
      refusal(`pass ${pass} of ${target} has ${onPass.length} schedules already`, '/pass', CANCEL_SOME),
    ];
  if (schedules.open.size >= SCHEDULES_OPEN && !schedules.open.has(id))
    return [refusal(`there are ${schedules.open.size} open schedules already`, '/id', CANCEL_SOME)];
  return [];
}

const CANCEL_SOME = 'Cancel some of them first.';
