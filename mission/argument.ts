/**
 * Reads the value of a telecommand argument as a client or a document writes it, by the type of the argument: number
 * or quantity, enum value, boolean, text, hexadecimal bytes. Mission Control Service, section 2.1 and section 4.1
 * rule 1.
 *
 * R1. The result is a number in the unit of the argument, a boolean, an enum value, text or lower-case hexadecimal;
 *     integers past 2^53 stay exact as decimal text.
 */

import { isHexadecimal } from '../contract/hexadecimal.ts';
import { nearHelp } from '../contract/near.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import type { ResolvedValue } from '../contract/telecommand.ts';
import type { Argument } from './platform.ts';
import { readQuantity } from './quantity.ts';
import { integerBounds, isNumberType, LARGEST_F32 } from './value-type.ts';

export interface ArgumentFault {
  /** The wrong kind of value, or one of the right kind that is too small or too large. */
  readonly kind: 'invalid' | 'out-of-range';
  readonly message: string;
  readonly help: string;
}

/** What reading needs of an argument. */
export type ArgumentType = Pick<Argument, 'type' | 'enumeration' | 'unit' | 'range'>;

type Read = Result<ResolvedValue, ArgumentFault>;

/** The resolved value; refuses what is not of the type and what is outside the type or the range. */
export function readArgument(argument: ArgumentType, value: unknown): Read {
  if (argument.enumeration !== undefined) return readEnum(argument, value);
  if (argument.type === 'bool') return readBoolean(value);
  if (argument.type === 'string') return readText(argument, value);
  if (argument.type === 'bytes') return readBytes(argument, value);
  return readNumber(argument, value);
}

function readEnum({ enumeration, type }: ArgumentType, value: unknown): Read {
  const names = enumeration?.names ?? [];
  if (typeof value === 'string' && names.includes(value)) return accepted(value);
  const help = nearHelp(String(value), names, 'values', 'it has no values');
  return invalid(`${shown(value)} is no value of ${type}`, help);
}

function readBoolean(value: unknown): Read {
  if (typeof value === 'boolean') return accepted(value);
  return invalid(`${shown(value)} is not a boolean`, 'write true or false');
}

function readText(argument: ArgumentType, value: unknown): Read {
  if (typeof value !== 'string') return invalid(`${shown(value)} is not text`, 'write it in quotes');
  return lengthFault(argument, Buffer.byteLength(value)) ?? accepted(value);
}

function readBytes(argument: ArgumentType, value: unknown): Read {
  const digits = typeof value === 'string' ? value.replace(/^0x/i, '') : undefined;
  if (digits === undefined || !isHexadecimal(digits)) {
    return invalid(
      `${shown(value)} is not hexadecimal bytes`,
      'write two digits a byte, like "0x00ff" or "00ff"',
    );
  }
  return lengthFault(argument, digits.length / 2) ?? accepted(digits.toLowerCase());
}

function lengthFault({ range }: ArgumentType, bytes: number): Read | undefined {
  const [least, most] = range ?? [null, null];
  if ((least === null || bytes >= least) && (most === null || bytes <= most)) return undefined;
  return outOfRange(`it has ${bytes} bytes`, `its length is ${intervalText(least, most, 'bytes')}`);
}

function readNumber(argument: ArgumentType, value: unknown): Read {
  const number = numberOf(argument, value);
  if (!number.ok) return number;
  return boundsFault(argument, number.value, value) ?? accepted(plain(number.value));
}

function numberOf(argument: ArgumentType, value: unknown): Result<number | bigint, ArgumentFault> {
  const { type, unit } = argument;
  if (typeof value === 'string' && /^[ui]64$/.test(type) && /^-?\d{1,20}$/.test(value))
    return accepted(BigInt(value));
  const read =
    typeof value === 'string' && isNumberType(type) ? fromQuantity(value, unit) : fromNumber(value, unit);
  if (!read.ok) return read;
  if (integerBounds(type) === undefined) return read;
  if (Number.isSafeInteger(read.value)) return read;
  if (Number.isInteger(read.value)) {
    return invalid(
      `${read.value} is past 2^53 and not exact as a number`,
      'write it as decimal text in quotes',
    );
  }
  return invalid(
    `${shown(value)} is no integer${inUnit(unit)}, and ${type} is needed`,
    'write a whole number',
  );
}

function fromQuantity(text: string, unit: string | undefined): Result<number, ArgumentFault> {
  if (unit === undefined)
    return invalid(`${shown(text)} is text; a number without unit is needed`, 'write a number');
  const read = readQuantity(text, unit);
  if (read.ok) return read;
  const [fault] = read.faults;
  return invalid(fault.message, fault.help ?? `write a quantity like "10 ${unit}"`);
}

function fromNumber(value: unknown, unit: string | undefined): Result<number, ArgumentFault> {
  if (typeof value === 'number' && Number.isFinite(value)) return accepted(value);
  const help =
    unit === undefined ? 'write a number' : `write a number in ${unit}, or a quantity like "10 ${unit}"`;
  return invalid(`${shown(value)} is not a number`, help);
}

function boundsFault(argument: ArgumentType, number: number | bigint, value: unknown): Read | undefined {
  const { type, unit, range } = argument;
  const [least, most] = range ?? [null, null];
  if ((least !== null && number < least) || (most !== null && number > most)) {
    return outOfRange(`${shown(value)} is outside its range`, `it is ${intervalText(least, most, unit)}`);
  }
  const bounds = integerBounds(type);
  if (bounds !== undefined && (number < bounds.least || number > bounds.most)) {
    return outOfRange(
      `${shown(value)} does not fit ${type}`,
      `it is ${bounds.least} to ${bounds.most}${inUnit(unit)}`,
    );
  }
  if (type === 'f32' && Math.abs(Number(number)) > LARGEST_F32) {
    return outOfRange(`${shown(value)} does not fit f32`, `the largest is ${LARGEST_F32}`);
  }
  return undefined;
}

/** `10 to 600 s`, `at least 10 s`, `at most 600 s`. */
export function intervalText(least: number | null, most: number | null, unit: string | undefined): string {
  const suffix = unit === undefined ? '' : ` ${unit}`;
  if (least === null) return most === null ? 'anything' : `at most ${most}${suffix}`;
  return most === null ? `at least ${least}${suffix}` : `${least} to ${most}${suffix}`;
}

function plain(number: number | bigint): number | string {
  if (typeof number === 'number') return number;
  const double = Number(number);
  return Number.isSafeInteger(double) ? double : String(number);
}

function inUnit(unit: string | undefined): string {
  return unit === undefined ? '' : ` ${unit}`;
}

/** Longest value repeated in a message. */
const SHOWN_CHARACTERS = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

function invalid(message: string, help: string): { ok: false; faults: readonly [ArgumentFault] } {
  return { ok: false, faults: [{ kind: 'invalid', message, help }] };
}

function outOfRange(message: string, help: string): Read {
  return refused({ kind: 'out-of-range', message, help });
}
