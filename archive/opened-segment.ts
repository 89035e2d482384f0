/** A segment that is there, opened for reading: its manifest, its shapes and its files. */

import type { Cells, Column } from './cells.ts';
import type { ColumnCache } from './column-cache.ts';
import { EVENT_COLUMNS, type EventRow, eventRowsOf } from './event-rows.ts';
import type { FileSystem } from './file-system.ts';
import { LONG_COLUMNS, type LongRow, longRowsOf, textOrder } from './long-rows.ts';
import { type FileEntry, type Manifest, nameOf, readShape } from './manifest.ts';
import { ParquetInput } from './parquet-input.ts';
import { type Shape, type ShapeRows, TIME } from './row-shape.ts';

export class OpenedSegment {
  readonly manifest: Manifest;
  readonly path: string;
  readonly #files: FileSystem;
  readonly #shapes: Map<string, Shape>;
  readonly #cache: ColumnCache | undefined;

  /** `shapes` keeps those that were read, whatever segment they stand in (row-shape.S3). */
  constructor(
    files: FileSystem,
    parent: string,
    manifest: Manifest,
    shapes: Map<string, Shape>,
    cache?: ColumnCache,
  ) {
    this.#files = files;
    this.#cache = cache;
    this.#shapes = shapes;
    this.manifest = manifest;
    this.path = `${parent}/${nameOf(manifest)}`;
  }

  shape({ shape: id = '' }: FileEntry): Shape {
    let shape = this.#shapes.get(id);
    if (shape === undefined) {
      shape = readShape(this.#files, this.path, this.manifest, id);
      this.#shapes.set(id, shape);
    }
    return shape;
  }

  /** Whoever opens it closes it. */
  open(entry: FileEntry): ParquetInput {
    const columns = this.#columnsOf(entry);
    return new ParquetInput(this.#files, `${this.path}/${entry.name}`, columns, entry.index, this.#cache);
  }

  #columnsOf(entry: FileEntry): readonly Column[] {
    if (entry.kind === 'events') return EVENT_COLUMNS;
    return entry.kind === 'long' ? LONG_COLUMNS : this.shape(entry).columns;
  }

  /** Events in their order, row group after row group. */
  *eventGroups(entry: FileEntry): Generator<EventRow[]> {
    const input = this.open(entry);
    try {
      const every = EVENT_COLUMNS.map((_, n) => n);
      for (const group of input.groups)
        yield eventRowsOf(input.read(group, every), [...Array(group.rows).keys()]);
    } finally {
      input.close();
    }
  }

  /** The rows of one target in a file, row group after row group; none where it has none. */
  rowsOf(input: ParquetInput, entry: FileEntry, target: string): ShapeRows[] {
    const place = entry.targets.indexOf(target);
    const every = this.shape(entry).columns.map((_, n) => n);
    return input.groups
      .filter(({ targets: [first] }) => first === place)
      .map((group) => ({ target, rows: group.rows, cells: input.read(group, every) }));
  }

  /** Rare rows, target after target. */
  *longTargets(entry: FileEntry): Generator<readonly [target: string, rows: LongRow[]]> {
    const input = this.open(entry);
    try {
      let rows: LongRow[] = [];
      for (const group of input.groups)
        for (const row of longRowsOf(
          input.read(
            group,
            LONG_COLUMNS.map((_, n) => n),
          ),
          () => true,
        )) {
          if (rows.length > 0 && rows[0]!.target !== row.target) {
            yield [rows[0]!.target, rows];
            rows = [];
          }
          rows.push(row);
        }
      if (rows.length > 0) yield [rows[0]!.target, rows];
    } finally {
      input.close();
    }
  }
}

/** Rows of one target in the same shape as one, in order of time; `parts` are in order of their positions. */
export function joinedRows(parts: readonly ShapeRows[]): ShapeRows {
  const [only] = parts as [ShapeRows];
  if (parts.length === 1) return only;
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const cells = only.cells.map((_, column) => joinedCells(parts.map((part) => part.cells[column]!)));
  const time = cells[TIME] as Float64Array;
  const joined = { target: only.target, rows, cells };
  for (let row = 1; row < rows; row += 1) if (time[row - 1]! > time[row]!) return sortedRows(joined);
  return joined;
}

function joinedCells(parts: readonly Cells[]): Cells {
  if (!(parts[0] instanceof Float64Array)) return (parts as (readonly (string | null)[])[]).flat();
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts as Float64Array[]) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function sortedRows({ target, rows, cells }: ShapeRows): ShapeRows {
  const time = cells[TIME] as Float64Array;
  const order = Uint32Array.from(time, (_, row) => row).sort(
    (one, other) => time[one]! - time[other]! || one - other,
  );
  const sorted = cells.map((column) =>
    column instanceof Float64Array
      ? Float64Array.from(order, (row) => column[row]!)
      : Array.from(order, (row) => column[row] as string | null),
  );
  return { target, rows, cells: sorted };
}

/** All targets of files, in order. */
export function targetsOf(entries: readonly FileEntry[]): string[] {
  return [...new Set(entries.flatMap(({ targets }) => targets))].sort(textOrder);
}
