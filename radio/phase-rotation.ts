/**
 * What bytes become where the demodulator found the carrier some steps of the constellation off: symbols in Gray order,
 * turned. Pure.
 *
 * T1. Symbols of three bits do not end with a byte: of those only pairs of bits are turned, which spoils as much and is
 *     a simplification of the model.
 */

/** Pairs of bits around the circle. */
const GRAY: readonly number[] = [0b00, 0b01, 0b11, 0b10];

/** What each byte becomes; never the identity for a phase that is not 0. */
export function rotatedBytes(bitsOfSymbol: number, phase: number): Uint8Array {
  if (bitsOfSymbol === 1) return Uint8Array.from({ length: 256 }, (_, byte) => ~byte);
  const rotated = GRAY.map((_, dibit) => GRAY[(GRAY.indexOf(dibit) + phase) % 4]!);
  // Half a turn of two steps would be none of three: never the identity.
  const steps = phase % 4 === 0 ? GRAY.toReversed() : rotated;
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    [6, 4, 2, 0].reduce((made, shift) => made | (steps[(byte >> shift) & 3]! << shift), 0),
  );
}

/** The bytes as they are with the carrier so many steps off. */
export function turned(bytes: Uint8Array, bitsOfSymbol: number, phase: number): Uint8Array {
  const table = rotatedBytes(bitsOfSymbol, phase);
  return bytes.map((byte) => table[byte]!);
}
