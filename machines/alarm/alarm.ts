/**
 * The life of one alarm. Mission Control Service, section 3.3, with the shelving and the reactions of section 4.4. Its
 * condition is evaluated elsewhere: only what has changed comes here.
 *
 * A1. Each transition is recorded with a number of its own before anybody receives of it; what changes nothing records
 *     nothing.
 * A2. An evaluation that lies not behind the last one recorded changes nothing: a new leader reads the samples again.
 * A3. Shelving changes no state. It silences reactions and nothing else, also of what is evaluated late
 *     (alarm/record.B4).
 * A4. A reaction is asked for once for each activation by the condition, and its failure is reported once.
 */

import { assign, enqueueActions, setup } from 'xstate';
import type { AlarmCause, AlarmRecord, AlarmState } from '../../contract/alarm.ts';
import { CHART_MICROSTEPS } from '../../contract/limits/cell.ts';
import {
  type AlarmChartEvent,
  type AlarmCommand,
  type AlarmEffect,
  type AlarmItem,
  type Asking,
  reactionEffect,
} from './protocol.ts';
import {
  type AlarmContext,
  contentOf,
  isAfter,
  isShelvedAt,
  NEVER_EVALUATED,
  nextRecord,
  shelvingEnd,
  type Transition,
  withFailure,
  withoutReaction,
  withReaction,
  withRun,
} from './record.ts';

function itemOf(context: AlarmContext, record: AlarmRecord, transition: boolean): AlarmItem {
  return { type: 'record', state: record.state, transition, stored: { record, ...contentOf(context) } };
}

function requestOf(event: object): string | undefined {
  return (event as Partial<Asking>).request;
}

/** What a transition to a state says of an event. */
function transitionOf(event: AlarmChartEvent, state: AlarmState): Transition {
  if (event.type === 'condition.changed') {
    const { at, severity, value } = event;
    return { state, cause: 'condition', at, severity, ...(value !== undefined && { value }) };
  }
  const { at, by } = event as AlarmCommand;
  return { state, cause: 'acknowledged', at, by };
}

/** The shelving that begins or ends by an event; only its term ends it without an operator, at a time that is known. */
function shelvingOf(record: AlarmRecord, event: AlarmChartEvent | { type: string }): Transition {
  const { state, shelved_until: until } = record;
  if (event.type === 'operator.shelve') {
    const { at, by, until: shelvedUntil } = event as AlarmCommand & { until: number };
    return { state, cause: 'shelved', at, by, shelvedUntil };
  }
  const cause: AlarmCause = 'unshelved';
  if (event.type !== 'operator.unshelve')
    return { state, cause, at: Date.parse(until ?? ''), shelvedUntil: null };
  const { at, by } = event as AlarmCommand;
  return { state, cause, at, by, shelvedUntil: null };
}

/** Why a command is not carried out, for a person. */
function refusalOf({ record }: AlarmContext, type: string): string {
  if (record === undefined) return 'it has never been raised';
  if (type === 'operator.unshelve') return 'it is not shelved';
  return record.state === 'ACTIVE_ACK'
    ? 'there is nothing to acknowledge: it is acknowledged already'
    : 'there is nothing to acknowledge: it is NORMAL';
}

export const alarmMachine = setup({
  types: {} as {
    context: AlarmContext;
    events: AlarmChartEvent;
    emitted: AlarmEffect | AlarmItem;
    /** Names it for people; nothing here depends on it. */
    input: { readonly key: string };
  },
  guards: {
    isPast: ({ context, event }) =>
      event.type === 'condition.changed' && !isAfter(event.evaluated, context.evaluated),
    isTrue: ({ event }) => event.type === 'condition.changed' && event.severity !== null,
    isNormal: ({ event }) => event.type === 'condition.changed' && event.severity === null,
    isWorse: ({ context, event }) =>
      event.type === 'condition.changed' &&
      event.severity === 'critical' &&
      context.record?.severity === 'warning',
    isMilder: ({ context, event }) =>
      event.type === 'condition.changed' &&
      event.severity === 'warning' &&
      context.record?.severity === 'critical',
    isRecorded: ({ context }) => context.record !== undefined,
    isPending: ({ context, event }) =>
      'seq' in event && context.reactions.some(({ seq }) => seq === event.seq),
  },
  delays: {
    shelvingTerm: ({ event }) => (event.type === 'operator.shelve' ? Math.max(0, event.until - event.at) : 0),
  },
  actions: {
    accept: enqueueActions(({ event, enqueue }) => {
      const request = requestOf(event);
      if (request !== undefined) enqueue.emit({ type: 'effect.reply', request, outcome: 'accepted' });
    }),
    refuse: enqueueActions(({ context, event, enqueue }) => {
      const request = requestOf(event);
      const reason = refusalOf(context, event.type);
      if (request !== undefined) enqueue.emit({ type: 'effect.reply', request, outcome: 'refused', reason });
    }),
    keepPlace: assign(({ event }) =>
      event.type === 'condition.changed' ? { evaluated: event.evaluated } : {},
    ),
    transit: enqueueActions(({ context, event, enqueue }, params: { state: AlarmState }) => {
      const record = nextRecord(context.record, transitionOf(event, params.state));
      enqueue.assign({ record });
      enqueue.emit(itemOf(context, record, true));
    }),
    /** A new activation, with its reaction when it has one and is not silenced (A3). */
    raise: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'condition.changed') return;
      const record = nextRecord(context.record, transitionOf(event, 'ACTIVE_UNACK'));
      const { at, onRaise: procedure } = event;
      if (procedure === undefined || isShelvedAt(context, at)) {
        enqueue.assign({ record });
        enqueue.emit(itemOf(context, record, true));
        return;
      }
      const { added, ...asked } = withReaction(context, { seq: record.seq, at, procedure });
      enqueue.assign({ record, ...asked });
      enqueue.emit(itemOf({ ...context, ...asked }, record, true));
      enqueue.emit(reactionEffect(added));
    }),
    shelving: enqueueActions(({ context, event, enqueue }) => {
      if (context.record === undefined) return;
      const transition = shelvingOf(context.record, event);
      const record = nextRecord(context.record, transition);
      const isOver = transition.cause === 'unshelved';
      const ended = isOver ? { unshelvedAt: shelvingEnd(context.record, transition) } : {};
      enqueue.assign({ record, ...ended });
      enqueue.emit(itemOf({ ...context, ...ended }, record, true));
    }),
    /** Keeps what is known of a reaction, and asks for what comes next of it. */
    react: enqueueActions(({ context, event, enqueue }) => {
      if (context.record === undefined || !('seq' in event)) return;
      const known = reactionsAfter(context, event);
      enqueue.assign(known);
      enqueue.emit(itemOf({ ...context, ...known }, context.record, false));
      const pending = known.reactions.find(({ seq }) => seq === event.seq);
      if (pending !== undefined) enqueue.emit(reactionEffect(pending));
    }),
  },
}).createMachine({
  id: 'alarm',
  options: { maxIterations: CHART_MICROSTEPS },
  context: { evaluated: NEVER_EVALUATED, reactions: [], reports: 0 },
  type: 'parallel',
  states: {
    life: {
      initial: 'NORMAL',
      states: {
        NORMAL: {
          on: {
            'condition.changed': [
              { guard: 'isPast', actions: 'accept' },
              { guard: 'isTrue', target: 'ACTIVE_UNACK', actions: ['keepPlace', 'raise', 'accept'] },
              { actions: 'accept' },
            ],
            'operator.acknowledge': { actions: 'refuse' },
          },
        },
        ACTIVE_UNACK: {
          on: {
            'condition.changed': [
              { guard: 'isPast', actions: 'accept' },
              { guard: 'isNormal', target: 'CLEARED_UNACK', actions: changed('CLEARED_UNACK') },
              { guard: 'isWorse', actions: changed('ACTIVE_UNACK') },
              { guard: 'isMilder', actions: changed('ACTIVE_UNACK') },
              { actions: 'accept' },
            ],
            'operator.acknowledge': { target: 'ACTIVE_ACK', actions: acknowledged('ACTIVE_ACK') },
          },
        },
        ACTIVE_ACK: {
          on: {
            'condition.changed': [
              { guard: 'isPast', actions: 'accept' },
              { guard: 'isNormal', target: 'NORMAL', actions: changed('NORMAL') },
              { guard: 'isWorse', target: 'ACTIVE_UNACK', actions: changed('ACTIVE_UNACK') },
              { guard: 'isMilder', actions: changed('ACTIVE_ACK') },
              { actions: 'accept' },
            ],
            'operator.acknowledge': { actions: 'refuse' },
          },
        },
        CLEARED_UNACK: {
          on: {
            'condition.changed': [
              { guard: 'isPast', actions: 'accept' },
              { guard: 'isTrue', target: 'ACTIVE_UNACK', actions: ['keepPlace', 'raise', 'accept'] },
              { actions: 'accept' },
            ],
            'operator.acknowledge': { target: 'NORMAL', actions: acknowledged('NORMAL') },
          },
        },
      },
    },
    shelving: {
      initial: 'unshelved',
      states: {
        unshelved: {
          on: {
            'operator.shelve': [
              { guard: 'isRecorded', target: 'shelved', actions: ['shelving', 'accept'] },
              { actions: 'refuse' },
            ],
            'operator.unshelve': { actions: 'refuse' },
          },
        },
        shelved: {
          after: { shelvingTerm: { target: 'unshelved', actions: 'shelving' } },
          on: {
            'operator.shelve': { target: 'shelved', reenter: true, actions: ['shelving', 'accept'] },
            'operator.unshelve': { target: 'unshelved', actions: ['shelving', 'accept'] },
          },
        },
      },
    },
  },
  on: {
    'reaction.launched': { guard: 'isPending', actions: 'react' },
    'reaction.refused': { guard: 'isPending', actions: 'react' },
    'reaction.ended': { guard: 'isPending', actions: 'react' },
    'reaction.reported': { guard: 'isPending', actions: 'react' },
  },
});

type ReactionEvent = Extract<AlarmChartEvent, { seq: number }>;

function reactionsAfter(
  context: AlarmContext,
  event: ReactionEvent,
): Pick<AlarmContext, 'reactions' | 'reports'> {
  const { seq } = event;
  switch (event.type) {
    case 'reaction.launched':
      return withRun(context, seq, event.run);
    case 'reaction.refused':
      return withFailure(context, seq, event.reason);
    case 'reaction.ended':
      return event.ok
        ? withoutReaction(context, seq)
        : withFailure(context, seq, event.reason ?? 'its run did not pass');
    case 'reaction.reported':
      return withoutReaction(context, seq);
  }
}

function changed(state: AlarmState) {
  return ['keepPlace' as const, { type: 'transit' as const, params: { state } }, 'accept' as const];
}

function acknowledged(state: AlarmState) {
  return [{ type: 'transit' as const, params: { state } }, 'accept' as const];
}
