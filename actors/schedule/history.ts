/**
 * The changes of state that the record of a schedule remembers, as its chart went through them: for the inspector.
 * Architecture, "The inspector".
 *
 * H1. The record keeps the last changes alone: the chart is then put where the first of them begins.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import type { ScheduleChange, StoredSchedule } from '../../contract/stored-schedule.ts';
import type { ScheduleChartEvent, ScheduleInput } from '../../machines/schedule/protocol.ts';
import { readSchedule } from '../../messaging/schedule-book.ts';
import type { Bus } from '../../ports/bus.ts';
import type { EntityLog, LoggedStep } from '../../ports/entity.ts';

/** Undefined where there is no such schedule, or it cannot be read. Throws `Outage`. */
export async function scheduleHistory(bus: Bus, id: string): Promise<EntityLog | undefined> {
  const entry = await bus.bucket(buckets.schedules).get(id);
  const record = entry && readSchedule(id, entry.value);
  return record && logOf(record);
}

/** The log of a record. */
export function logOf(record: StoredSchedule): EntityLog | undefined {
  const [first] = record.changes;
  if (first === undefined) return undefined;
  const {
    state: _,
    reasons: __,
    changes: ___,
    updated_at: ____,
    fire_at,
    validation: _____,
    ...rest
  } = record;
  const found = { reasons: first.reasons, fireAt: fire_at };
  const input: ScheduleInput = { record: rest, at: Date.parse(first.at), found };
  const steps = record.changes.map((change, index) => stepOf(record, change, index));
  return { input, steps: [...steps, ...submissionIn(record)] };
}

function stepOf(record: StoredSchedule, change: ScheduleChange, index: number): LoggedStep {
  const { at, state, reasons, by } = change;
  const detail = [...reasons, ...(by === undefined ? [] : [`by ${by}`])].join('; ');
  return {
    at: Date.parse(at),
    event: state,
    ...(detail !== '' && { detail }),
    record: change,
    state,
    told: index === 0 ? [] : [toldBy(record, change)],
  };
}

/** That its run is submitted changes no state that anybody is shown, but the chart ends there. */
function submissionIn({ submitted, run_id: run, updated_at }: StoredSchedule): LoggedStep[] {
  if (submitted !== true || run === undefined) return [];
  const at = Date.parse(updated_at);
  const told: ScheduleChartEvent[] = [{ type: 'submitted', at, run }];
  return [{ at, event: 'submitted', detail: `run ${run}`, record: { run }, state: 'submitted', told }];
}

/** What the chart was given that led to a change, as far as the change says. */
function toldBy(
  { fire_at, run_id = '' }: StoredSchedule,
  { at, state, reasons, by }: ScheduleChange,
): ScheduleChartEvent {
  const moment = Date.parse(at);
  const found = { reasons, fireAt: fire_at };
  switch (state) {
    case 'fired':
      return { type: 'start.reached', at: moment, found, reasons: [], run: run_id };
    case 'missed':
      return { type: 'start.reached', at: moment, found, reasons, run: '' };
    case 'cancelled':
      return by === undefined
        ? { type: 'evaluated', at: moment, found: { ...found, cancelled: reasons.join('; ') } }
        : { type: 'operator.cancel', at: moment, by };
    default:
      return by === undefined
        ? { type: 'evaluated', at: moment, found }
        : { type: 'operator.validate', at: moment, by, found };
  }
}
