/**
 * Values written out in procedures: defaults of inputs, and what is given to inputs of calls. Mission Control Service,
 * section 2.3 (input value forms).
 */

import { nearHelp } from '../../../contract/near.ts';
import type { AnswerType } from '../../../contract/program.ts';
import type { ResolvedValue } from '../../../contract/telecommand.ts';
import { type ArgumentType, readArgument } from '../../argument.ts';
import type { FaultsAt } from '../../document/fault.ts';
import { createEnumeration } from '../../enumeration.ts';
import type { Role } from '../procedure.ts';

/** The default read, undefined where there is none, null where the input may be null; no outcome after a fault. */
export function checkDefault(
  type: AnswerType,
  value: string | number | boolean | null | undefined,
  roles: ReadonlyMap<string, Role>,
  faults: FaultsAt,
): { readonly default: ResolvedValue | null | undefined } | undefined {
  if (value === undefined || value === null) return { default: value };
  const read = readLiteral(type, value, roles, faults);
  return read === undefined ? undefined : { default: read };
}

/** A value written out, read by its type; undefined after a fault. */
export function readLiteral(
  type: AnswerType,
  value: string | number | boolean,
  roles: ReadonlyMap<string, Role>,
  faults: FaultsAt,
): ResolvedValue | undefined {
  if (type.type === 'file_id' || type.type === 'file') {
    const what = type.type === 'file' ? 'stored content' : 'a file on board';
    faults.fault(`${what} is not known when a procedure is written`, 'name an input of that type, as $name');
    return undefined;
  }
  if (type.type === 'instance') return readInstance(type.of ?? '', String(value), roles, faults);
  const read = readArgument(argumentTypeOf(type), value);
  if (read.ok) return read.value;
  for (const { message, help } of read.faults) faults.fault(message, help);
  return undefined;
}

function readInstance(
  of: string,
  value: string,
  roles: ReadonlyMap<string, Role>,
  faults: FaultsAt,
): string | undefined {
  const instances = [...roles.values()].flatMap(
    ({ compiled }) => compiled.components.get(of)?.instances ?? [],
  );
  if (instances.includes(value)) return value;
  faults.fault(`${of} has no instance "${value}"`, nearHelp(value, new Set(instances), 'instances'));
  return undefined;
}

/** What reading a value of the type needs. */
function argumentTypeOf({ type, unit, range, values }: AnswerType): ArgumentType {
  const enumeration = values === undefined ? undefined : createEnumeration(type, values);
  return { type, unit, range, enumeration };
}
