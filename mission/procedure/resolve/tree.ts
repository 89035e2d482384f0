/**
 * The steps of a procedure with the procedures it calls in place. Mission Control Service, section 2.3 (paths), section
 * 4.2 rule 5.
 *
 * T1. The path of what a call holds begins with the path of the call.
 * T2. The longest duration is that of the procedure (longest.D1, D2 of its compilation) with what a configuration of
 *     these targets really sends.
 */

import type { ProgramNode, ProgramStatement } from '../../../contract/program.ts';
import { sum, withAttempts } from '../compile/longest.ts';
import type { Node, Statement } from '../procedure.ts';
import { longestConfigure } from './configure.ts';
import { libraryOf } from './find-procedure.ts';
import { passedInputs } from './input.ts';
import type { Invocation, Leaf } from './invocation.ts';
import { inputValues, resolveStatement, targetNames } from './statement.ts';
import { platformFaults, type RoleTarget } from './target.ts';

export interface Resolved<Item> {
  readonly items: readonly Item[];
  /** Null: unbounded. */
  readonly longestMs: number | null;
}

type CallOf = Extract<Node, { kind: 'call' }>;
type StepOf = Extract<Node, { kind: 'step' }>;

/** The nodes for the targets and inputs of the frame; what does not hold is collected in it. */
export function resolveNodes(nodes: readonly Node[], frame: Invocation): Resolved<ProgramNode> {
  const resolved = nodes.map((node) => resolveNode(node, frame));
  return {
    items: resolved.map(({ node }) => node),
    longestMs: sum(resolved.map(({ longestMs }) => longestMs)),
  };
}

interface ResolvedNode {
  readonly node: ProgramNode;
  readonly longestMs: number | null;
}

function resolveNode(node: Node, frame: Invocation): ResolvedNode {
  if (node.kind === 'step') return resolveStep(node, frame);
  if (node.kind === 'call') return resolveCall(node, frame);
  const { items, longestMs } = resolveNodes(node.steps, frame);
  return { node: { kind: 'if_failed', steps: items }, longestMs };
}

function resolveStep(step: StepOf, frame: Invocation): ResolvedNode {
  const { attempts, delayMs, statements, steps } = step;
  const path = frame.prefix + step.path;
  const head = { kind: 'step', path, attempts, delayMs } as const;
  if (statements !== undefined) {
    const leaf = resolveLeaf(statements, { frame, path, answers: new Map() });
    return {
      node: { ...head, statements: leaf.items },
      longestMs: withAttempts(leaf.longestMs, attempts, delayMs),
    };
  }
  const inner = resolveNodes(steps ?? [], frame);
  return {
    node: { ...head, steps: inner.items },
    longestMs: withAttempts(inner.longestMs, attempts, delayMs),
  };
}

function resolveLeaf(statements: readonly Statement[], leaf: Leaf): Resolved<ProgramStatement> {
  const items: ProgramStatement[] = [];
  const longest: (number | null)[] = [];
  for (const statement of statements) {
    const resolved = resolveStatement(statement, leaf);
    if (resolved === undefined) continue;
    items.push(resolved);
    const exact = resolved.kind === 'configure' ? longestConfigure(resolved, leaf.frame.mission) : undefined;
    longest.push(exact ?? statement.longestMs);
  }
  return { items, longestMs: sum(longest) };
}

function resolveCall(call: CallOf, caller: Invocation): ResolvedNode {
  const { procedure } = call;
  const path = caller.prefix + call.path;
  const frame: Invocation = {
    ...caller,
    procedure,
    prefix: `${path}/`,
    targets: passedTargets(call, caller),
    inputs: passedInputs(procedure, call.inputs, caller),
  };
  const { items: steps, longestMs } = resolveNodes(procedure.steps, frame);
  const library = libraryOf(caller.mission, procedure)?.id ?? procedure.library;
  const names = { path, procedure: procedure.name, library };
  const given = { targets: targetNames(frame), inputs: inputValues(frame) };
  return { node: { kind: 'call', ...names, ...given, steps }, longestMs };
}

/** Targets of the roles of the called procedure; its library may have been compiled against another version. */
function passedTargets({ procedure, roles }: CallOf, caller: Invocation): Map<string, RoleTarget> {
  const library = libraryOf(caller.mission, caller.procedure);
  const targets = new Map<string, RoleTarget>();
  for (const [role, wanted] of procedure.roles) {
    const passed = caller.targets.get(roles.get(role) ?? '');
    if (passed === undefined) continue;
    const faults = library === undefined ? [] : platformFaults(passed.target, wanted, library, passed.at);
    caller.faults.push(...faults);
    if (faults.length === 0) targets.set(role, passed);
  }
  return targets;
}
