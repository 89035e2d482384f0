/**
 * One Parquet file of the archive while it is written, row group after row group.
 *
 * P1. In front of the footer stands an index of our own (chunk-index.ts): where each column of each row group stands,
 *     with a digest. Whoever reads a measure reads that and the bytes of its column, not a footer that describes all.
 *     Other readers of Parquet never look there.
 * P2. What is in memory is one row group.
 */

import { createHash, type Hash } from 'node:crypto';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { type Cells, type Column, elementOf, written } from './cells.ts';
import { chunkDigest, encodeIndex, type IndexedGroup } from './chunk-index.ts';
import type { FileSystem, OutputFile } from './file-system.ts';
import { describedGroup } from './row-group.ts';

export interface GroupRows {
  /** The first and last of the targets of its rows. */
  readonly targets: readonly [first: number, last: number];
  readonly rows: number;
  readonly from: number;
  readonly to: number;
}

export interface WrittenFile {
  readonly bytes: number;
  readonly digest: string;
  /** Where the index stands in the file. */
  readonly index: readonly [offset: number, length: number];
}

/** Columns by which other readers leave out what they do not need; statistics of all of them would cost more. */
const PRUNED: ReadonlySet<string> = new Set(['target', 'time', 'measure']);

export class ParquetOutput {
  readonly #out: OutputFile;
  readonly #columns: readonly Column[];
  readonly #hash: Hash = createHash('sha256');
  readonly #bytes = new ByteWriter(1 << 20);
  readonly #writer: ParquetWriter;
  readonly #groups: IndexedGroup[] = [];
  #written = 0;

  constructor(
    files: Pick<FileSystem, 'create'>,
    path: string,
    columns: readonly Column[],
    about: Readonly<Record<string, string>>,
  ) {
    this.#out = files.create(path);
    this.#columns = columns;
    const schema = [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)];
    const kvMetadata = Object.entries(about).map(([key, value]) => ({ key, value }));
    const createdBy = 'open-mission-control';
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema,
      kvMetadata,
      createdBy,
      statistics: false,
    });
  }

  /** Writes the rows as one row group. */
  add(group: GroupRows, cells: readonly Cells[]): void {
    const columnData = this.#columns.map((column, n) => {
      const statistics = PRUNED.has(column.name);
      return Object.assign({ name: column.name, offsetIndex: false, statistics }, written(column, cells[n]!));
    });
    this.#writer.write({ columnData, rowGroupSize: Math.max(1, group.rows), pageSize: 0 });
    const { columns } = this.#writer.row_groups.at(-1)!;
    this.#end(
      group,
      columns.map(({ meta_data }) => Number(meta_data!.total_compressed_size)),
    );
  }

  /** Takes over a row group of a file with the same columns as it stands there. */
  copy(group: GroupRows, { bytes, lengths }: { bytes: Uint8Array; lengths: readonly number[] }): void {
    const start = this.#bytes.offset;
    this.#bytes.appendBytes(bytes);
    this.#writer.row_groups.push(describedGroup(this.#columns, group.rows, start, bytes, lengths));
    this.#writer.num_rows += BigInt(group.rows);
    this.#end(group, lengths);
  }

  /** Ends the file; it is on the disk when this returns. */
  finish(): WrittenFile {
    const bytes = this.#bytes;
    const offset = bytes.offset;
    const index = encodeIndex(this.#groups);
    bytes.appendBytes(index);
    const { schema, num_rows, row_groups, kvMetadata, createdBy } = this.#writer;
    const metadata = { version: 2, created_by: createdBy, schema, num_rows, row_groups, metadata_length: 0 };
    writeMetadata(bytes, Object.assign(metadata, { key_value_metadata: kvMetadata ?? [] }));
    bytes.appendUint32(0x31524150);
    this.#flush();
    this.#out.sync();
    this.#out.close();
    return { bytes: this.#written, digest: this.#hash.digest('hex'), index: [offset, index.length] };
  }

  /** Leaves the file as it is. */
  abandon(): void {
    this.#out.close();
  }

  #end(group: GroupRows, lengths: readonly number[]): void {
    const total = lengths.reduce((sum, length) => sum + length, 0);
    const end = this.#bytes.index;
    const bytes = this.#bytes.getBytes();
    let at = end - total;
    const chunks = lengths.map((length) => {
      const digest = chunkDigest(bytes.subarray(at, at + length));
      at += length;
      return { length, digest };
    });
    this.#groups.push({ ...group, start: this.#bytes.offset - total, chunks });
    this.#flush();
  }

  #flush(): void {
    const bytes = this.#bytes.getBytes();
    this.#hash.update(bytes);
    this.#out.append(bytes);
    this.#written += bytes.length;
    this.#bytes.index = 0;
  }
}
