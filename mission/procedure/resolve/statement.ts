/**
 * One statement of a procedure for the targets and inputs of a run. Mission Control Service, section 4.2 rule 5. What
 * it may be was checked when the library was compiled.
 *
 * S1. A transfer of an optional file without value is left out, with a warning: there is nothing to transfer.
 * S2. A file that no telecommand of the transfer can name is refused, as it is where a procedure sends one itself.
 */

import type { ConditionStatement, Operand, ProgramStatement } from '../../../contract/program.ts';
import type { RunValue } from '../../../contract/run-event.ts';
import { resolveInstance } from '../../resolve-instance.ts';
import type { Statement } from '../procedure.ts';
import { declaresMode, resolveConfigure } from './configure.ts';
import { type Invocation, type Leaf, meaningOf, operandOf, reportFault } from './invocation.ts';
import { pointer } from './pointer.ts';
import { resolveSend } from './send.ts';
import type { RoleTarget } from './target.ts';
import { resolveText } from './text.ts';

type Of<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;

/** The statement; undefined when it is left out, reported, or depends on something unknown. */
export function resolveStatement(statement: Statement, leaf: Leaf): ProgramStatement | undefined {
  switch (statement.kind) {
    case 'send':
      return resolveSend(statement, leaf);
    case 'expect':
    case 'check':
    case 'wait_until':
      return resolveCondition(statement, leaf);
    case 'wait':
      return { kind: 'wait', ms: statement.ms };
    case 'log':
      return { kind: 'log', message: resolveText(statement.message, leaf) };
    case 'ask':
      return resolveAsk(statement, leaf);
    case 'confirm':
      return { kind: 'confirm', prompt: resolveText(statement.prompt, leaf), role: statement.role };
    case 'configure':
      return resolveConfigure(statement, leaf);
    case 'set_mode':
      return resolveSetMode(statement, leaf);
    case 'download':
      return resolveDownload(statement, leaf);
    case 'upload':
      return resolveUpload(statement, leaf);
  }
}

/** Targets of the roles of a frame, by name. */
export function targetNames({ targets }: Invocation): Record<string, string> {
  return Object.fromEntries([...targets].map(([role, { target }]) => [role, target.name]));
}

/** Values of the inputs of a frame, as they are logged. */
export function inputValues({ inputs }: Invocation): Record<string, RunValue> {
  return Object.fromEntries([...inputs].map(([name, { value }]) => [name, value]));
}

function resolveCondition(
  { kind, condition, answers, withinMs, maxAgeMs }: Of<'expect' | 'check' | 'wait_until'>,
  { frame }: Leaf,
): ConditionStatement {
  const types = [...frame.inputs].map(([name, { type }]) => [name, type] as const);
  return {
    kind,
    condition,
    answers,
    targets: targetNames(frame),
    inputs: inputValues(frame),
    inputTypes: Object.fromEntries(types),
    ...(withinMs !== undefined && { withinMs }),
    ...(maxAgeMs !== undefined && { maxAgeMs }),
  };
}

/** The answer is a name in the rest of the step (procedure.P2 of procedures). */
function resolveAsk({ prompt, as, type, timeoutMs }: Of<'ask'>, leaf: Leaf): ProgramStatement {
  const text = resolveText(prompt, leaf);
  if (as !== undefined && type !== undefined) leaf.answers.set(as, type);
  return {
    kind: 'ask',
    prompt: text,
    timeoutMs,
    ...(as !== undefined && { as }),
    ...(type !== undefined && { type }),
  };
}

function resolveSetMode({ role, mode }: Of<'set_mode'>, leaf: Leaf): ProgramStatement | undefined {
  const found = leaf.frame.targets.get(role);
  if (found === undefined || !declaresMode(found, mode, leaf)) return undefined;
  return { kind: 'set_mode', target: found.target.name, mode };
}

function resolveDownload(
  { role, component, file, priority }: Of<'download'>,
  leaf: Leaf,
): ProgramStatement | undefined {
  const target = leaf.frame.targets.get(role);
  const transfer = `download from ${role}.${component}`;
  const operand = transferOperand(file, transfer, leaf);
  if (target === undefined || operand === undefined) return undefined;
  if (!canName(operand, { target, component, way: 'read', at: atOf(file, leaf), transfer }, leaf))
    return undefined;
  return { kind: 'download', target: target.target.name, component, file: operand, priority };
}

function resolveUpload(
  { role, component, file, content }: Of<'upload'>,
  leaf: Leaf,
): ProgramStatement | undefined {
  const target: RoleTarget | undefined = leaf.frame.targets.get(role);
  const transfer = `upload to ${role}.${component}`;
  const into = transferOperand(file, transfer, leaf);
  const what = transferOperand(content, transfer, leaf);
  if (target === undefined || into === undefined || what === undefined) return undefined;
  if (!canName(into, { target, component, way: 'write', at: atOf(file, leaf), transfer }, leaf))
    return undefined;
  return { kind: 'upload', target: target.target.name, component, file: into, content: what };
}

interface Transfer {
  readonly target: RoleTarget;
  readonly component: string;
  readonly way: 'read' | 'write';
  /** Where the request names the file. */
  readonly at: string;
  /** In words. */
  readonly transfer: string;
}

/** S2; reports why not. What is known when the run comes there is known then. */
function canName(
  file: Operand,
  { target, component: name, way, at, transfer }: Transfer,
  leaf: Leaf,
): boolean {
  const { platform } = target.target;
  const component = platform?.components.get(name);
  const telecommand = component?.telecommands.get(platform?.files?.transfer[way] ?? '');
  if (component === undefined || telecommand === undefined || !('value' in file)) return true;
  const [found] = resolveInstance(component, telecommand, undefined, String(file.value)).faults;
  if (found !== undefined)
    reportFault(leaf, 'run::invalid-input', `the ${transfer}: ${found.message}`, found.help, at);
  return found === undefined;
}

function atOf(file: { readonly name: string }, leaf: Leaf): string {
  const meaning = meaningOf(file, leaf);
  return 'at' in meaning ? meaning.at : pointer('run');
}

function transferOperand(file: { readonly name: string }, transfer: string, leaf: Leaf): Operand | undefined {
  const meaning = meaningOf(file, leaf);
  if (meaning.kind !== 'absent') return operandOf(meaning, leaf, transfer);
  leaf.frame.warnings.push(
    `step ${leaf.path}: the ${transfer} is left out, input "${meaning.input}" has no value`,
  );
  return undefined;
}
