/**
 * The kind of column that holds the samples of one measure bit for bit: the one its type asks for, and a wider one
 * where a sample does not fit it (a driver may give what the catalogue does not say).
 *
 * T1. The kind follows the declared type, not the samples of the moment: the same measure has the same type in each
 *     file, unless a sample does not fit it.
 * T2. What fits no kind of numbers is text. So nothing is left out, and nothing is rounded.
 */

import type { WideValue } from '../contract/batch.ts';
import type { Bigs, Cells, Column, Kind, Numbers, Texts } from './cells.ts';

/** Samples of one measure by row: numbers, and what no double holds by row (batch.B3). */
export interface Samples {
  readonly numbers: Numbers;
  readonly wide: ReadonlyMap<number, WideValue> | undefined;
}

export interface Fitted {
  readonly kind: Kind;
  readonly nullable: boolean;
  readonly cells: Cells;
}

const SMALL: ReadonlySet<string> = new Set(['u8', 'u16', 'i8', 'i16', 'i32']);
const LARGE: ReadonlySet<string> = new Set(['i64', 'u64']);
const INTEGER = /^-?\d{1,20}$/;
const HEXADECIMAL = /^(?:[0-9a-f]{2})*$/;
const RANGES = {
  i32: [-(2 ** 31), 2 ** 31 - 1],
  u32: [0, 2 ** 32 - 1],
  bool: [0, 1],
} as const;
const BIG_RANGES = { i64: [-(2n ** 63n), 2n ** 63n - 1n], u64: [0n, 2n ** 64n - 1n] } as const;

/** The samples of a measure of that type. */
export function fitted(type: string, samples: Samples): Fitted {
  if (samples.wide === undefined || samples.wide.size === 0) return fittedNumbers(type, samples.numbers);
  if (LARGE.has(type) || SMALL.has(type) || type === 'u32') {
    const big = fittedBig(type === 'u64' ? 'u64' : 'i64', samples);
    if (big !== undefined) return big;
  }
  return fittedText(type, samples);
}

function fittedNumbers(type: string, numbers: Numbers): Fitted {
  const range = SMALL.has(type) ? 'i32' : type === 'u32' || type === 'bool' ? type : undefined;
  if (range !== undefined) {
    const nulls = nullsIn(numbers, RANGES[range]);
    if (nulls !== undefined) return { kind: range, nullable: nulls > 0, cells: numbers };
  }
  if (LARGE.has(type)) {
    const big = fittedBig(type as 'i64' | 'u64', { numbers, wide: undefined });
    if (big !== undefined) return big;
  }
  if ((type === 'string' || type === 'bytes') && numbers.every(Number.isNaN))
    return { kind: type === 'string' ? 'text' : 'bytes', nullable: true, cells: nulls(numbers.length) };
  if (type === 'f32' && isSingle(numbers)) return { kind: 'f32', nullable: false, cells: numbers };
  return { kind: 'f64', nullable: false, cells: numbers };
}

/** How many are null; undefined where one is no integer of the range, or the -0 that no integer is. */
function nullsIn(numbers: Numbers, [least, most]: readonly [number, number]): number | undefined {
  let count = 0;
  for (let n = 0; n < numbers.length; n += 1) {
    const number = numbers[n]!;
    if (Number.isNaN(number)) count += 1;
    else if (!(number >= least && number <= most) || Math.floor(number) !== number) return undefined;
    else if (number === 0 && 1 / number < 0) return undefined;
  }
  return count;
}

function isSingle(numbers: Numbers): boolean {
  for (let n = 0; n < numbers.length; n += 1) {
    const number = numbers[n]!;
    if (Math.fround(number) !== number && !Number.isNaN(number)) return false;
  }
  return true;
}

function nulls(count: number): null[] {
  return new Array<null>(count).fill(null);
}

function fittedBig(kind: 'i64' | 'u64', { numbers, wide }: Samples): Fitted | undefined {
  const [least, most] = BIG_RANGES[kind];
  const cells = new Array<bigint | null>(numbers.length);
  let nullable = false;
  for (let row = 0; row < numbers.length; row += 1) {
    const cell = bigOf(numbers[row]!, wide?.get(row));
    if (cell === undefined || (cell !== null && (cell < least || cell > most))) return undefined;
    nullable ||= cell === null;
    cells[row] = cell;
  }
  return { kind, nullable, cells };
}

/** Null is unknown, undefined is no integer. */
function bigOf(number: number, wide: WideValue | undefined): bigint | null | undefined {
  if (typeof wide === 'bigint') return wide;
  if (wide !== undefined) return INTEGER.test(wide) ? BigInt(wide) : undefined;
  if (Number.isNaN(number)) return null;
  return Number.isSafeInteger(number) && !Object.is(number, -0) ? BigInt(number) : undefined;
}

function fittedText(type: string, { numbers, wide }: Samples): Fitted {
  const cells = Array.from(numbers, (number, row) => {
    const value = wide?.get(row);
    if (value !== undefined) return String(value);
    return Number.isNaN(number) ? null : digitsOf(number);
  });
  const isBytes = type === 'bytes' && cells.every((cell) => cell === null || HEXADECIMAL.test(cell));
  return { kind: isBytes ? 'bytes' : 'text', nullable: cells.includes(null), cells };
}

/** Kinds that have not a number as a value (archive/cells.K2). */
export const FLOATING: ReadonlySet<Kind> = new Set(['f32', 'f64']);
const NUMERIC: ReadonlySet<Kind> = new Set(['i32', 'u32', 'f32', 'f64', 'bool']);
const INTEGERS: ReadonlySet<Kind> = new Set(['i32', 'u32', 'i64']);

/** The kind that holds cells of both (T2). */
export function commonKind(one: Kind, other: Kind): Kind {
  if (one === other) return one;
  if (NUMERIC.has(one) && NUMERIC.has(other)) return 'f64';
  if (INTEGERS.has(one) && INTEGERS.has(other)) return 'i64';
  return one === 'us' || other === 'us' ? 'us' : 'text';
}

/** Cells of one kind as those of a wider one. */
export function widened(cells: Cells, { kind: from }: Pick<Column, 'kind'>, to: Kind): Cells {
  if (from === to || (to !== 'i64' && to !== 'text') || from === 'text' || from === 'bytes') return cells;
  const taken = Array.from(cells as ArrayLike<number | bigint | null>);
  if (to === 'i64')
    return taken.map((cell) => (cell === null || Number.isNaN(cell) ? null : BigInt(cell))) satisfies Bigs;
  const textOf = (cell: number | bigint): string => (from === 'bool' ? String(cell === 1) : digitsOf(cell));
  return taken.map((cell) => (cell === null || Number.isNaN(cell) ? null : textOf(cell))) satisfies Texts;
}

/** A number as text that is read as the same one, -0 as well. */
function digitsOf(number: number | bigint): string {
  return Object.is(number, -0) ? '-0' : String(number);
}
