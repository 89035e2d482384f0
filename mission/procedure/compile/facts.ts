/**
 * What is known of a procedure from its steps: whether it sends, whether it changes a spacecraft, what is hazardous in
 * it, and its size, calls included. Mission Control Service, section 4.2 rules 3 and 4.
 */

import type { Node, Procedure, Role, Statement } from '../procedure.ts';
import { telecommandWords } from '../words.ts';
import { settersOf } from './longest.ts';

type Hazard = Procedure['hazardous'][number];

export interface Facts {
  readonly sends: boolean;
  readonly changesState: boolean;
  readonly hazardous: readonly Hazard[];
}

/** The leaf steps and the calls of the nodes, in order. */
function* leavesOf(nodes: readonly Node[]): Iterable<Extract<Node, { kind: 'step' | 'call' }>> {
  for (const node of nodes) {
    if (node.kind === 'call') yield node;
    else if (node.kind === 'step' && node.statements !== undefined) yield node;
    else yield* leavesOf(node.steps ?? []);
  }
}

/** Of the steps of a procedure with these roles. */
export function factsOf(nodes: readonly Node[], roles: ReadonlyMap<string, Role>): Facts {
  const facts = { sends: false, changesState: false, hazardous: [] as Hazard[] };
  for (const leaf of leavesOf(nodes)) {
    if (leaf.kind === 'call') {
      const { sends, changesState, hazardous } = leaf.procedure;
      facts.sends ||= sends;
      facts.changesState ||= changesState;
      facts.hazardous.push(...hazardous.map((each) => ({ ...each, path: `${leaf.path}/${each.path}` })));
    }
    for (const statement of (leaf.kind === 'step' ? leaf.statements : undefined) ?? []) {
      const { sends, changesState, hazardous } = ofStatement(statement, roles);
      facts.sends ||= sends;
      facts.changesState ||= changesState;
      facts.hazardous.push(...hazardous.map((telecommand) => ({ path: leaf.path, telecommand })));
    }
  }
  return facts;
}

/** A transfer sends what the directory is read and written with; the mode of a target is part of its state. */
function ofStatement(
  statement: Statement,
  roles: ReadonlyMap<string, Role>,
): { sends: boolean; changesState: boolean; hazardous: readonly string[] } {
  const none = { sends: false, changesState: false, hazardous: [] };
  switch (statement.kind) {
    case 'send':
      return {
        sends: true,
        changesState: statement.telecommand.changesState,
        hazardous: statement.telecommand.hazardous ? [telecommandWords(statement)] : [],
      };
    case 'configure': {
      const platform = roles.get(statement.role)?.compiled;
      const setters = platform === undefined ? [] : settersOf(platform);
      const hazardous = setters.filter(({ telecommand }) => telecommand.hazardous);
      const written = hazardous.map(({ telecommand }) => `${statement.role}.${telecommand.path}`);
      return { sends: setters.length > 0, changesState: true, hazardous: [...new Set(written)] };
    }
    case 'set_mode':
      return { ...none, changesState: true };
    case 'download':
      return { ...none, sends: true };
    case 'upload':
      return { ...none, sends: true, changesState: true };
    default:
      return none;
  }
}

/** Statements and calls, those of the procedures called among them. */
export function sizeOf(nodes: readonly Node[], sizeOfProcedure: (procedure: Procedure) => number): number {
  let size = 0;
  for (const leaf of leavesOf(nodes))
    size += leaf.kind === 'call' ? 1 + sizeOfProcedure(leaf.procedure) : (leaf.statements?.length ?? 0);
  return size;
}

/** Steps within steps and calls, those of the procedures called among them. */
export function depthOf(nodes: readonly Node[], depthOfProcedure: (procedure: Procedure) => number): number {
  let depth = 0;
  for (const node of nodes) {
    const below =
      node.kind === 'call'
        ? depthOfProcedure(node.procedure)
        : node.kind === 'step' && node.steps === undefined
          ? 0
          : depthOf(node.steps ?? [], depthOfProcedure);
    depth = Math.max(depth, 1 + below);
  }
  return depth;
}
