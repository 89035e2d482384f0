/**
 * The life of one schedule. Mission Control Service, section 3.4, with the validation of section 4.6. Whether it fits
 * is found elsewhere (`mission/schedule/assess.ts`): here is what becomes of it.
 *
 * S1. Each change is recorded before anything happens because of it: the run is submitted only once it stands in the
 *     record that the schedule has fired, and under which identifier.
 * S2. What changes nothing records nothing.
 * S3. Behind `cancelled`, `fired` and `missed` nothing found and no command changes it. `fired` waits for its
 *     submission, which changes no state that anybody is shown.
 */

import { enqueueActions, setup } from 'xstate';
import { CHART_MICROSTEPS } from '../../contract/limits/cell.ts';
import type { ScheduleState } from '../../contract/schedule.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import {
  type Finding,
  openEffects,
  type ScheduleChartEvent,
  type ScheduleContext,
  type ScheduleEffect,
  type ScheduleInput,
  type ScheduleItem,
} from './protocol.ts';
import { differs, firstRecord, moved, withFinding } from './record.ts';

function item(record: StoredSchedule, transition: boolean, event?: ScheduleChartEvent): ScheduleItem {
  const seen = event !== undefined && 'seen' in event ? event.seen : undefined;
  const { state } = record;
  return { type: 'record', state, transition, stored: record, ...(seen !== undefined && { seen }) };
}

/** What is known of it by an event; of one that finds nothing, the record as it is. */
function foundIn(event: ScheduleChartEvent): Finding | undefined {
  return 'found' in event ? event.found : undefined;
}

function known(record: StoredSchedule, event: ScheduleChartEvent): StoredSchedule {
  const found = foundIn(event);
  return found === undefined ? record : withFinding(record, found);
}

function byOf(event: ScheduleChartEvent): string | undefined {
  return 'by' in event ? event.by : undefined;
}

/** Why it is cancelled: its pass is, or somebody wants it so. */
function cancelReasons(event: ScheduleChartEvent): readonly string[] {
  if (event.type !== 'operator.cancel') return [foundIn(event)?.cancelled ?? 'its pass is cancelled'];
  return [event.by === undefined ? 'cancelled' : `cancelled by ${event.by}`];
}

/** Why it did not start: what keeps it at risk, what there is too little time for, or what was found too late. */
function missReasons(event: ScheduleChartEvent, { reasons: before }: StoredSchedule): readonly string[] {
  if (event.type !== 'start.reached') return [];
  const now = event.found.reasons.length > 0 ? event.found.reasons : event.reasons;
  if (now.length > 0) return now;
  return before.map((reason) => `it fits only since its start is past; before: ${reason}`);
}

export const scheduleMachine = setup({
  types: {} as {
    context: ScheduleContext;
    events: ScheduleChartEvent;
    emitted: ScheduleEffect | ScheduleItem;
    input: ScheduleInput;
  },
  guards: {
    fitsAtFirst: ({ context }) => context.record.reasons.length === 0,
    isPassCancelled: ({ event }) => foundIn(event)?.cancelled !== undefined,
    fits: ({ event }) => foundIn(event)?.reasons.length === 0,
    isUnfit: ({ event }) => foundIn(event)?.reasons.length !== 0,
    startsInTime: ({ event }) =>
      event.type === 'start.reached' && event.found.reasons.length === 0 && event.reasons.length === 0,
    differs: ({ context, event }) => {
      const found = foundIn(event);
      return found !== undefined && differs(context.record, found);
    },
  },
  actions: {
    enter: enqueueActions(({ context, event, enqueue }, params: { state: ScheduleState }) => {
      const reasons = params.state === 'cancelled' ? cancelReasons(event) : (foundIn(event)?.reasons ?? []);
      const { state } = params;
      const record = moved(known(context.record, event), { state, reasons, at: event.at, by: byOf(event) });
      enqueue.assign({ record });
      enqueue.emit(item(record, true, event));
    }),
    begin: enqueueActions(({ context, enqueue }, params: { state: ScheduleState }) => {
      const { reasons, updated_at, by } = context.record;
      const record = moved(context.record, { ...params, reasons, at: Date.parse(updated_at), by });
      enqueue.assign({ record });
      enqueue.emit(item(record, true));
    }),
    refresh: enqueueActions(({ context, event, enqueue }) => {
      const { state, reasons: before } = context.record;
      const reasons = foundIn(event)?.reasons ?? before;
      const record = moved(known(context.record, event), { state, reasons, at: event.at, by: byOf(event) });
      enqueue.assign({ record });
      enqueue.emit(item(record, false, event));
    }),
    fire: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'start.reached') return;
      const { at, run } = event;
      const fired = moved(known(context.record, event), { state: 'fired', reasons: [], at });
      const record = { ...fired, run_id: run };
      enqueue.assign({ record });
      enqueue.emit(item(record, true, event));
      for (const effect of openEffects(record)) enqueue.emit(effect);
    }),
    miss: enqueueActions(({ context, event, enqueue }) => {
      const reasons = missReasons(event, context.record);
      const record = moved(known(context.record, event), { state: 'missed', reasons, at: event.at });
      enqueue.assign({ record });
      enqueue.emit(item(record, true, event));
    }),
    /** No change that anybody is shown. */
    submitted: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'submitted') return;
      const record = { ...context.record, run_id: event.run, submitted: true };
      enqueue.assign({ record });
      enqueue.emit(item(record, false));
    }),
  },
}).createMachine({
  id: 'schedule',
  options: { maxIterations: CHART_MICROSTEPS },
  context: ({ input }) => ({ record: firstRecord(input) }),
  initial: 'created',
  states: {
    created: {
      always: [
        { guard: 'fitsAtFirst', target: 'scheduled', actions: begun('scheduled') },
        { target: 'at_risk', actions: begun('at_risk') },
      ],
    },
    scheduled: {
      on: {
        evaluated: [
          { guard: 'isPassCancelled', target: 'cancelled', actions: entered('cancelled') },
          { guard: 'isUnfit', target: 'at_risk', actions: entered('at_risk') },
          { guard: 'differs', actions: 'refresh' },
        ],
        'start.reached': [
          { guard: 'isPassCancelled', target: 'cancelled', actions: entered('cancelled') },
          { guard: 'startsInTime', target: 'fired', actions: 'fire' },
          { target: 'missed', actions: 'miss' },
        ],
        'operator.cancel': { target: 'cancelled', actions: entered('cancelled') },
        'operator.validate': [
          { guard: 'fits', actions: 'refresh' },
          { target: 'at_risk', actions: entered('at_risk') },
        ],
      },
    },
    at_risk: {
      on: {
        evaluated: [
          { guard: 'isPassCancelled', target: 'cancelled', actions: entered('cancelled') },
          { guard: 'fits', target: 'scheduled', actions: entered('scheduled') },
          { guard: 'differs', actions: 'refresh' },
        ],
        'start.reached': [
          { guard: 'isPassCancelled', target: 'cancelled', actions: entered('cancelled') },
          { target: 'missed', actions: 'miss' },
        ],
        'operator.cancel': { target: 'cancelled', actions: entered('cancelled') },
        'operator.validate': [
          { guard: 'fits', target: 'scheduled', actions: entered('scheduled') },
          { actions: 'refresh' },
        ],
      },
    },
    fired: { on: { submitted: { target: 'submitted', actions: 'submitted' } } },
    submitted: { type: 'final' },
    cancelled: { type: 'final' },
    missed: { type: 'final' },
  },
});

function entered(state: ScheduleState) {
  return { type: 'enter' as const, params: { state } };
}

function begun(state: 'scheduled' | 'at_risk') {
  return { type: 'begin' as const, params: { state } };
}
