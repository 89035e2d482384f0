/**
 * Pseudo-random bit sequences, as payloads whose rotation can be found: the polynomials of ITU-T O.150, sections 5.1,
 * 5.3 and 5.6, first bit in the highest bit of the first byte. O.150 inverts the orders 15 and 23 on the line; here
 * they are as the polynomial gives them, since both ends are this bench.
 *
 * R1. Squaring the polynomial three times gives the same recurrence between bytes, so a byte costs one exclusive or.
 */

import { assert } from '../contract/assert.ts';

export const PRBS_ORDERS = [9, 15, 23] as const;
export type PrbsOrder = (typeof PRBS_ORDERS)[number];

/** The other tap of `x^order + x^tap + 1`. */
const TAP = { 9: 5, 15: 14, 23: 18 } as const satisfies Record<PrbsOrder, number>;

/**
 * `length` bytes of the sequence of an order. The seed is its first bits, all ones unless given; of a longer number the
 * lowest bits count, and zero, from which nothing would come, is taken for all ones.
 */
export function prbs(order: PrbsOrder, length: number, seed?: number): Uint8Array {
  assert(Number.isSafeInteger(length) && length >= 0, 'R1 length');
  const bytes = new Uint8Array(length);
  bytes.set(firstBytes(order, seed).subarray(0, length));
  const tap = TAP[order];
  for (let index = order; index < length; index += 1)
    bytes[index] = bytes[index - order]! ^ bytes[index - tap]!;
  return bytes;
}

/** As many bytes as the order, bit by bit. */
function firstBytes(order: PrbsOrder, seed: number | undefined): Uint8Array {
  const bits = new Uint8Array(order * 8);
  const ones = 2 ** order - 1;
  const start = (seed ?? ones) & ones || ones;
  for (let bit = 0; bit < order; bit += 1) bits[bit] = (start >>> (order - 1 - bit)) & 1;
  for (let bit = order; bit < bits.length; bit += 1) bits[bit] = bits[bit - order]! ^ bits[bit - TAP[order]]!;
  return Uint8Array.from({ length: order }, (_, byte) => byteAt(bits, byte * 8));
}

function byteAt(bits: Uint8Array, from: number): number {
  let byte = 0;
  for (let bit = from; bit < from + 8; bit += 1) byte = byte * 2 + bits[bit]!;
  return byte;
}
