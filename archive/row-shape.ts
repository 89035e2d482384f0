/**
 * The shape of a file: which columns it has, of which measures of which platform. A file of the archive holds rows of
 * one shape, of every target that sent such rows: what a packet has in common is written once.
 *
 * S1. The family of a shape (platform, delivery, measures) depends on the catalogue alone; its kinds of columns depend
 *     on the samples as well (fitted.ts). Shapes of a family have a common one that holds the rows of all of them.
 * S2. Columns: `target`, `time`, `ground_time`, `position`, `link`, `superseded` where a sample was, then one for each
 *     measure by its name, then `NAME.raw` where raw values say more than values.
 * S3. Equal identifier, equal shape.
 */

import { createHash } from 'node:crypto';
import type { Cells, Column, Kind } from './cells.ts';
import { commonKind, FLOATING, widened } from './fitted.ts';
import type { MeasureColumn } from './platform-columns.ts';

export interface Family {
  readonly id: string;
  readonly platform: string;
  readonly deferred: boolean;
  readonly measures: readonly MeasureColumn[];
}

export interface ShapeMeasure {
  readonly key: string;
  readonly type: string;
  readonly unit?: string;
  readonly labels?: readonly (readonly [string, number])[];
  /** Its place among the columns, and that of its raw values. */
  readonly column: number;
  readonly raw?: number;
}

export interface Shape {
  readonly id: string;
  readonly family: string;
  readonly platform: string;
  readonly deferred: boolean;
  readonly columns: readonly Column[];
  readonly measures: readonly ShapeMeasure[];
}

/** Rows of one target in one shape, in order of time and then of position. */
export interface ShapeRows {
  readonly target: string;
  readonly rows: number;
  /** By column of the shape. */
  readonly cells: readonly Cells[];
}

/** Where the columns stand that every shape has, behind `target`. */
export const TIME = 1;
export const GROUND = 2;
export const POSITION = 3;
export const LINK = 4;
export const SUPERSEDED = 'superseded';
const FIXED = 5;

export type ColumnKind = Pick<Column, 'kind' | 'nullable'>;

export interface Kinds {
  readonly time: Kind;
  readonly ground: Kind;
  readonly superseded: boolean;
  /** By measure of the family. */
  readonly measures: readonly { readonly value: ColumnKind; readonly raw?: ColumnKind }[];
}

export function familyOf(platform: string, deferred: boolean, measures: readonly MeasureColumn[]): Family {
  return { id: digestOf([platform, deferred, measures.map(({ key }) => key)]), platform, deferred, measures };
}

export function shapeOf(
  family: Omit<Family, 'measures'> & { measures: readonly Omit<MeasureColumn, 'calibrated'>[] },
  kinds: Kinds,
): Shape {
  const columns: Column[] = [
    { name: 'target', kind: 'text', nullable: false },
    { name: 'time', kind: kinds.time, nullable: false },
    { name: 'ground_time', kind: kinds.ground, nullable: false },
    { name: 'position', kind: 'count', nullable: false },
    { name: 'link', kind: 'text', nullable: false },
  ];
  if (kinds.superseded) columns.push({ name: SUPERSEDED, kind: 'text', nullable: true });
  const first = columns.length;
  for (const [n, { key }] of family.measures.entries())
    columns.push({ name: key, ...pick(kinds.measures[n]!.value) });
  const measures = family.measures.map(({ key, type, unit, labels }, n): ShapeMeasure => {
    const raw = kinds.measures[n]!.raw;
    const measure: { -readonly [Name in keyof ShapeMeasure]: ShapeMeasure[Name] } = {
      key,
      type,
      column: first + n,
    };
    if (unit !== undefined) measure.unit = unit;
    if (labels !== undefined) measure.labels = labels;
    if (raw !== undefined) measure.raw = columns.push({ name: `${key}.raw`, ...pick(raw) }) - 1;
    return measure;
  });
  const { id, platform, deferred } = family;
  return { id: digestOf([id, columns, measures]), family: id, platform, deferred, columns, measures };
}

const pick = ({ kind, nullable }: ColumnKind): ColumnKind => ({ kind, nullable });

/** The shape that holds the rows of all of them, which are of one family (S1). */
export function commonShape(shapes: readonly Shape[]): Shape {
  const [first, ...others] = shapes as [Shape, ...Shape[]];
  if (others.every(({ id }) => id === first.id)) return first;
  const common = (columns: readonly (Column | undefined)[]): ColumnKind => {
    const present = columns.filter((column) => column !== undefined);
    const kind = present.map((each) => each.kind).reduce(commonKind);
    // Not a number is a value of floating point, and null in what else holds it (archive/cells.K2).
    const losesNaN = !FLOATING.has(kind) && present.some((each) => FLOATING.has(each.kind));
    return { kind, nullable: losesNaN || present.some(({ nullable }) => nullable) };
  };
  const at = (place: number): ColumnKind => common(shapes.map(({ columns }) => columns[place]));
  const measures = first.measures.map((_, n) => {
    const value = common(shapes.map(({ columns, measures }) => columns[measures[n]!.column]));
    if (shapes.every((shape) => shape.measures[n]!.raw === undefined)) return { value };
    // Where one has raw values of its own, the others repeat their values.
    const raw = common(shapes.map((shape) => rawColumn(shape, shape.measures[n]!)));
    return { value, raw };
  });
  const superseded = shapes.some(({ columns }) => columns[FIXED]?.name === SUPERSEDED);
  const { family: id, platform, deferred } = first;
  const family = { id, platform, deferred, measures: first.measures };
  return shapeOf(family, { time: at(TIME).kind, ground: at(GROUND).kind, superseded, measures });
}

/** The column that has the raw values: numbers of labels where there is no other. */
function rawColumn({ columns }: Shape, { raw, column, labels }: ShapeMeasure): Column {
  if (raw !== undefined) return columns[raw]!;
  return labels === undefined
    ? columns[column]!
    : { name: '', kind: 'i32', nullable: columns[column]!.nullable };
}

/** The cells of rows of one shape as those of the common one of its family. */
export function reshaped(rows: ShapeRows, from: Shape, to: Shape): ShapeRows {
  if (from.id === to.id) return rows;
  const cells: Cells[] = [];
  for (let place = 0; place < FIXED; place += 1)
    cells.push(widened(rows.cells[place]!, from.columns[place]!, to.columns[place]!.kind));
  if (to.columns[FIXED]?.name === SUPERSEDED) {
    const has = from.columns[FIXED]?.name === SUPERSEDED;
    cells.push(has ? rows.cells[FIXED]! : new Array<null>(rows.rows).fill(null));
  }
  to.measures.forEach((measure, n) => {
    const source = from.measures[n]!;
    const at = (column: number, target: number): Cells =>
      widened(rows.cells[column]!, from.columns[column]!, to.columns[target]!.kind);
    cells[measure.column] = at(source.column, measure.column);
    if (measure.raw === undefined) return;
    if (source.raw === undefined && source.labels !== undefined) {
      const numbers = numbersOf(rows.cells[source.column] as readonly (string | null)[], source.labels);
      cells[measure.raw] = widened(numbers, { kind: 'i32' }, to.columns[measure.raw]!.kind);
    } else cells[measure.raw] = at(source.raw ?? source.column, measure.raw);
  });
  return { target: rows.target, rows: rows.rows, cells };
}

/** The numbers of labels; NaN of none. */
export function numbersOf(
  texts: readonly (string | null)[],
  labels: readonly (readonly [string, number])[],
): Float64Array {
  const numbers = new Map(labels);
  return Float64Array.from(texts, (text) => (text === null ? Number.NaN : (numbers.get(text) ?? Number.NaN)));
}

function digestOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}
