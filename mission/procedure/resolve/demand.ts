/**
 * What a program demands of the world: which telecommands it sends, and how it must hold its targets. Mission Control
 * Service, section 3.2 (leases) and section 4.2 rules 3 and 4.
 *
 * D1. A target whose state the run may change is held exclusively, in any branch; else it is shared.
 * D2. A transfer sends telecommands, and an upload changes what is on board.
 */

import type {
  ProgramLease,
  ProgramNode,
  ProgramStatement,
  SendStatement,
} from '../../../contract/program.ts';

export interface Demand {
  readonly sends: boolean;
  readonly hazardous: boolean;
  readonly leases: readonly ProgramLease[];
}

/** The demand of the whole tree on these targets; leases are sorted by target. */
export function demandOf(nodes: readonly ProgramNode[], targets: Iterable<string>): Demand {
  const statements = statementsOf(nodes);
  const sent = statements.flatMap(sendsOf);
  const changed = new Set(statements.flatMap(changedTarget));
  const names = [...new Set(targets)].sort();
  return {
    sends: sent.length > 0 || statements.some(({ kind }) => kind === 'download' || kind === 'upload'),
    hazardous: sent.some(({ hazardous }) => hazardous),
    leases: names.map((target) => ({ target, mode: changed.has(target) ? 'exclusive' : 'shared' })),
  };
}

/** Every statement, in the order of the program. */
function statementsOf(nodes: readonly ProgramNode[]): ProgramStatement[] {
  return nodes.flatMap((node) =>
    node.kind === 'step' && node.statements !== undefined
      ? [...node.statements]
      : statementsOf(node.steps ?? []),
  );
}

function sendsOf(statement: ProgramStatement): readonly SendStatement[] {
  if (statement.kind === 'send') return [statement];
  return statement.kind === 'configure' ? statement.setters : [];
}

function changedTarget(statement: ProgramStatement): string[] {
  switch (statement.kind) {
    case 'send':
      return statement.changesState ? [statement.target] : [];
    case 'configure':
    case 'set_mode':
    case 'upload':
      return [statement.target];
    default:
      return [];
  }
}
