/**
 * A telecommand of a procedure for the target of its role: link, instance and arguments. Mission Control Service,
 * section 2.3, section 4.1 rule 1 and section 7.4. The same rules as for a direct telecommand, with the faults of a run
 * request.
 *
 * S1. What comes from an input is a fault of that input when it does not fit; the telecommand is named.
 * S2. An answer is checked when it is there: here only its name is known.
 */

import { nearHelp } from '../../../contract/near.ts';
import type { Operand, SendStatement } from '../../../contract/program.ts';
import { readArgument } from '../../argument.ts';
import type { Link } from '../../mission.ts';
import type { Argument, Component, Telecommand } from '../../platform.ts';
import { resolveInstance } from '../../resolve-instance.ts';
import type { Statement } from '../procedure.ts';
import { type Leaf, type Meaning, meaningOf, operandOf, reportFault } from './invocation.ts';
import { pointer } from './pointer.ts';
import type { RoleTarget } from './target.ts';
import { withUnit } from './typed-value.ts';

export interface Sending {
  readonly role: RoleTarget | undefined;
  readonly component: Component;
  readonly telecommand: Telecommand;
  readonly instance: Meaning | undefined;
  readonly args: ReadonlyMap<string, Meaning>;
  /** Undefined: the default link. */
  readonly link: string | undefined;
  readonly retry: number;
}

/** The statement for its target; undefined when it is reported, or depends on something unknown. */
export function resolveSend(
  statement: Extract<Statement, { kind: 'send' }>,
  leaf: Leaf,
): SendStatement | undefined {
  const { role, component, telecommand, instance, args, link, retry } = statement;
  return resolveSending(
    {
      role: leaf.frame.targets.get(role),
      component,
      telecommand,
      instance: instance === undefined ? undefined : meaningOf(instance, leaf),
      args: new Map([...args].map(([name, written]) => [name, meaningOf(written, leaf)])),
      link,
      retry,
    },
    leaf,
  );
}

export function resolveSending(sending: Sending, leaf: Leaf): SendStatement | undefined {
  const { role, component, telecommand, retry } = sending;
  const instance = resolvedInstance(sending, leaf);
  const args = resolvedArguments(sending, leaf);
  const link = role === undefined ? undefined : resolvedLink(sending, role, leaf);
  if (role === undefined || link === undefined || instance === undefined || args === undefined)
    return undefined;
  const environment = link.byEnvironment ? leaf.frame.environment?.name : undefined;
  return {
    kind: 'send',
    target: role.target.name,
    link: link.name,
    ...(environment !== undefined && { environment }),
    component: component.name,
    ...instance,
    telecommand: telecommand.name,
    args,
    changesState: telecommand.changesState,
    hazardous: telecommand.hazardous,
    retry,
  };
}

function resolvedLink({ link: wanted, component }: Sending, role: RoleTarget, leaf: Leaf): Link | undefined {
  const { target, at } = role;
  const link = target.links.get(wanted ?? target.defaultLink);
  if (link === undefined) {
    const message = `target ${target.name} has no link "${wanted}"`;
    reportFault(leaf, 'run::unknown-link', message, nearHelp(wanted ?? '', target.links.keys(), 'links'), at);
    return undefined;
  }
  if (link.components === undefined || link.components.has(component.name)) return link;
  const message = `link ${link.name} of ${target.name} does not carry component ${component.name}`;
  reportFault(leaf, 'run::link-component', message, `it carries ${[...link.components].join(', ')}`, at);
  return undefined;
}

/** Undefined when it is reported or unknown; a telecommand without instance has none in its statement. */
function resolvedInstance(
  { component, telecommand, instance }: Sending,
  leaf: Leaf,
): { readonly instance?: Operand } | undefined {
  if (instance?.kind === 'value' || instance === undefined) {
    const text = instance === undefined ? undefined : String(instance.value);
    const [found] = resolveInstance(component, telecommand, undefined, text).faults;
    if (found === undefined) return text === undefined ? {} : { instance: { value: text } };
    const at = instance?.at ?? pointer('run');
    reportFault(leaf, 'run::invalid-input', `${telecommand.path}: ${found.message}`, found.help, at);
    return undefined;
  }
  const operand = operandOf(instance, leaf, `the instance of ${telecommand.path}`);
  return operand === undefined ? undefined : { instance: operand };
}

function resolvedArguments(sending: Sending, leaf: Leaf): Record<string, Operand> | undefined {
  const resolved: Record<string, Operand> = {};
  let complete = true;
  for (const argument of sending.telecommand.args) {
    const operand = resolvedArgument(argument, sending, leaf);
    if (operand === undefined) complete = false;
    else resolved[argument.name] = operand;
  }
  return complete ? resolved : undefined;
}

function resolvedArgument(argument: Argument, sending: Sending, leaf: Leaf): Operand | undefined {
  const meaning = sending.args.get(argument.name);
  const user = `argument "${argument.name}" of ${sending.telecommand.path}`;
  if (meaning !== undefined && meaning.kind !== 'value') return operandOf(meaning, leaf, user);
  const given = meaning === undefined ? argument.default : withUnit(meaning.value, meaning.unit);
  const read = readArgument(argument, given);
  if (read.ok) return { value: read.value };
  for (const { message, help } of read.faults)
    reportFault(leaf, 'run::invalid-input', `${user}: ${message}`, help, meaning?.at ?? pointer('run'));
  return undefined;
}
