/**
 * The content of a file on its way in: which bytes are there, and their checksum.
 *
 * G1. Each byte is given out once, whatever comes twice or overlaps; none of it is kept.
 * G2. What comes before the metadata is kept, up to a limit; what is more is treated as lost.
 */

import { type ByteRange, ByteRanges } from '../../contract/byte-ranges.ts';
import { CFDP_EARLY_BYTES } from '../../contract/limits/cfdp.ts';
import { type FileChecksum, fileChecksum } from './checksum.ts';

interface Chunk {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export class ReceivedFile {
  readonly ranges = new ByteRanges();
  #begun = false;
  #checksum: FileChecksum | undefined;
  #early: Chunk[] = [];
  #earlyBytes = 0;

  /** The metadata is there: gives what came before it. */
  begin(type: number): Chunk[] {
    this.#begun = true;
    this.#checksum = fileChecksum(type);
    const chunks = this.#early;
    this.#early = [];
    for (const { offset, bytes } of chunks) this.#checksum?.add(offset, bytes);
    return chunks;
  }

  /** Takes bytes; gives those that are new and can be used, undefined when none of them is new. */
  add(offset: number, data: Uint8Array): Chunk[] | undefined {
    if (!this.#begun && this.#earlyBytes + data.length > CFDP_EARLY_BYTES) return undefined;
    const added = this.ranges.add(offset, offset + data.length);
    if (added === undefined || added.length === 0) return undefined;
    const chunks = added.map(([start, end]) => ({
      offset: start,
      bytes: data.subarray(start - offset, end - offset),
    }));
    if (this.#begun) {
      for (const { offset: at, bytes } of chunks) this.#checksum?.add(at, bytes);
      return chunks;
    }
    this.#early.push(
      ...chunks.map(({ offset: at, bytes }) => ({ offset: at, bytes: Uint8Array.from(bytes) })),
    );
    this.#earlyBytes += data.length;
    return [];
  }

  missing(from: number, to: number): ByteRange[] {
    return this.ranges.missing(from, to);
  }

  /** Whether the checksum is that of a file of `size` bytes that are all there; undefined for an unknown type. */
  isSound(checksum: number, size: number): boolean | undefined {
    return this.#checksum && this.#checksum.value(size) === checksum;
  }
}
