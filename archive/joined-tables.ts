/**
 * Tables of pages as one: row groups are taken over as they stand, and described once at the end. For who fetches page
 * after page and is not to begin again after a loss.
 *
 * J1. All of them have the same columns (table-columns.ts); one with others is refused.
 */

import { type FileMetaData, parquetMetadata, type RowGroup } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';

const MAGIC = 'PAR1';

export class JoinedTables {
  #first: FileMetaData | undefined;
  #columns = '';
  readonly #groups: RowGroup[] = [];
  #rows = 0n;
  #bytes = 0;

  /** Rows so far. */
  get rows(): number {
    return Number(this.#rows);
  }

  /** The bytes to be written behind those before. Throws where it is no table, or one of other columns (J1). */
  add(table: Uint8Array): Uint8Array {
    const exact = table.slice().buffer;
    const metadata = parquetMetadata(exact);
    const columns = JSON.stringify(metadata.schema, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    if (this.#first !== undefined && columns !== this.#columns) throw new Error('the columns have changed');
    const opening = this.#first === undefined ? Buffer.from(MAGIC) : Buffer.alloc(0);
    this.#first ??= metadata;
    this.#columns = columns;
    const [start, end] = extentOf(metadata.row_groups);
    const rows = table.subarray(start, end);
    const moved = BigInt(this.#bytes + opening.length - start);
    for (const group of metadata.row_groups) this.#groups.push(movedGroup(group, moved));
    this.#rows += metadata.num_rows;
    this.#bytes += opening.length + rows.length;
    return Buffer.concat([opening, rows]);
  }

  /** What is behind the last row. */
  end(): Uint8Array {
    if (this.#first === undefined) throw new Error('there is no table');
    const { version, schema, created_by, key_value_metadata = [] } = this.#first;
    const writer = new ByteWriter(1 << 16);
    const groups = { num_rows: this.#rows, row_groups: this.#groups, metadata_length: 0 };
    const about = created_by === undefined ? { key_value_metadata } : { key_value_metadata, created_by };
    writeMetadata(writer, Object.assign({ version, schema }, groups, about));
    return Buffer.concat([writer.getBytes(), Buffer.from(MAGIC)]);
  }
}

/** From the first byte of the first column to the last of the last one. */
function extentOf(groups: readonly RowGroup[]): [start: number, end: number] {
  let [start, end] = [Number.POSITIVE_INFINITY, MAGIC.length];
  for (const { columns } of groups)
    for (const { meta_data } of columns) {
      const { dictionary_page_offset, data_page_offset, total_compressed_size } = meta_data!;
      const first = Number(dictionary_page_offset ?? data_page_offset);
      start = Math.min(start, first);
      end = Math.max(end, first + Number(total_compressed_size));
    }
  return groups.length === 0 ? [MAGIC.length, MAGIC.length] : [start, end];
}

function movedGroup(group: RowGroup, by: bigint): RowGroup {
  const columns = group.columns.map((chunk) => {
    const { dictionary_page_offset: dictionary, data_page_offset } = chunk.meta_data!;
    const moved = Object.assign({}, chunk.meta_data, { data_page_offset: data_page_offset + by });
    const meta_data =
      dictionary === undefined ? moved : Object.assign(moved, { dictionary_page_offset: dictionary + by });
    return Object.assign({}, chunk, { file_offset: chunk.file_offset + by, meta_data });
  });
  return Object.assign({}, group, { columns });
}
