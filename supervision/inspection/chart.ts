/**
 * A chart as data: nodes and edges with stable ids, as the inspector draws it. Compiled once per machine; knows nothing
 * of entities.
 *
 * H1. The id of an edge is `<source>|<event>|<n>`, `n` counting the edges of that event at that state: it changes only
 *     when the chart does.
 * H2. The digest is of everything shown: two builds of one version that differ, differ in it.
 */

import { createHash } from 'node:crypto';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { ChartEdge, ChartNode, ChartView } from '../../contract/inspection.ts';
import { actionName, eventName, guardName } from './chart-names.ts';

export interface CompiledChart {
  readonly view: ChartView;
  /** Event types the chart handles, those of the runtime (deadlines, done) left out. */
  readonly events: readonly string[];
  /** Ids of the edges of transitions, in their order; transitions that are no edges are left out. */
  edgesOf(transitions: readonly object[]): string[];
}

interface Transition {
  readonly eventType: string;
  readonly target?: readonly AnyStateNode[];
  readonly guard?: unknown;
  readonly actions: readonly unknown[];
}

/** Prefix of the events that the runtime of charts makes itself. */
const INTERNAL = 'xstate.';

const compiled = new WeakMap<AnyStateMachine, CompiledChart[]>();

/** The chart of a kind in a version; the same object for the same machine under the same name. */
export function compileChart(kind: string, version: number, machine: AnyStateMachine): CompiledChart {
  const charts = compiled.get(machine) ?? [];
  const known = charts.find(({ view }) => view.kind === kind && view.version === version);
  if (known !== undefined) return known;
  const chart = compile(kind, version, machine);
  compiled.set(machine, [...charts, chart]);
  return chart;
}

function compile(kind: string, version: number, machine: AnyStateMachine): CompiledChart {
  const ids = new Map<object, string[]>();
  const nodes = [...descendants(machine.root)];
  const edges = nodes.flatMap((node) => edgesFrom(node, ids));
  const root = nodeView(machine.root, false);
  const definition = definitionText(machine);
  const digest = createHash('sha256').update(JSON.stringify({ root, edges, definition })).digest('hex');
  return {
    view: { kind, version, digest: digest.slice(0, 16), root, edges, definition },
    events: [...new Set(nodes.flatMap(ownEvents))].sort(),
    edgesOf: (transitions) => transitions.flatMap((transition) => ids.get(transition) ?? []),
  };
}

function* descendants(node: AnyStateNode): Iterable<AnyStateNode> {
  yield node;
  for (const child of children(node)) yield* descendants(child);
}

function children(node: AnyStateNode): AnyStateNode[] {
  return Object.values(node.states as Record<string, AnyStateNode>);
}

function nodeView(node: AnyStateNode, initial: boolean): ChartNode {
  const first = initialKey(node);
  return {
    id: node.id,
    key: node.key,
    type: node.type,
    initial,
    ...(node.description !== undefined && { description: node.description }),
    // As written: what xstate adds to arm and to cancel deadlines is no action of the author.
    entry: listed(node.config.entry).map(actionName),
    exit: listed(node.config.exit).map(actionName),
    children: children(node).map((child) => nodeView(child, child.key === first)),
  };
}

function listed(actions: unknown): unknown[] {
  return actions === undefined ? [] : [actions].flat();
}

function initialKey(node: AnyStateNode): string | undefined {
  if (node.type !== 'compound') return undefined;
  return node.initial.target[0]?.key;
}

function edgesFrom(node: AnyStateNode, ids: Map<object, string[]>): ChartEdge[] {
  const edges: ChartEdge[] = [];
  const counts = new Map<string, number>();
  for (const transition of transitionsOf(node)) {
    const event = transition.eventType === '' ? 'always' : transition.eventType;
    // A transition without a target stays where it is: it is drawn as a loop.
    for (const target of transition.target ?? [node]) {
      const n = counts.get(event) ?? 0;
      counts.set(event, n + 1);
      const id = `${node.id}|${event}|${n}`;
      ids.set(transition, [...(ids.get(transition) ?? []), id]);
      edges.push(edgeView(id, node, target, transition));
    }
  }
  return edges;
}

function edgeView(id: string, source: AnyStateNode, target: AnyStateNode, transition: Transition): ChartEdge {
  const guard = guardName(transition.guard);
  return {
    id,
    source: source.id,
    target: target.id,
    event: eventName(transition.eventType),
    ...(guard !== undefined && { guard }),
    actions: transition.actions.map(actionName),
  };
}

function transitionsOf(node: AnyStateNode): Transition[] {
  return [...(node.always ?? []), ...[...node.transitions.values()].flat()] as unknown as Transition[];
}

function ownEvents(node: AnyStateNode): string[] {
  return node.ownEvents.filter(
    (event: string) => event !== '' && event !== '*' && !event.startsWith(INTERNAL),
  );
}

/** The configuration of the machine in its own order; functions are named, as the tools of `@statelyai/inspect` do. */
function definitionText(machine: AnyStateMachine): string {
  return JSON.stringify(machine.config, (_key, value: unknown) =>
    typeof value === 'function' ? { type: actionName(value) } : value,
  );
}
