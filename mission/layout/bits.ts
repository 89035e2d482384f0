/**
 * Integers out of and into bytes at any bit position, big and little endian.
 *
 * I1. Up to 53 bits are numbers, exact; more are `bigint`.
 * I2. Bounds are the caller's: a position past the end reads as zero bits.
 */

/** The unsigned integer of up to 53 bits that begins at a bit. */
export function readUnsigned(bytes: Uint8Array, at: number, bits: number): number {
  let index = at >>> 3;
  const head = 8 - (at & 7);
  let value = (bytes[index] ?? 0) & ((1 << head) - 1);
  if (bits <= head) return value >>> (head - bits);
  let left = bits - head;
  while (left >= 8) {
    index += 1;
    value = value * 256 + (bytes[index] ?? 0);
    left -= 8;
  }
  return left === 0 ? value : value * (1 << left) + ((bytes[index + 1] ?? 0) >>> (8 - left));
}

/** The unsigned integer of up to 64 bits that begins at a bit. */
export function readUnsignedWide(bytes: Uint8Array, at: number, bits: number): bigint {
  if (bits <= 32) return BigInt(readUnsigned(bytes, at, bits));
  const high = readUnsigned(bytes, at, bits - 32);
  return (BigInt(high) << 32n) | BigInt(readUnsigned(bytes, at + bits - 32, 32));
}

/** The unsigned little-endian integer of up to 6 whole bytes. */
export function readLittle(bytes: Uint8Array, index: number, count: number): number {
  let value = 0;
  for (let place = count - 1; place >= 0; place -= 1) value = value * 256 + (bytes[index + place] ?? 0);
  return value;
}

/** The same for up to 8 bytes. */
export function readLittleWide(bytes: Uint8Array, index: number, count: number): bigint {
  let value = 0n;
  for (let place = count - 1; place >= 0; place -= 1)
    value = (value << 8n) | BigInt(bytes[index + place] ?? 0);
  return value;
}

/** Two's complement of a number of up to 53 bits. */
export function signedOf(value: number, bits: number): number {
  const half = 2 ** (bits - 1);
  return value >= half ? value - half * 2 : value;
}

/** Two's complement of a number of up to 64 bits. */
export function signedWideOf(value: bigint, bits: number): bigint {
  return BigInt.asIntN(bits, value);
}

/** Appends integers of any width and whole bytes, most significant bit first. */
export class BitWriter {
  #bytes = Buffer.alloc(64);
  #length = 0;
  #free = 0;

  /** Appends the low `bits` bits. */
  write(value: bigint, bits: number): void {
    for (let bit = bits - 1; bit >= 0; bit -= 1) {
      if (this.#free === 0) {
        this.#reserve(1);
        this.#length += 1;
        this.#free = 8;
      }
      this.#free -= 1;
      if (((value >> BigInt(bit)) & 1n) === 1n) this.#bytes[this.#length - 1]! |= 1 << this.#free;
    }
  }

  /** Appends whole bytes; the writer must stand at the start of a byte. */
  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Nothing is written behind it. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Room for more; what is not written yet is zero. */
  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
