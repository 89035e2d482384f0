/**
 * The channel of the model over bytes: bit errors by geometric gaps, so that its work grows with the errors and not
 * with the bytes, and Reed-Solomon by its real rule. RF Bench Service, section 4, rule 10.
 *
 * Simplified: errors are independent; codewords begin with the block, and the last of a block is a shortened one.
 *
 * E1. The same generator over the same block makes the same errors.
 */

import type { Random } from '../../ports/clock.ts';
import { REED_SOLOMON } from '../modulation.ts';

export interface CodingCounts {
  /** Bytes that Reed-Solomon corrected. */
  readonly corrected: number;
  /** Codewords that had too many wrong bytes. */
  readonly failed: number;
}

/** Flips bits of `bytes` at this rate. */
export function addBitErrors(bytes: Uint8Array, rate: number, random: Random): void {
  forErrors(bytes.length * 8, rate, random, (bit) => {
    bytes[bit >> 3]! ^= 0x80 >> (bit & 7);
  });
}

/** Flips bits of `bytes` at this rate, then takes back what Reed-Solomon corrects of it. */
export function addCodedErrors(bytes: Uint8Array, rate: number, random: Random): CodingCounts {
  let corrected = 0;
  let failed = 0;
  for (let begin = 0; begin < bytes.length; begin += REED_SOLOMON.useful) {
    const codeword = bytes.subarray(begin, begin + REED_SOLOMON.useful);
    const sent = codeword.slice();
    const wrong = wrongBytes(codeword, rate, random);
    if (wrong > REED_SOLOMON.correctable) failed += 1;
    else if (wrong > 0) {
      corrected += wrong;
      codeword.set(sent);
    }
  }
  return { corrected, failed };
}

/** Errs in the useful bytes of a codeword and in those that check it; how many of them are wrong. */
function wrongBytes(codeword: Uint8Array, rate: number, random: Random): number {
  const checking = REED_SOLOMON.codeword - REED_SOLOMON.useful;
  let wrong = 0;
  let last = -1;
  forErrors((codeword.length + checking) * 8, rate, random, (bit) => {
    const at = bit >> 3;
    if (at < codeword.length) codeword[at]! ^= 0x80 >> (bit & 7);
    if (at !== last) wrong += 1;
    last = at;
  });
  return wrong;
}

/** Visits the places of errors: between two of them lies a gap of geometric length. */
function forErrors(bits: number, rate: number, random: Random, visit: (bit: number) => void): void {
  if (!(rate > 0)) return;
  const scale = 1 / Math.log1p(-rate);
  for (let bit = gap(random, scale); bit < bits; bit += 1 + gap(random, scale)) visit(bit);
}

function gap(random: Random, scale: number): number {
  return Math.floor(Math.log(1 - random.next()) * scale);
}
