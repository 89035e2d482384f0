/**
 * The description of a row group that is copied from file to file, read from its pages: the footer it had described
 * every group of its file, and is not read for one.
 */

import type { ColumnChunk, Encoding, RowGroup } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { type Column, elementOf } from './cells.ts';

/** `lengths` are those of its columns, which stand one behind the other; `start` is where it stands in its new file. */
export function describedGroup(
  columns: readonly Column[],
  rows: number,
  start: number,
  bytes: Uint8Array,
  lengths: readonly number[],
): RowGroup {
  let at = 0;
  const chunks = columns.map((column, n) => {
    const chunk = describedChunk(column, rows, start + at, bytes.subarray(at, at + lengths[n]!));
    at += lengths[n]!;
    return chunk;
  });
  const total = chunks.reduce((sum, { meta_data }) => sum + meta_data!.total_uncompressed_size, 0n);
  return {
    columns: chunks,
    total_byte_size: total,
    num_rows: BigInt(rows),
    total_compressed_size: BigInt(at),
  };
}

function describedChunk(column: Column, rows: number, start: number, bytes: Uint8Array): ColumnChunk {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  const encodings = new Set<Encoding>();
  let dictionary: bigint | undefined;
  let data: bigint | undefined;
  let uncompressed = 0;
  while (reader.offset < bytes.length) {
    const at = reader.offset;
    const header = parquetHeader(reader);
    uncompressed += reader.offset - at + header.uncompressed_page_size;
    reader.offset += header.compressed_page_size;
    if (header.type === 'DICTIONARY_PAGE') dictionary = BigInt(start + at);
    else data ??= BigInt(start + at);
    encodings.add(header.data_page_header_v2?.encoding ?? 'PLAIN');
  }
  const meta = {
    type: elementOf(column).type!,
    encodings: [...encodings],
    path_in_schema: [column.name],
    codec: 'SNAPPY' as const,
    num_values: BigInt(rows),
    total_compressed_size: BigInt(bytes.length),
    total_uncompressed_size: BigInt(uncompressed),
    data_page_offset: data ?? BigInt(start),
  };
  const described =
    dictionary === undefined ? meta : Object.assign(meta, { dictionary_page_offset: dictionary });
  return { meta_data: described, file_offset: BigInt(start) };
}
