/**
 * What a procedure holds before any target is known: its statements, the procedures it calls, the paths of its steps.
 * Mission Control Service, section 2.3 (steps are designated by a path).
 */

import type { Node, Procedure, Statement } from '../procedure.ts';

/** The procedure and all it calls, each once. */
export function calledBy(procedure: Procedure): readonly Procedure[] {
  const found = new Set<Procedure>([procedure]);
  // A set may grow while it is walked: each procedure is looked into once.
  for (const each of found) {
    for (const node of nodesIn(each.steps)) if (node.kind === 'call') found.add(node.procedure);
  }
  return [...found];
}

/** The statements of the procedure itself. */
export function statementsIn(procedure: Procedure): Statement[] {
  return nodesIn(procedure.steps).flatMap((node) => (node.kind === 'step' ? (node.statements ?? []) : []));
}

/** How many statements it has with those of its calls in place. */
export function statementCount(procedure: Procedure, counted = new Map<Procedure, number>()): number {
  const before = counted.get(procedure);
  if (before !== undefined) return before;
  let count = 0;
  for (const node of nodesIn(procedure.steps)) {
    if (node.kind === 'call') count += statementCount(node.procedure, counted);
    if (node.kind === 'step') count += node.statements?.length ?? 0;
  }
  counted.set(procedure, count);
  return count;
}

/** Whole paths of all its steps and calls, those of called procedures included, in order. */
export function stepPaths(procedure: Procedure, prefix = ''): string[] {
  return nodesIn(procedure.steps).flatMap((node) => {
    if (node.kind === 'if_failed') return [];
    const path = prefix + node.path;
    return node.kind === 'call' ? [path, ...stepPaths(node.procedure, `${path}/`)] : [path];
  });
}

/** All nodes, those inside others behind them; not into calls. */
function nodesIn(nodes: readonly Node[]): Node[] {
  return nodes.flatMap((node) => (node.kind === 'call' ? [node] : [node, ...nodesIn(node.steps ?? [])]));
}
