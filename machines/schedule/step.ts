/**
 * The chart of a schedule taken one step on a record, without an actor: for whoever writes the record by condition and
 * is not its cell. Mission Control Service, section 3.4.
 */

import { initialTransition, transition } from 'xstate';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import type { ScheduleChartEvent, ScheduleInput } from './protocol.ts';
import { scheduleMachine } from './schedule.ts';

type ScheduleSnapshot = ReturnType<typeof scheduleMachine.resolveState>;

/** The record a schedule begins with. */
export function createdSchedule(input: ScheduleInput): StoredSchedule {
  const [snapshot] = initialTransition(scheduleMachine, input);
  return snapshot.context.record;
}

/** The record behind an event; the same object where the event changes nothing. */
export function steppedSchedule(record: StoredSchedule, event: ScheduleChartEvent): StoredSchedule {
  const [snapshot] = transition(scheduleMachine, snapshotOf(record), event);
  return snapshot.context.record;
}

/** Where the chart of a stored schedule stands. */
export function snapshotOf(record: StoredSchedule): ScheduleSnapshot {
  const isSubmitted = record.state === 'fired' && record.submitted === true;
  return scheduleMachine.resolveState({
    value: isSubmitted ? 'submitted' : record.state,
    context: { record },
  });
}
