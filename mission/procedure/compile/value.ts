/**
 * Values in procedures: written out, or the value of a name. Mission Control Service, section 4.2. A name fits where
 * every value it can have is of the kind that is needed; whether it is in range is known when it has one.
 *
 * V1. A name fits a number of the same dimension; a number with decimals fits no integer.
 * V2. An input that may be null fits where null means something, and nowhere else.
 */

import type { AnswerType } from '../../../contract/program.ts';
import { readArgument } from '../../argument.ts';
import type { FaultsAt } from '../../document/fault.ts';
import type { Argument } from '../../platform.ts';
import { converts, findUnit } from '../../unit.ts';
import { isFloatType, isIntegerType, isNumberType } from '../../value-type.ts';
import type { Role, Written } from '../procedure.ts';
import { readLiteral } from './literal.ts';
import type { Names } from './names.ts';

const NAME_FORM = /^\$([A-Za-z][A-Za-z0-9_-]*)$/;

/** The name in `$name`; undefined for anything else. */
export function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' ? NAME_FORM.exec(value)?.[1] : undefined;
}

/** The type of an argument as that of a name. */
export function answerTypeOf({ type, unit, enumeration }: Argument): AnswerType {
  const values = enumeration?.names.map((name) => [name, enumeration.numberOf(name) ?? 0] as const);
  return { type, ...(unit !== undefined && { unit }), ...(values !== undefined && { values }) };
}

/** What a value is needed for. */
export interface Need {
  readonly type: AnswerType;
  /** Of a telecommand argument, its range counts for what is written out. */
  readonly argument?: Argument;
  /** Whose instances may be written out; those of the procedure unless said. */
  readonly roles?: ReadonlyMap<string, Role>;
  /** Null means something here. */
  readonly nullable?: boolean;
}

/** The value or the name in its place; undefined after a fault, and for a name whose fault is reported elsewhere. */
export function compileWritten(
  value: string | number | boolean | null,
  need: Need,
  names: Names,
  faults: FaultsAt,
): Written | undefined {
  const name = nameIn(value);
  if (name !== undefined) return namedValue(name, need, names, faults);
  if (value === null) {
    faults.fault('null is not a value here', 'write a value, or leave the key out');
    return undefined;
  }
  // A text that begins with a dollar sign is written with two.
  const text = typeof value === 'string' && value.startsWith('$$') ? value.slice(1) : value;
  if (need.argument === undefined) {
    const read = readLiteral(need.type, text, need.roles ?? names.header.roles, faults);
    return read === undefined ? undefined : { value: read };
  }
  const read = readArgument(need.argument, text);
  if (read.ok) return { value: read.value };
  for (const { message, help } of read.faults) faults.fault(message, help);
  return undefined;
}

function namedValue(name: string, need: Need, names: Names, faults: FaultsAt): Written | undefined {
  const type = names.find(name, faults);
  if (type === undefined) return undefined;
  if (need.nullable !== true && names.maybeNull(name)) {
    faults.fault(
      `$${name} may be null, but null is not a value here`,
      `give the input ${name} another default, or none`,
    );
    return undefined;
  }
  const misfit = misfitOf(type, need.type);
  if (misfit === undefined) return { name };
  faults.fault(`$${name} is ${typeText(type)}, ${typeText(need.type)} is needed`, misfit);
  return undefined;
}

/** How to repair a name of one type where another is needed; undefined when it fits (V1). */
function misfitOf(is: AnswerType, need: AnswerType): string | undefined {
  const declare = `declare it as ${typeText(need)}`;
  if (isNumberType(need.type) && isNumberType(is.type)) return numberMisfit(is, need, declare);
  if (is.type !== need.type) return declare;
  if (need.of !== undefined && is.of !== need.of) return declare;
  return JSON.stringify(is.values) === JSON.stringify(need.values) ? undefined : declare;
}

function numberMisfit(is: AnswerType, need: AnswerType, declare: string): string | undefined {
  if (isFloatType(is.type) && isIntegerType(need.type)) return declare;
  const from = is.unit === undefined ? undefined : findUnit(is.unit);
  const to = need.unit === undefined ? undefined : findUnit(need.unit);
  if (from === undefined && to === undefined) return undefined;
  return from !== undefined && to !== undefined && converts(from, to) ? undefined : declare;
}

/** `f64 in ms`, `instance of battery`, `ObcMode`. */
export function typeText({ type, unit, of }: AnswerType): string {
  if (of !== undefined) return `${type} of ${of}`;
  return unit === undefined ? type : `${type} in ${unit}`;
}
