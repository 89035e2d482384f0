/**
 * The supervisor of a set of children (cells of a kind, services of a role, roles of a process): who is restarted when,
 * who is quarantined, and when the whole set is given up.
 *
 * U1. The context is sparse: only children in trouble are in it.
 * U2. A child is restarted with growing delay; more than `restarts` crashes inside `windowMs` quarantine it.
 * U3. A quarantined child comes back only by an operator: resumed from its record, or reset; or as another child, when
 *     it ended here and was given to this set again.
 * U4. More than `quarantines` quarantines inside `windowMs` escalate, once: the set is beyond repair.
 * U5. Chance comes in with the event (`random` in [0, 1)), so the same events give the same delays.
 */

import { assign, enqueueActions, setup } from 'xstate';
import { CHART_MICROSTEPS } from '../../contract/limits/cell.ts';

export interface SupervisorInput {
  readonly name: string;
  /** Crashes of one child inside the window before it is quarantined. */
  readonly restarts: number;
  /** Quarantines inside the window before the set escalates. */
  readonly quarantines: number;
  readonly windowMs: number;
  readonly backoff: { readonly firstMs: number; readonly largestMs: number };
}

interface Trouble {
  /** Times of the crashes inside the window, oldest first. */
  readonly crashes: readonly number[];
  readonly quarantined: boolean;
  readonly reason: string;
}

interface SupervisorContext extends SupervisorInput {
  readonly children: Readonly<Record<string, Trouble>>;
  readonly quarantinedAt: readonly number[];
}

export type SupervisorEvent =
  | { type: 'child.crashed'; child: string; reason: string; at: number; random: number }
  | { type: 'child.stable'; child: string }
  | { type: 'child.broken'; child: string; reason: string; at: number }
  /** It is no child any more: finished, or somebody else's. */
  | { type: 'child.ended'; child: string }
  | { type: 'operator.resume'; child: string }
  | { type: 'operator.reset'; child: string }
  | { type: 'operator.drain' };

export type SupervisorEffect =
  | { type: 'effect.restart'; child: string; attempt: number; delayMs: number }
  | { type: 'effect.quarantine'; child: string; reason: string }
  | { type: 'effect.release'; child: string; reset: boolean }
  | { type: 'effect.escalate'; reason: string };

/** Exponential with full jitter on its upper half: children that fell together do not come back together. */
function backoffMs(
  { firstMs, largestMs }: SupervisorInput['backoff'],
  attempt: number,
  random: number,
): number {
  const ceiling = Math.min(largestMs, firstMs * 2 ** (attempt - 1));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}

function recent(times: readonly number[], at: number, windowMs: number): readonly number[] {
  return times.filter((time) => at - time < windowMs);
}

function without(children: SupervisorContext['children'], child: string): SupervisorContext['children'] {
  const { [child]: _gone, ...rest } = children;
  return rest;
}

export const supervisorMachine = setup({
  types: {} as {
    context: SupervisorContext;
    events: SupervisorEvent;
    emitted: SupervisorEffect;
    input: SupervisorInput;
  },
  guards: {
    isQuarantined: ({ context, event }) =>
      'child' in event && context.children[event.child]?.quarantined === true,
    isPatient: ({ context, event }) => {
      if (event.type !== 'child.crashed') return false;
      const crashes = recent(context.children[event.child]?.crashes ?? [], event.at, context.windowMs);
      return crashes.length < context.restarts;
    },
    isBeyondRepair: ({ context }) => context.quarantinedAt.length > context.quarantines,
  },
  actions: {
    restart: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'child.crashed') return;
      const before = context.children[event.child]?.crashes ?? [];
      const crashes = [...recent(before, event.at, context.windowMs), event.at];
      enqueue.assign({
        children: {
          ...context.children,
          [event.child]: { crashes, quarantined: false, reason: event.reason },
        },
      });
      enqueue.emit({
        type: 'effect.restart',
        child: event.child,
        attempt: crashes.length,
        delayMs: backoffMs(context.backoff, crashes.length, event.random),
      });
    }),
    quarantine: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'child.crashed' && event.type !== 'child.broken') return;
      const before = context.children[event.child]?.crashes ?? [];
      const crashes = event.type === 'child.crashed' ? [...before, event.at] : before;
      enqueue.assign({
        children: {
          ...context.children,
          [event.child]: { crashes, quarantined: true, reason: event.reason },
        },
        quarantinedAt: [...recent(context.quarantinedAt, event.at, context.windowMs), event.at],
      });
      enqueue.emit({ type: 'effect.quarantine', child: event.child, reason: event.reason });
    }),
    forget: assign({
      children: ({ context, event }) =>
        'child' in event ? without(context.children, event.child) : context.children,
    }),
    release: enqueueActions(({ event, enqueue }) => {
      if (event.type !== 'operator.resume' && event.type !== 'operator.reset') return;
      enqueue.emit({ type: 'effect.release', child: event.child, reset: event.type === 'operator.reset' });
    }),
    escalate: enqueueActions(({ context, event, enqueue }) => {
      const last = 'child' in event ? event.child : '';
      const many =
        context.quarantinedAt.length === 1 ? '' : `${context.quarantinedAt.length} children, at last `;
      const within = `within ${context.windowMs / 1000} s`;
      const why = context.children[last]?.reason ?? 'unknown';
      enqueue.emit({
        type: 'effect.escalate',
        reason: `${context.name}: ${many}${last} kept failing ${within}: ${why}`,
      });
    }),
  },
}).createMachine({
  id: 'supervisor',
  options: { maxIterations: CHART_MICROSTEPS },
  context: ({ input }) => ({ ...input, children: {}, quarantinedAt: [] }),
  initial: 'running',
  states: {
    running: {
      always: { guard: 'isBeyondRepair', target: 'escalated', actions: 'escalate' },
      on: {
        'child.crashed': [
          { guard: 'isQuarantined' },
          { guard: 'isPatient', actions: 'restart' },
          { actions: 'quarantine' },
        ],
        'child.broken': [{ guard: 'isQuarantined' }, { actions: 'quarantine' }],
        'child.stable': [{ guard: 'isQuarantined' }, { actions: 'forget' }],
        'child.ended': { actions: 'forget' },
        'operator.resume': { guard: 'isQuarantined', actions: ['release', 'forget'] },
        'operator.reset': { guard: 'isQuarantined', actions: ['release', 'forget'] },
        'operator.drain': 'draining',
      },
    },
    draining: { description: 'Children are being stopped: nothing is restarted.' },
    escalated: { description: 'Given up: the parent decides.' },
  },
});
