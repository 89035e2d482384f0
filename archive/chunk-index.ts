/**
 * The index in a file of the archive: for each row group whose rows it has, when they were, and how long each of its
 * columns is (they stand one behind the other), with a digest of each.
 *
 * X1. Fixed places: whoever wants one row group reads its record and not those of the others.
 * X2. A column whose bytes have another digest is not read: damage is said, and never shown as values.
 */

import { createHash } from 'node:crypto';

export interface IndexedGroup {
  readonly targets: readonly [first: number, last: number];
  readonly rows: number;
  readonly from: number;
  readonly to: number;
  /** Where its first column begins in the file. */
  readonly start: number;
  readonly chunks: readonly Chunk[];
}

export interface Chunk {
  readonly length: number;
  readonly digest: number;
}

/** Groups, columns, a digest of the groups; then groups of fixed length; then the columns of each group. */
const HEAD_BYTES = 16;
const GROUP_BYTES = 40;
const CHUNK_BYTES = 8;

export function chunkDigest(bytes: Uint8Array): number {
  return createHash('sha1').update(bytes).digest().readUInt32LE(0);
}

export function encodeIndex(groups: readonly IndexedGroup[]): Uint8Array {
  const columns = groups[0]?.chunks.length ?? 0;
  const bytes = Buffer.alloc(HEAD_BYTES + groups.length * (GROUP_BYTES + columns * CHUNK_BYTES));
  bytes.writeUInt32LE(groups.length, 0);
  bytes.writeUInt32LE(columns, 4);
  groups.forEach(({ targets, rows, from, to, start, chunks }, n) => {
    const at = HEAD_BYTES + n * GROUP_BYTES;
    bytes.writeUInt32LE(targets[0], at);
    bytes.writeUInt32LE(targets[1], at + 4);
    bytes.writeUInt32LE(rows, at + 8);
    bytes.writeDoubleLE(from, at + 16);
    bytes.writeDoubleLE(to, at + 24);
    bytes.writeDoubleLE(start, at + 32);
    const first = HEAD_BYTES + groups.length * GROUP_BYTES + n * columns * CHUNK_BYTES;
    chunks.forEach(({ length, digest }, column) => {
      bytes.writeUInt32LE(length, first + column * CHUNK_BYTES);
      bytes.writeUInt32LE(digest, first + column * CHUNK_BYTES + 4);
    });
  });
  bytes.writeUInt32LE(chunkDigest(bytes.subarray(HEAD_BYTES, HEAD_BYTES + groups.length * GROUP_BYTES)), 8);
  return bytes;
}

export type GroupHead = Omit<IndexedGroup, 'chunks'> & { readonly number: number };

/** The index of a file, read as it is needed: `read` gives bytes from its beginning. */
export class ChunkIndex {
  readonly groups: readonly GroupHead[];
  readonly columns: number;
  readonly #read: (offset: number, length: number) => Uint8Array;

  /** Throws when the bytes are no index of so many. */
  constructor(length: number, read: (offset: number, length: number) => Uint8Array) {
    const head = view(read(0, HEAD_BYTES));
    const count = head.getUint32(0, true);
    this.columns = head.getUint32(4, true);
    if (HEAD_BYTES + count * (GROUP_BYTES + this.columns * CHUNK_BYTES) !== length)
      throw new Error('the index of the file is damaged');
    const bytes = read(HEAD_BYTES, count * GROUP_BYTES);
    if (chunkDigest(bytes) !== head.getUint32(8, true)) throw new Error('the index of the file is damaged');
    const groups = view(bytes);
    this.groups = Array.from({ length: count }, (_, number) => headAt(groups, number));
    this.#read = read;
  }

  chunks(group: number): Chunk[] {
    const offset = HEAD_BYTES + this.groups.length * GROUP_BYTES + group * this.columns * CHUNK_BYTES;
    const bytes = view(this.#read(offset, this.columns * CHUNK_BYTES));
    return Array.from({ length: this.columns }, (_, column) => ({
      length: bytes.getUint32(column * CHUNK_BYTES, true),
      digest: bytes.getUint32(column * CHUNK_BYTES + 4, true),
    }));
  }
}

function headAt(bytes: DataView, number: number): GroupHead {
  const at = number * GROUP_BYTES;
  return {
    number,
    targets: [bytes.getUint32(at, true), bytes.getUint32(at + 4, true)],
    rows: bytes.getUint32(at + 8, true),
    from: bytes.getFloat64(at + 16, true),
    to: bytes.getFloat64(at + 24, true),
    start: bytes.getFloat64(at + 32, true),
  };
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
