/**
 * Reading octets one field after the other, and whole numbers of any width. CCSDS 727.0-B-5, section 5.
 *
 * N1. Reading never throws: what reaches behind the end reads as zero or empty, and `short` stays true from then on.
 * N2. Numbers beyond 2^53 - 1 are no offsets or sizes here: they read as zero, and `short` stays true.
 */

import { assert } from '../../contract/assert.ts';

const SIX_BYTES = 6;

export class Octets {
  short = false;
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, from = 0) {
    this.#bytes = bytes;
    this.#at = from;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** The next `length` octets; empty when there are fewer (N1). */
  take(length: number): Buffer {
    if (length > this.left) {
      this.short = true;
      this.#at = this.#bytes.length;
      return Buffer.alloc(0);
    }
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  rest(): Buffer {
    return this.take(this.left);
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  /** An offset or a size of four octets, eight in large files (N2). */
  size(large: boolean): number {
    const octets = this.take(large ? 8 : 4);
    if (octets.length === 4) return octets.readUInt32BE();
    const value = octets.length === 8 ? octets.readBigUInt64BE() : 0n;
    if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
    this.short = true;
    return 0;
  }

  id(length: number): bigint {
    return readId(this.take(length));
  }

  /** One octet of length and so many octets. */
  lengthValue(): Buffer {
    return this.take(this.byte());
  }
}

/** A whole number without sign of up to eight octets; of none it is 0. */
export function readId(octets: Buffer): bigint {
  if (octets.length === 8) return octets.readBigUInt64BE();
  if (octets.length === 0) return 0n;
  if (octets.length <= SIX_BYTES) return BigInt(octets.readUIntBE(0, octets.length));
  return (BigInt(octets[0]!) << 48n) | BigInt(octets.readUIntBE(1, SIX_BYTES));
}

export function writeId(id: bigint, length: number): Buffer {
  const octets = Buffer.allocUnsafe(length);
  putId(octets, 0, id, length);
  return octets;
}

/** Writes a whole number of `length` octets at an index. */
export function putId(octets: Buffer, at: number, id: bigint, length: number): void {
  assert(id >= 0n && BigInt.asUintN(8 * length, id) === id, 'N2 an identifier within its width');
  if (length <= SIX_BYTES) octets.writeUIntBE(Number(id), at, length);
  else {
    octets.writeUIntBE(Number(id >> 48n), at, length - SIX_BYTES);
    octets.writeUIntBE(Number(BigInt.asUintN(48, id)), at + length - SIX_BYTES, SIX_BYTES);
  }
}

/** The fewest octets that hold a number. */
export function idBytes(id: bigint): number {
  let length = 1;
  while (id >> BigInt(8 * length) > 0n) length += 1;
  return length;
}

export function writeSize(size: number, large: boolean): Buffer {
  const octets = Buffer.alloc(large ? 8 : 4);
  if (large) octets.writeBigUInt64BE(BigInt(size));
  else octets.writeUInt32BE(size);
  return octets;
}

/** One octet of length and the value, which has at most 255 octets. */
export function writeLengthValue(value: Uint8Array): Buffer {
  assert(value.length <= 255, 'N2 a value of at most 255 octets');
  return Buffer.concat([Buffer.of(value.length), value]);
}
