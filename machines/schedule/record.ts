/**
 * What becomes of the record of a schedule. Mission Control Service, sections 2.7, 3.4 and 4.6. Pure; which transition
 * is taken is decided by the chart (`schedule.ts`).
 *
 * B1. A record that would say the same as before is not written again: `updated_at` is the time of the last change.
 * B2. The last changes of state are remembered with their reasons, and who made them.
 */

import { SCHEDULE_CHANGES_KEPT } from '../../contract/limits/schedule.ts';
import type { ScheduleState } from '../../contract/schedule.ts';
import type { ScheduleChange, StoredSchedule } from '../../contract/stored-schedule.ts';
import type { Finding, ScheduleInput } from './protocol.ts';

interface Transition {
  readonly state: ScheduleState;
  readonly reasons: readonly string[];
  /** ms since 1970 */
  readonly at: number;
  readonly by?: string | undefined;
}

/** The first record of a schedule, before its first state is known. */
export function firstRecord({ record, at, found }: ScheduleInput): StoredSchedule {
  const undecided = { ...record, state: 'at_risk' as const, reasons: [...found.reasons], changes: [] };
  return withFinding({ ...undecided, fire_at: found.fireAt, updated_at: iso(at) }, found);
}

/** The record with what was found of it, in the state it is in. */
export function withFinding(record: StoredSchedule, found: Finding): StoredSchedule {
  const { validation: _, fell: __, fallen: ___, ...rest } = record;
  return {
    ...rest,
    ...found.plan,
    fire_at: found.fireAt,
    ...(found.validation !== undefined && { validation: found.validation }),
    ...(found.fell !== undefined && { fell: found.fell }),
    ...(found.fallen !== undefined && { fallen: found.fallen }),
  };
}

/** The record in another state, or in the same one for other reasons (B2). */
export function moved(record: StoredSchedule, { state, reasons, at, by }: Transition): StoredSchedule {
  const change: ScheduleChange = { at: iso(at), state, reasons, ...(by !== undefined && { by }) };
  const changes = [...record.changes, change].slice(-SCHEDULE_CHANGES_KEPT);
  return { ...record, state, reasons: [...reasons], changes, updated_at: iso(at) };
}

/** B1 */
export function differs(record: StoredSchedule, found: Finding): boolean {
  const { validation, plan } = found;
  return (
    record.fire_at !== found.fireAt ||
    record.validation?.at !== validation?.at ||
    record.fell !== found.fell ||
    (plan !== undefined && plan.content !== record.content) ||
    !isSame(record.reasons, found.reasons)
  );
}

/** Whether two records of a schedule say the same, as they are stored. */
export function isSameRecord(one: StoredSchedule, other: StoredSchedule): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Whether an evaluation that found this changes anything of a schedule that is not final. */
export function wouldChange(record: StoredSchedule, found: Finding): boolean {
  const fits = found.reasons.length === 0;
  return found.cancelled !== undefined || fits !== (record.state === 'scheduled') || differs(record, found);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
