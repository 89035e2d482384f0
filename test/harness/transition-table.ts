/**
 * Holds a chart against a transition table of a specification: every listed pair of state and event goes where the
 * table says, and every other pair of a reachable state and an event of the table stays put, which means: same state,
 * same context, nothing emitted.
 *
 * W1. Every row is walked, in every reachable state that its `from` names.
 * W2. All faults are reported at once.
 */

import { isDeepStrictEqual } from 'node:util';
import type { AnyStateMachine } from 'xstate';
import type { DriveOptions, Driving, EventOf } from './drive.ts';
import { type Edge, type Explored, explore, type Step, stepText } from './explore.ts';
import { covers, type StateName } from './state-name.ts';

/** `on: 'deadline'` is the next deadline armed in the state. */
export interface Row<Chart extends AnyStateMachine> {
  readonly from: StateName<Chart>;
  readonly on: EventOf<Chart> | 'deadline';
  readonly to: StateName<Chart>;
}

export interface TableOptions<Chart extends AnyStateMachine> extends DriveOptions<Chart> {
  readonly rows: readonly Row<Chart>[];
  /** Events to try beside those of the rows: they must change nothing anywhere. */
  readonly alien?: readonly EventOf<Chart>[];
}

export interface Walked {
  readonly states: readonly string[];
  /** Pairs the table lists, as walked. */
  readonly listed: number;
  /** Pairs it does not list, each of which stayed put. */
  readonly unlisted: number;
}

/**
 * How much was walked; throws with every pair that goes elsewhere, every row that applies nowhere, every pair that
 * moves unlisted.
 */
export function walkTable<Chart extends AnyStateMachine>(
  chart: Chart,
  options: Driving<Chart, TableOptions<Chart>> & Pick<TableOptions<Chart>, 'rows'>,
): Walked {
  const { rows, alien = [], ...driving } = options as TableOptions<Chart>;
  const sent = rows.flatMap(({ on }) => (on === 'deadline' ? [] : [on as EventOf<Chart>]));
  const events = [...sent, ...alien].filter((event, at, all) => all.findIndex(same(event)) === at);
  const explored = explore(chart, { ...driving, events } as unknown as Parameters<typeof explore<Chart>>[1]);
  const faults = [...explored.edges.flatMap((edge) => edgeFault(edge, rows)), ...idleRows(explored, rows)];
  if (faults.length > 0)
    throw new Error(`${faults.length} pairs differ from the table:\n${faults.join('\n')}`);
  const listed = explored.edges.filter((edge) => rows.some((row) => applies(row, edge))).length;
  return { states: explored.states, listed, unlisted: explored.edges.length - listed };
}

function edgeFault<Chart extends AnyStateMachine>(edge: Edge<Chart>, rows: readonly Row<Chart>[]): string[] {
  const row = rows.find((each) => applies(each, edge));
  const pair = `  ${edge.from}, ${stepText(edge.step)}:`;
  if (row === undefined) return edge.moved ? [`${pair} unlisted, ${whatMoved(edge)}`] : [];
  if (covers(row.to as string, edge.to.split(' & '))) return [];
  return [`${pair} expected ${row.to}, found ${edge.to}`];
}

function whatMoved<Chart extends AnyStateMachine>(edge: Edge<Chart>): string {
  if (edge.from !== edge.to) return `goes to ${edge.to}`;
  const emitted = [...edge.effects, ...edge.records] as { type: string }[];
  return emitted.length === 0 ? 'changes the context' : `emits ${emitted.map(({ type }) => type).join(', ')}`;
}

function idleRows<Chart extends AnyStateMachine>(
  { edges }: Explored<Chart>,
  rows: readonly Row<Chart>[],
): string[] {
  return rows
    .filter((row) => !edges.some((edge) => applies(row, edge)))
    .map(({ from, on }) => {
      const step = on === 'deadline' ? on : stepText<Chart>({ send: on as EventOf<Chart> });
      return `  ${from}, ${step}: no path leads to a state where it applies`;
    });
}

function applies<Chart extends AnyStateMachine>(row: Row<Chart>, { from, step }: Edge<Chart>): boolean {
  return covers(row.from as string, from.split(' & ')) && isStep(row.on, step);
}

function isStep<Chart extends AnyStateMachine>(on: Row<Chart>['on'], step: Step<Chart>): boolean {
  if (on === 'deadline') return 'deadline' in step;
  return 'send' in step && isDeepStrictEqual(on, step.send);
}

function same(event: unknown): (other: unknown) => boolean {
  return (other) => isDeepStrictEqual(event, other);
}
