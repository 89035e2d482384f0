/**
 * The steps of a program in the order they are walked, as a list people can follow a run in. Mission Control Service,
 * section 2.3 (paths). Pure.
 */

import type { Program, ProgramNode } from '../../contract/program.ts';
import type { RunStep } from '../../contract/run.ts';

/** Every step and call; those of an `if failed` block are marked, a run that passes does not meet them. */
export function stepsOf({ steps }: Pick<Program, 'steps'>): RunStep[] {
  return steps.flatMap((node) => stepsIn(node, false));
}

function stepsIn(node: ProgramNode, ifFailed: boolean): RunStep[] {
  if (node.kind === 'if_failed') return node.steps.flatMap((inner) => stepsIn(inner, true));
  const inner = (node.steps ?? []).flatMap((each) => stepsIn(each, ifFailed));
  if (node.kind === 'call') {
    const { path, procedure, library } = node;
    return [{ path, kind: 'call', if_failed: ifFailed, procedure, library }, ...inner];
  }
  const kind = node.statements === undefined ? 'group' : 'step';
  return [{ path: node.path, kind, if_failed: ifFailed }, ...inner];
}
