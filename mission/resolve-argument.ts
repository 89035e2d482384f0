/**
 * The arguments of a telecommand request, completed by defaults. Mission Control Service, section 4.1 rule 1.
 *
 * G1. Faults come in the order of the arguments in the document, then those of arguments it does not have.
 * G2. A default was checked when the document was compiled: it always has a value.
 */

import { assert } from '../contract/assert.ts';
import type { Fault } from '../contract/errors.ts';
import { nearHelp } from '../contract/near.ts';
import { type Result, refusedAll } from '../contract/result.ts';
import type { ResolvedValue } from '../contract/telecommand.ts';
import { type ArgumentFault, readArgument } from './argument.ts';
import type { Argument, Telecommand } from './platform.ts';
import { fault } from './resolve-link.ts';

export interface ResolvedArguments {
  readonly values: Readonly<Record<string, ResolvedValue>>;
  readonly faults: readonly Fault[];
}

/** The value of every argument, or every fault: missing, invalid, out of range, too many. */
export function resolveArguments(
  telecommand: Telecommand,
  given: Readonly<Record<string, unknown>>,
): ResolvedArguments {
  const values: Record<string, ResolvedValue> = {};
  const faults: Fault[] = [];
  for (const argument of telecommand.args) {
    const value = Object.hasOwn(given, argument.name) ? given[argument.name] : undefined;
    const read = resolveArgument(telecommand, argument, value);
    if (read.ok) values[argument.name] = read.value;
    else faults.push(...read.faults);
  }
  const names = telecommand.args.map(({ name }) => name);
  const tooMany = Object.keys(given).filter((name) => !names.includes(name));
  for (const name of tooMany) {
    const help = nearHelp(name, names, 'arguments', 'it takes none');
    const message = `${telecommand.path} has no argument "${name}"`;
    faults.push(fault('tc::unexpected-argument', message, help, argumentPath(name)));
  }
  return { values, faults };
}

function resolveArgument(
  telecommand: Telecommand,
  argument: Argument,
  given: unknown,
): Result<ResolvedValue, Fault> {
  const { name } = argument;
  if (given === undefined && argument.default === undefined) {
    const message = `argument "${name}" of ${telecommand.path} has no value and no default`;
    return refusedAll([fault('tc::missing-argument', message, describe(argument), argumentPath(name))]);
  }
  const read = readArgument(argument, given === undefined ? argument.default : given);
  if (read.ok) return read;
  assert(given !== undefined, 'G2: a default was checked when the document was compiled');
  return refusedAll(read.faults.map((each) => argumentFault(name, each)));
}

function argumentFault(name: string, { kind, message, help }: ArgumentFault): Fault {
  const code = kind === 'invalid' ? 'tc::invalid-argument' : 'tc::out-of-range';
  return fault(code, `argument "${name}": ${message}`, help, argumentPath(name));
}

function describe({ type, unit, enumeration }: Argument): string {
  if (enumeration !== undefined) return `give one of ${enumeration.names.join(', ')}`;
  return unit === undefined ? `give a ${type}` : `give a ${type} in ${unit}, like "10 ${unit}"`;
}

/** A JSON pointer. */
function argumentPath(name: string): string {
  return `/args/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
