/**
 * Where in its program a run stands: the open nodes from the outside in, and what comes next in the innermost of them.
 * Mission Control Service, section 3.2. Steps are data: nothing here knows a procedure.
 *
 * L1. A node is found by its indexes, never by its path: two calls of one procedure have the same path.
 */

import { assert } from '../../contract/assert.ts';
import type { CallNode, Program, ProgramNode, ProgramStatement, StepNode } from '../../contract/program.ts';
import type { RunValue } from '../../contract/run-event.ts';

/** An open node. */
export interface Frame {
  /** Its place in the list that holds it. */
  readonly index: number;
  readonly attempt: number;
  /** Whether a telecommand that changes the state left in it since its attempt began. */
  readonly changed: boolean;
}

/** Node with the place it has in its list. */
export interface Placed {
  readonly index: number;
  readonly node: StepNode | CallNode;
}

/** The nodes of the frames, outermost first. */
export function nodesAt(program: Program, frames: readonly Frame[]): ProgramNode[] {
  const nodes: ProgramNode[] = [];
  let list = program.steps;
  for (const { index } of frames) {
    const node: ProgramNode | undefined = list[index];
    assert(node, 'L1');
    nodes.push(node);
    list = node.steps ?? [];
  }
  return nodes;
}

export function innermost(program: Program, frames: readonly Frame[]): ProgramNode | undefined {
  return nodesAt(program, frames).at(-1);
}

/** The list in which the run moves: of the innermost open node. */
export function listAt(program: Program, frames: readonly Frame[]): readonly ProgramNode[] {
  return frames.length === 0 ? program.steps : (innermost(program, frames)?.steps ?? []);
}

/** The step with statements that is open; undefined between two. */
export function leafAt(program: Program, frames: readonly Frame[]): StepNode | undefined {
  const node = innermost(program, frames);
  return node?.kind === 'step' && node.steps === undefined ? node : undefined;
}

export function statementsOf(leaf: StepNode): readonly ProgramStatement[] {
  return leaf.statements ?? [];
}

/** What follows in the normal course: an `if failed` block is skipped. */
export function following(list: readonly ProgramNode[], after: number): Placed | undefined {
  for (let index = after + 1; index < list.length; index += 1) {
    const node = list[index];
    if (node !== undefined && node.kind !== 'if_failed') return { index, node };
  }
  return undefined;
}

/** Place of the next `if failed` block behind what failed; undefined when its list has none. */
export function blockBehind(list: readonly ProgramNode[], after: number): number | undefined {
  const index = list.findIndex((node, place) => place > after && node.kind === 'if_failed');
  return index < 0 ? undefined : index;
}

/**
 * How many frames stay open, and which attempt follows, when what is open failed and may be begun again by itself: of
 * the innermost step with an attempt left, unless something changed the state in it. Undefined when a person must
 * decide. A step around an `if failed` block is not begun again from inside it: behind it the run ends.
 */
export function retryDepth(program: Program, frames: readonly Frame[]): number | undefined {
  const nodes = nodesAt(program, frames);
  for (let depth = frames.length; depth > 0; depth -= 1) {
    const [node, frame] = [nodes[depth - 1], frames[depth - 1]];
    if (node?.kind === 'if_failed') return undefined;
    if (node?.kind === 'step' && frame !== undefined && frame.attempt < node.attempts)
      return frame.changed ? undefined : depth;
  }
  return undefined;
}

/** Path of the innermost node with one, or the name of the procedure. */
export function pathAt(program: Program, frames: readonly Frame[]): string {
  const paths = nodesAt(program, frames).flatMap((node) => (node.kind === 'if_failed' ? [] : [node.path]));
  return paths.at(-1) ?? program.procedure;
}

/** Inputs of the procedure that is open. */
export function inputsAt(program: Program, frames: readonly Frame[]): Readonly<Record<string, RunValue>> {
  const call = nodesAt(program, frames).findLast((node) => node.kind === 'call');
  return call?.kind === 'call' ? call.inputs : program.inputs;
}

/** Names a place in the program, whatever its attempts: `0.2.1`. */
export function placeKey(frames: readonly Frame[]): string {
  return frames.map(({ index }) => index).join('.');
}
