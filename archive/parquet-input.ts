/**
 * One Parquet file of the archive while it is read: columns of row groups, each checked against its digest.
 *
 * R1. What is read is the index (chunk-index.ts) and the bytes of the columns that are asked for, where they were not
 *     read a moment ago (column-cache.ts).
 */

import type { DecodedArray, SchemaTree } from 'hyparquet';
import { readColumn } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { type Cells, type Column, plainElementOf, readCells } from './cells.ts';
import { type Chunk, ChunkIndex, chunkDigest, type GroupHead } from './chunk-index.ts';
import type { ColumnCache } from './column-cache.ts';
import type { FileSystem, InputFile } from './file-system.ts';

export class ParquetInput {
  readonly #file: InputFile;
  readonly #path: string;
  readonly #columns: readonly Column[];
  readonly #index: ChunkIndex;
  readonly #cache: ColumnCache | undefined;
  readonly #chunks = new Map<number, readonly Chunk[]>();

  /** Throws when the file is not there or its index is damaged. */
  constructor(
    files: FileSystem,
    path: string,
    columns: readonly Column[],
    [offset, length]: readonly [offset: number, length: number],
    cache?: ColumnCache,
  ) {
    this.#cache = cache;
    this.#file = files.open(path);
    this.#path = path;
    this.#columns = columns;
    try {
      this.#index = new ChunkIndex(length, (at, bytes) => this.#file.read(offset + at, bytes));
      if (this.#index.columns !== columns.length && this.#index.groups.length > 0)
        throw new Error(`it has ${this.#index.columns} columns and ${columns.length} are known`);
    } catch (error) {
      this.#file.close();
      throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
    }
  }

  get groups(): readonly GroupHead[] {
    return this.#index.groups;
  }

  /** The cells of columns of one row group. Throws where their bytes are damaged. */
  read(group: GroupHead, columns: readonly number[]): Cells[] {
    return columns.map((column) => this.#column(group, column));
  }

  /** Every column of a row group as bytes, for a copy. */
  raw(group: GroupHead): { readonly bytes: Uint8Array; readonly lengths: readonly number[] } {
    const chunks = this.#chunksOf(group);
    const lengths = chunks.map(({ length }) => length);
    const bytes = this.#file.read(
      group.start,
      lengths.reduce((sum, length) => sum + length, 0),
    );
    let at = 0;
    chunks.forEach((chunk, column) => {
      this.#check(chunk, bytes.subarray(at, at + chunk.length), column);
      at += chunk.length;
    });
    return { bytes, lengths };
  }

  close(): void {
    this.#file.close();
  }

  #column(group: GroupHead, number: number): Cells {
    const column = this.#columns[number]!;
    const name = `${this.#path} ${group.number} ${number}`;
    const known = this.#cache?.get(name);
    if (known !== undefined) return known;
    const chunks = this.#chunksOf(group);
    let start = group.start;
    for (let before = 0; before < number; before += 1) start += chunks[before]!.length;
    const chunk = chunks[number]!;
    const bytes = this.#file.read(start, chunk.length);
    this.#check(chunk, bytes, number);
    const cells = readCells(column, decoded(column, bytes, group.rows), group.rows);
    if (cells instanceof Float64Array) this.#cache?.keep(name, cells);
    return cells;
  }

  #chunksOf(group: GroupHead): readonly Chunk[] {
    let chunks = this.#chunks.get(group.number);
    if (chunks === undefined) {
      chunks = this.#index.chunks(group.number);
      this.#chunks.set(group.number, chunks);
    }
    return chunks;
  }

  #check({ digest }: Chunk, bytes: Uint8Array, column: number): void {
    if (chunkDigest(bytes) !== digest)
      throw new Error(`${this.#path}: column ${this.#columns[column]!.name} is damaged (wrong digest)`);
  }
}

function decoded(column: Column, bytes: Uint8Array, rows: number): DecodedArray[] {
  if (rows === 0) return [];
  const element = plainElementOf(column);
  const leaf: SchemaTree = { element, path: [column.name], children: [], count: 1 };
  const root: SchemaTree = {
    element: { name: 'root', num_children: 1 },
    path: [],
    children: [leaf],
    count: 2,
  };
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  const { data } = readColumn(
    reader,
    { groupStart: 0, selectStart: 0, selectEnd: rows, groupRows: rows },
    {
      pathInSchema: [column.name],
      type: element.type!,
      element,
      schemaPath: [root, leaf],
      codec: 'SNAPPY',
      parsers: DEFAULT_PARSERS,
      utf8: false,
    },
  );
  return data;
}
