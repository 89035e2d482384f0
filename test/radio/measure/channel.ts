/** A channel for tests of the measurement: rotation, bit errors and slips from a seed. */

import { BLOCK_BYTES } from '../../../contract/bench/datapath.ts';

/** Numbers from 0 to 1 (mulberry32): the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomBytes(length: number, random: () => number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random() * 256));
}

/** The payload without end, from a place on, cut after so many blocks. */
export function sentBlocks(payload: Uint8Array, rotation: number, blocks: number): Uint8Array {
  return Uint8Array.from(
    { length: blocks * BLOCK_BYTES },
    (_, index) => payload[(rotation + index) % payload.length]!,
  );
}

/** With each bit wrong at a probability; gaps between errors are geometric. */
export function withBitErrors(bytes: Uint8Array, rate: number, random: () => number): Uint8Array {
  const received = Uint8Array.from(bytes);
  if (rate === 0) return received;
  const gap = () => 1 + Math.floor(Math.log(1 - random()) / Math.log(1 - rate));
  for (let bit = gap() - 1; bit < received.length * 8; bit += gap()) received[bit >> 3]! ^= 1 << (bit & 7);
  return received;
}
