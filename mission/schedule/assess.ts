/**
 * Whether a schedule fits its pass, as far as everything known of both says. Mission Control Service, section 4.6 (fit
 * rules, evaluation, validation). Pure: the same records give the same words, whoever asks and whenever.
 *
 * F1. Every reason is reported at once, in the order pass, window, other runs, run, validation.
 * F2. What a pass allows is asked as for a launch by hand (`mission/pass/launch.ts`), at the moment the run is due.
 * F3. A validation holds for one resolved run on one pass with one AOS and one LOS. Once it has fallen it is gone.
 * F4. Whatever is stored of a pass is assessed: where it would put the start outside of the calendar, the schedule
 *     keeps the start that it has, and does not fit.
 */

import { isInstant, nearestInstant, readInstant } from '../../contract/instant.ts';
import type { StoredPass } from '../../contract/pass.ts';
import type { ScheduleValidation } from '../../contract/schedule.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import type { Environment } from '../mission.ts';
import { planRefusals } from '../pass/launch.ts';
import { windowOf } from '../pass/pass.ts';
import type { SchedulePlan } from './plan.ts';
import { byStart, durationOf, endOf, type Placed, startOf, takesPlace } from './schedule.ts';
import { fireTime, readStart } from './start.ts';

/** What the current configuration makes of the run of a schedule: the same, another one, or none. */
export type Resolution =
  | { readonly outcome: 'same' }
  | { readonly outcome: 'another'; readonly plan: SchedulePlan }
  | { readonly outcome: 'none'; readonly reasons: readonly string[] };

export interface Surroundings {
  /** The pass; undefined where it is not stored any more. */
  readonly pass: StoredPass | undefined;
  /** The schedules of that pass; the one that is asked about may be among them. */
  readonly others: Iterable<Placed>;
  readonly resolution: Resolution;
  readonly environment: Pick<Environment, 'name' | 'kind'> | undefined;
  /** How long before LOS a run is over, ms. */
  readonly marginMs: number;
}

/** What was found of a schedule: everything an evaluation may change of its record. */
export interface Found {
  /** Why its pass does not take place; undefined where it does. */
  readonly cancelled?: string;
  /** Why it does not fit; empty: it does. */
  readonly reasons: readonly string[];
  /** ISO 8601 */
  readonly fireAt: string;
  /** The validation as it holds; undefined: there is none, or it fell. */
  readonly validation?: ScheduleValidation;
  /** Why the last one does not hold any more. */
  readonly fell?: string;
  /** The one that does not. */
  readonly fallen?: ScheduleValidation;
  /** Where its run resolves to another one. */
  readonly plan?: SchedulePlan;
}

/** What is asked about; of one that is created the record as it would be. */
export type Assessed = Pick<
  StoredSchedule,
  | 'id'
  | 'pass'
  | 'target'
  | 'start'
  | 'ir'
  | 'max_duration'
  | 'sends'
  | 'needs_validation'
  | 'validation'
  | 'fell'
  | 'fallen'
  | 'created_at'
  | 'fire_at'
  | 'state'
  | 'run_id'
>;

export function assess(schedule: Assessed, surroundings: Surroundings): Found {
  const { pass, resolution } = surroundings;
  const plan = resolution.outcome === 'another' ? resolution.plan : undefined;
  const start = startOn(schedule, pass);
  const isInCalendar = start === undefined || isInstant(start);
  const fireAt = start === undefined || !isInCalendar ? schedule.fire_at : new Date(start).toISOString();
  const placed = { ...schedule, ...plan, fire_at: fireAt };
  const { fell, fallen, holding } = validationOf(placed, pass);
  const reasons = [
    ...(isInCalendar ? [] : [calendarReason(schedule)]),
    ...passReasons(placed, surroundings),
    ...overlapReasons(placed, surroundings.others),
    ...(resolution.outcome === 'none' ? resolution.reasons : []),
    ...(placed.needs_validation && holding === undefined ? [fell ?? UNVALIDATED] : []),
  ];
  return {
    ...(pass?.status === 'cancelled' && { cancelled: `pass ${pass.id} of ${pass.target} is cancelled` }),
    reasons,
    fireAt,
    ...(holding !== undefined && { validation: holding }),
    ...(fell !== undefined && { fell }),
    ...(fallen !== undefined && { fallen }),
    ...(plan !== undefined && { plan }),
  };
}

/** Why the run would not be over in time if it began at `now`; empty when it may begin (section 3.4, start reached). */
export function lateReasons(schedule: Assessed, surroundings: Surroundings, now: number): string[] {
  const { pass, environment, marginMs } = surroundings;
  if (pass === undefined) return [goneReason(schedule)];
  const moment = { now, marginMs, environment };
  return planRefusals(demandOf(schedule), pass, moment).map(({ message }) => message);
}

const UNVALIDATED = 'it sends a hazardous telecommand and needs the validation of a supervisor';

/** When its run starts by its pass, ms since 1970; undefined where the pass does not say. */
function startOn({ start }: Assessed, pass: StoredPass | undefined): number | undefined {
  const offset = readStart(start);
  return pass === undefined || !offset.ok ? undefined : fireTime(windowOf(pass).aos, offset.value);
}

/** F4 */
function calendarReason({ start, pass, target }: Assessed): string {
  return `start "${start}" on pass ${pass} of ${target} is outside of the years 1 to 9999`;
}

/** F2 */
function passReasons(schedule: Assessed, { pass, environment, marginMs }: Surroundings): string[] {
  if (pass === undefined) return [goneReason(schedule)];
  const moment = { now: startOf(schedule), marginMs, environment };
  return planRefusals(demandOf(schedule), pass, moment).map(({ message }) => message);
}

function goneReason({ pass, target }: Assessed): string {
  return `pass ${pass} of ${target} is not stored any more`;
}

function demandOf(schedule: Assessed): { maxDurationMs: number; sends: boolean } {
  return { maxDurationMs: durationOf(schedule), sends: schedule.sends };
}

function overlapReasons(schedule: Assessed, others: Iterable<Placed>): string[] {
  const start = startOf(schedule);
  const before = [...others].filter(
    (other) =>
      other.id !== schedule.id && takesPlace(other) && byStart(other, schedule) < 0 && start < endOf(other),
  );
  return before.sort(byStart).map((other) => {
    const end = nearestInstant(endOf(other));
    return `it starts before the run of schedule ${other.id} is surely over, at ${end}`;
  });
}

/** F3 */
function validationOf(
  { validation, fell, fallen, ir }: Assessed,
  pass: StoredPass | undefined,
): Pick<Found, 'fell' | 'fallen'> & { readonly holding?: ScheduleValidation } {
  if (validation === undefined)
    return { ...(fell !== undefined && { fell }), ...(fallen !== undefined && { fallen }) };
  const difference = differenceOf(validation, ir, pass);
  if (difference === undefined) return { holding: validation };
  return {
    fell: `the validation by ${validation.by} fell: ${difference}; a new one is needed`,
    fallen: validation,
  };
}

function differenceOf(
  validation: ScheduleValidation,
  ir: string,
  pass: StoredPass | undefined,
): string | undefined {
  if (pass === undefined || pass.id !== validation.pass)
    return `pass ${validation.pass} is not stored any more`;
  const { aos, los } = windowOf(pass);
  if (aos !== readInstant(validation.aos)) return `AOS is ${pass.aos}, not ${validation.aos} any more`;
  if (los !== readInstant(validation.los)) return `LOS is ${pass.los}, not ${validation.los} any more`;
  if (ir !== validation.ir) return 'the configuration that was published since gives another run';
  return undefined;
}
