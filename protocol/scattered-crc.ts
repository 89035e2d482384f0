/**
 * The CRC-32 or CRC-32C of a file whose pieces come in any order, without keeping a byte of them.
 *
 * A CRC is linear: the remainder of a file is the sum of what each piece gives alone, moved to its place, which is a
 * multiplication by a power of x. The size of the file may be known last, so pieces are moved back to the beginning
 * (by x to minus 8 times their end), and the sum is moved to the end once.
 *
 * K1. Each byte is added once. Pieces that follow each other cost what they cost in order; any other piece costs some
 *     thirty multiplications besides.
 */

const ALL_ONES = 0xffff_ffff;
/** The polynomial 1; bit 31 is the coefficient of x^0. */
const ONE = 0x8000_0000;
const X = 0x4000_0000;
/** Offsets have at most 53 bits. */
const OFFSET_BITS = 53;

/** A CRC whose generator has its bits reversed, and the function that continues it (crc.R2). */
export interface Crc {
  readonly polynomial: number;
  readonly of: (bytes: Uint8Array, before: number) => number;
}

export class ScatteredCrc {
  readonly #crc: Crc;
  readonly #forward: readonly number[];
  readonly #backward: readonly number[];
  /** Sum of the pieces before the current run. */
  #sum = 0;
  /** Pieces that follow each other: where the last one ended and the remainder so far. */
  #end = 0;
  #remainder = 0;

  constructor(crc: Crc) {
    this.#crc = crc;
    const power = powersOf(crc.polynomial);
    this.#forward = power.forward;
    this.#backward = power.backward;
  }

  /** Adds the bytes at an offset. */
  add(offset: number, bytes: Uint8Array): void {
    if (offset !== this.#end) {
      this.#sum = this.#total();
      this.#remainder = 0;
    }
    this.#remainder = (this.#crc.of(bytes, (this.#remainder ^ ALL_ONES) >>> 0) ^ ALL_ONES) >>> 0;
    this.#end = offset + bytes.length;
  }

  /** The checksum of a file of `size` bytes, all of them added. */
  value(size: number): number {
    const moved = this.#moved((this.#total() ^ ALL_ONES) >>> 0, size, this.#forward);
    return (moved ^ ALL_ONES) >>> 0;
  }

  #total(): number {
    return (this.#sum ^ this.#moved(this.#remainder, this.#end, this.#backward)) >>> 0;
  }

  /** `value` times x to 8 times `bytes`, forward or backward. */
  #moved(value: number, bytes: number, powers: readonly number[]): number {
    let moved = value;
    for (let bit = 0, rest = bytes; rest > 0 && moved !== 0; bit += 1, rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) moved = product(moved, powers[bit]!, this.#crc.polynomial);
    }
    return moved;
  }
}

/** x to plus and minus 8 times every power of two. */
function powersOf(polynomial: number): { readonly forward: number[]; readonly backward: number[] } {
  const known = POWERS.get(polynomial);
  if (known !== undefined) return known;
  const inverse = (((ONE ^ polynomial) << 1) | 1) >>> 0;
  const squared = (value: number) => product(value, value, polynomial);
  const powers = (base: number) => {
    let value = squared(squared(squared(base)));
    return Array.from({ length: OFFSET_BITS }, () => {
      const power = value;
      value = squared(value);
      return power;
    });
  };
  const made = { forward: powers(X), backward: powers(inverse) };
  POWERS.set(polynomial, made);
  return made;
}

const POWERS = new Map<number, { readonly forward: number[]; readonly backward: number[] }>();

/** The product of two polynomials modulo the generator. */
function product(left: number, right: number, polynomial: number): number {
  let sum = 0;
  let factor = right;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((left & bit) !== 0) sum ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ polynomial;
  }
  return sum >>> 0;
}
