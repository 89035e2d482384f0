/** `send`: a telecommand of a role. Mission Control Service, section 4.1 rule 1 and section 4.2. */

import { nearHelp } from '../../../contract/near.ts';
import { readArgument } from '../../argument.ts';
import type { FaultsAt } from '../../document/fault.ts';
import type { SendDocument } from '../../document/statement.ts';
import type { Argument, Component, Telecommand } from '../../platform.ts';
import type { Statement, Written } from '../procedure.ts';
import { telecommandLongestMs } from './longest.ts';
import type { Names } from './names.ts';
import { fileIn, instanceIn, placeNamed } from './reference.ts';
import { answerTypeOf, compileWritten } from './value.ts';

/** The statement; undefined after a fault. */
export function compileSend(document: SendDocument, names: Names, faults: FaultsAt): Statement | undefined {
  const at = faults.in('send');
  const place = placeNamed(document.send, 'role.component.telecommand', names, at);
  if (place === undefined) return undefined;
  const { role, component, bracket, member } = place;
  const telecommand = component.telecommands.get(member ?? '');
  if (telecommand === undefined) {
    const help = nearHelp(member ?? '', component.telecommands.keys(), 'telecommands');
    at.fault(
      member === undefined ? 'it names no telecommand' : `${component.name} has no telecommand "${member}"`,
      help,
    );
    return undefined;
  }
  const instance = compileInstance(component, telecommand, bracket, names, at);
  const args = compileArguments(telecommand, document.args ?? {}, names, faults.in('args'));
  checkLink(document.link, role, names, faults.in('link'));
  const retry = retryOf(document, telecommand, faults.in('retry'));
  return {
    kind: 'send',
    role,
    component,
    telecommand,
    instance,
    args,
    link: document.link,
    retry,
    longestMs: telecommandLongestMs(telecommand) * (retry + 1),
  };
}

function compileInstance(
  component: Component,
  telecommand: Telecommand,
  bracket: string | undefined,
  names: Names,
  faults: FaultsAt,
): Written | undefined {
  if (component.files && telecommand.file !== undefined) return fileIn(bracket, names, faults);
  const { name, instances } = component;
  if (instances.length > 0 && bracket !== undefined) return instanceIn(bracket, component, names, faults);
  if (instances.length > 0)
    faults.fault(
      `${name} has several instances, but none is given`,
      `write ${name}[${instances[0]}] or ${name}[$name]`,
    );
  else if (bracket !== undefined)
    faults.fault(`${telecommand.path} is for no instance`, `write ${name}.${telecommand.name}`);
  return undefined;
}

function compileArguments(
  telecommand: Telecommand,
  given: NonNullable<SendDocument['args']>,
  names: Names,
  faults: FaultsAt,
): Map<string, Written> {
  const args = new Map<string, Written>();
  for (const argument of telecommand.args) {
    const written = Object.hasOwn(given, argument.name)
      ? compileArgument(argument, given[argument.name] ?? '', names, faults.in(argument.name))
      : defaultOf(telecommand, argument, faults);
    if (written !== undefined) args.set(argument.name, written);
  }
  const known = telecommand.args.map(({ name }) => name);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const help = nearHelp(name, known, 'arguments', 'it takes none');
    faults.in(name).keyFault(`${telecommand.path} has no argument "${name}"`, help);
  }
  return args;
}

function compileArgument(
  argument: Argument,
  value: string | number | boolean,
  names: Names,
  faults: FaultsAt,
): Written | undefined {
  return compileWritten(value, { type: answerTypeOf(argument), argument }, names, faults);
}

function defaultOf(telecommand: Telecommand, argument: Argument, faults: FaultsAt): Written | undefined {
  if (argument.default === undefined) {
    const message = `argument "${argument.name}" of ${telecommand.path} has no value and no default`;
    faults.fault(message, `add ${argument.name}: … to args`);
    return undefined;
  }
  // A default with a fault is reported in the platform.
  const read = readArgument(argument, argument.default);
  return read.ok ? { value: read.value } : undefined;
}

function checkLink(link: string | undefined, roleName: string, { header }: Names, faults: FaultsAt): void {
  const role = header.roles.get(roleName);
  const fleet = role === undefined ? undefined : header.around.fleet(role.platformId);
  if (link === undefined || fleet === undefined || fleet.links.has(link)) return;
  faults.fault(`no target of ${role?.platformId} has a link "${link}"`, nearHelp(link, fleet.links, 'links'));
}

function retryOf({ retry = 0 }: SendDocument, telecommand: Telecommand, faults: FaultsAt): number {
  if (!telecommand.changesState || retry === 0) return retry;
  faults.warning(
    `${telecommand.path} changes the state and is never resent automatically`,
    'leave retry out; a person decides when it fails',
  );
  return 0;
}
