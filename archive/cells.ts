/**
 * Columns of the files of the archive: what each kind is in Parquet, and how its cells stand in memory.
 *
 * K1. What is written is read again bit for bit: a dictionary of the writer makes one of 0 and -0, so numbers with a -0
 *     have none.
 * K2. Not a number is a value of `f32` and `f64`; in every other kind it is null, as clients see it (batch.B3).
 */

import type { DecodedArray, SchemaElement } from 'hyparquet';
import type { ColumnSource } from 'hyparquet-writer';
import { fromUnits, toUnits } from './nanoseconds.ts';

/** `ns` and `us` are times, `count` is a whole number that a double holds, `bytes` are hexadecimal in memory. */
export type Kind =
  | 'ns'
  | 'us'
  | 'count'
  | 'f64'
  | 'f32'
  | 'i32'
  | 'u32'
  | 'i64'
  | 'u64'
  | 'bool'
  | 'text'
  | 'bytes';

export interface Column {
  readonly name: string;
  readonly kind: Kind;
  readonly nullable: boolean;
}

export type Numbers = Float64Array;
export type Bigs = readonly (bigint | null)[];
export type Texts = readonly (string | null)[];
/**
 * Numbers for times (ms), counts, `f32` to `u32` and `bool` (0 and 1), with NaN for null; `i64` and `u64` as bigint;
 * texts, bytes as hexadecimal.
 */
export type Cells = Numbers | Bigs | Texts;

const ELEMENTS: Readonly<Record<Kind, Omit<SchemaElement, 'name'>>> = {
  ns: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' } },
  us: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
  count: { type: 'INT64' },
  f64: { type: 'DOUBLE' },
  f32: { type: 'FLOAT' },
  i32: { type: 'INT32' },
  u32: { type: 'INT32', converted_type: 'UINT_32' },
  i64: { type: 'INT64' },
  u64: { type: 'INT64', converted_type: 'UINT_64' },
  bool: { type: 'BOOLEAN' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  bytes: { type: 'BYTE_ARRAY' },
};

export function elementOf({ name, kind, nullable }: Column): SchemaElement {
  return Object.assign(
    { name, repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED' } as const,
    ELEMENTS[kind],
  );
}

/** As the columns of a file are read: without their meaning, which costs an object for each time. */
export function plainElementOf(column: Column): SchemaElement {
  const element = elementOf(column);
  delete element.logical_type;
  if (column.kind === 'u64') delete element.converted_type;
  return element;
}

type Written = Pick<ColumnSource, 'data' | 'encoding'>;

/** The cells as the writer takes them. */
export function written({ kind, nullable }: Column, cells: Cells): Written {
  switch (kind) {
    case 'ns':
    case 'us':
      return delta(toUnits(cells as Numbers, kind === 'ns' ? 'NANOS' : 'MICROS'));
    case 'count':
      return delta(BigInt64Array.from(cells as Numbers, BigInt));
    case 'f64':
      return doubles(cells as Numbers);
    case 'f32':
      return { data: Float32Array.from(cells as Numbers), encoding: 'BYTE_STREAM_SPLIT' };
    case 'i32':
      return delta(nullable ? withNulls(cells as Numbers) : Int32Array.from(cells as Numbers));
    case 'u32':
      return delta(nullable ? withNulls(cells as Numbers) : Uint32Array.from(cells as Numbers));
    case 'i64':
    case 'u64':
      return delta([...(cells as Bigs)]);
    case 'bool':
      return { data: Array.from(cells as Numbers, (cell) => (Number.isNaN(cell) ? null : cell === 1)) };
    case 'text':
      return { data: cells as (string | null)[] };
    case 'bytes':
      return { data: (cells as Texts).map((cell) => (cell === null ? null : Buffer.from(cell, 'hex'))) };
  }
}

/** Cells as read; undefined stands where there were nulls. */
export function readCells({ kind }: Column, parts: readonly DecodedArray[], rows: number): Cells {
  if (kind === 'text') return joined(parts, rows, (cell) => (cell ?? null) as string | null);
  if (kind === 'bytes')
    return joined(parts, rows, (cell) =>
      cell == null ? null : Buffer.from(cell as Uint8Array).toString('hex'),
    );
  if (kind === 'i64') return joined(parts, rows, (cell) => (cell ?? null) as bigint | null);
  if (kind === 'u64')
    return joined(parts, rows, (cell) => (cell == null ? null : BigInt.asUintN(64, cell as bigint)));
  const [only] = parts;
  if (kind === 'ns' || kind === 'us')
    return fromUnits(whole(parts, rows) as BigInt64Array, kind === 'ns' ? 'NANOS' : 'MICROS');
  if (kind === 'f64' && parts.length === 1 && only instanceof Float64Array) return only;
  return numbers(parts, rows);
}

function delta(data: ColumnSource['data']): Written {
  return { data, encoding: 'DELTA_BINARY_PACKED' };
}

/** Numbers looked at to see whether most of them repeat. */
const SAMPLE = 128;

/** Values of a converter repeat and are numbered; values that do not are cut into streams of their bytes (K1). */
function doubles(cells: Numbers): Written {
  const seen = new Set<number>();
  const step = Math.max(1, Math.floor(cells.length / SAMPLE));
  let looked = 0;
  for (let n = 0; n < cells.length; n += step, looked += 1) seen.add(cells[n]!);
  const repeat = 2 * seen.size <= looked && !hasNegativeZero(cells);
  return { data: cells, encoding: repeat ? 'RLE_DICTIONARY' : 'BYTE_STREAM_SPLIT' };
}

export function hasNegativeZero(cells: Numbers): boolean {
  for (let n = 0; n < cells.length; n += 1) if (cells[n] === 0 && 1 / cells[n]! < 0) return true;
  return false;
}

function withNulls(cells: Numbers): (number | null)[] {
  return Array.from(cells, (cell) => (Number.isNaN(cell) ? null : cell));
}

function whole(parts: readonly DecodedArray[], rows: number): DecodedArray {
  if (parts.length === 1) return parts[0]!;
  const all = new BigInt64Array(rows);
  let at = 0;
  for (const part of parts) for (const cell of part as BigInt64Array) all[at++] = cell;
  return all;
}

function numbers(parts: readonly DecodedArray[], rows: number): Numbers {
  const all = new Float64Array(rows);
  let at = 0;
  for (const part of parts)
    for (let n = 0; n < part.length; n += 1, at += 1) {
      const cell = part[n] as number | boolean | bigint | null | undefined;
      all[at] = cell == null ? Number.NaN : Number(cell);
    }
  return all;
}

function joined<Cell>(parts: readonly DecodedArray[], rows: number, take: (cell: unknown) => Cell): Cell[] {
  const all = new Array<Cell>(rows);
  let at = 0;
  for (const part of parts) for (let n = 0; n < part.length; n += 1) all[at++] = take(part[n]);
  return all;
}
