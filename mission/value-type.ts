/** The value types of the catalogue and what each can hold. Mission Control Service, section 2.11. */

import type { ValueType } from './platform.ts';

export const VALUE_TYPES: readonly ValueType[] = [
  'u8',
  'u16',
  'u32',
  'u64',
  'i8',
  'i16',
  'i32',
  'i64',
  'f32',
  'f64',
  'bool',
  'string',
  'bytes',
];

/** Past this an f32 is infinite. */
export const LARGEST_F32 = 3.4028234663852886e38;

export function isValueType(type: string): type is ValueType {
  return (VALUE_TYPES as readonly string[]).includes(type);
}

export function isIntegerType(type: string): boolean {
  return /^[ui](8|16|32|64)$/.test(type);
}

export function isFloatType(type: string): boolean {
  return type === 'f32' || type === 'f64';
}

export function isNumberType(type: string): boolean {
  return isIntegerType(type) || isFloatType(type);
}

/** Bits on the wire unless a field says fewer; undefined for text and bytes. */
export function widthOf(type: string): number | undefined {
  if (type === 'bool') return 1;
  const digits = /^[uif](8|16|32|64)$/.exec(type)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export interface IntegerBounds {
  readonly least: bigint;
  readonly most: bigint;
}

/** What an integer of so many bits holds. */
export function boundsOf(signed: boolean, bits: number): IntegerBounds {
  const span = 1n << BigInt(bits);
  return signed ? { least: -span / 2n, most: span / 2n - 1n } : { least: 0n, most: span - 1n };
}

/** Once for each type: every number of every submission is held against them. */
const INTEGER_BOUNDS: ReadonlyMap<string, IntegerBounds> = new Map(
  VALUE_TYPES.filter(isIntegerType).map((type) => [type, boundsOf(type.startsWith('i'), widthOf(type) ?? 0)]),
);

/** What an integer type holds; undefined for the other types. */
export function integerBounds(type: string): IntegerBounds | undefined {
  return INTEGER_BOUNDS.get(type);
}
