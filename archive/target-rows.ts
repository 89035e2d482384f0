/** The gathered blocks of one target turned into columns, in order of time and then of position. */

import type { WideValue } from '../contract/batch.ts';
import { isInstant } from '../contract/instant.ts';
import { timeOf } from '../telemetry/reading/instant.ts';
import type { Cells } from './cells.ts';
import { type Fitted, fitted } from './fitted.ts';
import type { GatheredBlock } from './gathering.ts';
import { unitOf } from './nanoseconds.ts';
import type { MeasureColumn } from './platform-columns.ts';
import { type Family, type Kinds, type Shape, type ShapeRows, shapeOf } from './row-shape.ts';

/** The rows of a target in the narrowest shape that holds them. */
export function targetRows(
  family: Family,
  target: string,
  blocks: readonly GatheredBlock[],
): { readonly shape: Shape; readonly rows: ShapeRows } {
  const rows = blocks.reduce((sum, { block }) => sum + block.ground.length, 0);
  const times = rowTimes(blocks, rows);
  const order = orderOf(times.time);
  const wide = wideCells(blocks, order);
  const measures = family.measures.map((measure, column) =>
    measureCells(measure, { blocks, column, rows, order, wide: wide.get(column) }),
  );
  const superseded = supersededCells(family, blocks, rows);
  const [time, ground, position] = [times.time, times.ground, times.position].map((each) =>
    ordered(each, order),
  );
  const kinds: Kinds = {
    time: unitOf(time!) === 'NANOS' ? 'ns' : 'us',
    ground: unitOf(ground!) === 'NANOS' ? 'ns' : 'us',
    superseded: superseded !== undefined,
    measures,
  };
  const cells: Cells[] = [
    new Array<string>(rows).fill(target),
    time!,
    ground!,
    position!,
    orderedTexts(times.link, order),
    ...(superseded === undefined ? [] : [orderedTexts(superseded, order)]),
    ...measures.map(({ value }) => value.cells),
    ...measures.flatMap(({ raw }) => (raw === undefined ? [] : [raw.cells])),
  ];
  return { shape: shapeOf(family, kinds), rows: { target, rows, cells } };
}

interface RowTimes {
  readonly time: Float64Array;
  readonly ground: Float64Array;
  readonly position: Float64Array;
  readonly link: string[];
}

function rowTimes(blocks: readonly GatheredBlock[], rows: number): RowTimes {
  const [time, ground, position] = [new Float64Array(rows), new Float64Array(rows), new Float64Array(rows)];
  const link = new Array<string>(rows);
  let at = 0;
  for (const { block, position: stands, storedMs, link: by } of blocks)
    for (let row = 0; row < block.ground.length; row += 1, at += 1) {
      const times = sampleTimes(block.onboard[row]!, block.ground[row]!, storedMs);
      time[at] = times.time;
      ground[at] = times.ground;
      position[at] = stands;
      link[at] = by;
    }
  return { time, ground, position, link };
}

/** The times of a sample; a ground time that is none is that of the storing. */
export function sampleTimes(
  onboard: number,
  received: number,
  storedMs: number,
): { readonly time: number; readonly ground: number } {
  const ground = isInstant(received) ? received : storedMs;
  return { time: timeOf(onboard, ground), ground };
}

/** Rows by time, those of one time as they came; undefined where they stand so. */
function orderOf(time: Float64Array): Uint32Array | undefined {
  let sorted = true;
  for (let row = 1; sorted && row < time.length; row += 1) sorted = time[row - 1]! <= time[row]!;
  if (sorted) return undefined;
  return Uint32Array.from(time, (_, row) => row).sort(
    (one, other) => time[one]! - time[other]! || one - other,
  );
}

function ordered(cells: Float64Array, order: Uint32Array | undefined): Float64Array {
  return order === undefined ? cells : Float64Array.from(order, (row) => cells[row]!);
}

function orderedTexts<Cell>(cells: Cell[], order: Uint32Array | undefined): Cell[] {
  return order === undefined ? cells : Array.from(order, (row) => cells[row]!);
}

interface MeasureSource {
  readonly blocks: readonly GatheredBlock[];
  readonly column: number;
  readonly rows: number;
  readonly order: Uint32Array | undefined;
  readonly wide: ReadonlyMap<number, WideValue> | undefined;
}

function measureCells(measure: MeasureColumn, source: MeasureSource): { value: Fitted; raw?: Fitted } {
  const { blocks, column, order, rows, wide } = source;
  const { type, labels, calibrated } = measure;
  const numbers = (which: 'value' | 'raw'): Float64Array =>
    ordered(columnCells(blocks, column, rows, which), order);
  const value = numbers('value');
  const isRaw = !calibrated && sameAsRaw(blocks, column);
  if (labels !== undefined) {
    const label = labelled(value, labels);
    const unnamed = label.cells.some(
      (cell, row) => cell === null && (!Number.isNaN(value[row]!) || wide?.has(row)),
    );
    return isRaw && !unnamed
      ? { value: label }
      : { value: label, raw: fitted('i32', { numbers: numbers('raw'), wide }) };
  }
  if (isRaw) return { value: fitted(type, { numbers: value, wide }) };
  // Wide values are not calibrated (telemetry/calibration.ts).
  const own = calibrated
    ? fitted('f64', { numbers: value, wide: undefined })
    : fitted(type, { numbers: value, wide });
  return { value: own, raw: fitted('i32', { numbers: numbers('raw'), wide }) };
}

function labelled(
  numbers: Float64Array,
  labels: readonly (readonly [string, number])[],
): Fitted & { readonly cells: readonly (string | null)[] } {
  const names = new Map(labels.map(([label, number]) => [number, label]));
  const cells = Array.from(numbers, (number) => names.get(number) ?? null);
  return { kind: 'text', nullable: cells.includes(null), cells };
}

function columnCells(
  blocks: readonly GatheredBlock[],
  column: number,
  rows: number,
  which: 'value' | 'raw',
): Float64Array {
  const cells = new Float64Array(rows);
  let at = 0;
  for (const { block } of blocks) {
    const from = block[which];
    const columns = block.ordinals.length;
    for (let index = column; index < from.length; index += columns) cells[at++] = from[index]!;
  }
  return cells;
}

function sameAsRaw(blocks: readonly GatheredBlock[], column: number): boolean {
  for (const { block } of blocks) {
    const { raw, value } = block;
    const columns = block.ordinals.length;
    for (let index = column; index < raw.length; index += columns) {
      if (!Object.is(raw[index], value[index])) return false;
    }
  }
  return true;
}

/** What no double holds, by column and row. */
function wideCells(
  blocks: readonly GatheredBlock[],
  order: Uint32Array | undefined,
): ReadonlyMap<number, ReadonlyMap<number, WideValue>> {
  const all = new Map<number, Map<number, WideValue>>();
  if (blocks.every(({ block }) => block.wide === undefined)) return all;
  const places = order && placesOf(order);
  let first = 0;
  for (const { block } of blocks) {
    const columns = block.ordinals.length;
    for (const [index, value] of block.wide ?? []) {
      const row = first + Math.floor(index / columns);
      const column = all.get(index % columns) ?? new Map<number, WideValue>();
      all.set(index % columns, column);
      column.set(places?.[row] ?? row, value);
    }
    first += block.ground.length;
  }
  return all;
}

/** Where each row stands in an order of rows. */
function placesOf(order: Uint32Array): Uint32Array {
  const places = new Uint32Array(order.length);
  order.forEach((row, place) => {
    places[row] = place;
  });
  return places;
}

/** Names of the measures whose samples did not become current, `*` for the whole row. */
function supersededCells(
  { measures }: Family,
  blocks: readonly GatheredBlock[],
  rows: number,
): (string | null)[] | undefined {
  if (blocks.every(({ block }) => block.superseded === undefined)) return undefined;
  const names = new Array<string[]>(rows);
  let first = 0;
  for (const { block } of blocks) {
    const columns = block.ordinals.length;
    for (const index of block.superseded ?? []) {
      const row = first + Math.floor(index / columns);
      const own = names[row] ?? [];
      own.push(measures[index % columns]?.key ?? '');
      names[row] = own;
    }
    first += block.ground.length;
  }
  return Array.from(names, (keys) =>
    keys === undefined ? null : keys.length === measures.length ? '*' : keys.join(),
  );
}
