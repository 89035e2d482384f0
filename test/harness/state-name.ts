/**
 * Names of states as people say them: `PENDING.checking`, in a chart with parallel regions one such name per region.
 * The harness takes and shows states this way only.
 *
 * N1. A name covers a state when it is the state or a state around it: `PENDING` covers `PENDING.checking`.
 */

import type { AnyStateMachine, AnyStateNode, SnapshotFrom } from 'xstate';

/** Every name of a state of the chart, from the chart's own types; a misspelt one does not compile. */
export type StateName<Chart extends AnyStateMachine> = NameIn<SnapshotFrom<Chart>['value']>;

type NameIn<Value> = Value extends string
  ? Value
  : string extends keyof Value
    ? string
    : {
        [Key in keyof Value & string]: Key | `${Key}.${NameIn<NonNullable<Value[Key]>>}`;
      }[keyof Value & string];

/** The innermost active states of a state value, one per parallel region. */
export function activeNames(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value as Readonly<Record<string, unknown>>).flatMap(([key, inner]) => {
    const names = activeNames(inner);
    return names.length === 0 ? [key] : names.map((name) => `${key}.${name}`);
  });
}

/** The state as one line: its active names, parallel regions joined by ` & `. */
export function stateLine(value: unknown): string {
  return activeNames(value).join(' & ');
}

/** Whether one of the active states is the named one or inside it (N1). */
export function covers(name: string, active: readonly string[]): boolean {
  return active.some((each) => each === name || each.startsWith(`${name}.`));
}

/** The name of a node of the chart. */
export function nameOf(node: AnyStateNode): string {
  return node.path.join('.');
}

/** Names of all innermost states of the chart, in the order they are written. */
export function everyName(chart: AnyStateMachine): string[] {
  const within = (node: AnyStateNode): string[] => {
    if (node.type === 'history') return [];
    const inner = Object.values(node.states);
    return inner.length === 0 ? [nameOf(node)] : inner.flatMap(within);
  };
  return Object.values(chart.root.states).flatMap(within);
}
