/**
 * The rotation of a block by trying all of them: where bit errors leave no four bytes whole. Finds it up to a bit error
 * rate of about 0.3; of a long payload it takes seconds, so it belongs into a worker thread.
 *
 * E1. Every rotation is tried on a sample of the block; the best of those are counted over the whole block.
 */

import { matchedAt, type Reference } from './reference.ts';

/**
 * Bytes of a block tried first: at a bit error rate of 0.3 thirty of them still fit, by chance two and at most a dozen.
 */
const SAMPLE = 512;
/** Rotations counted exactly. */
const FINALISTS = 64;

export interface Alignment {
  readonly rotation: number;
  readonly matched: number;
}

/** The rotation at which most bytes of the block fit; of equal ones the smallest. */
export function searchExhaustively(reference: Reference, block: Uint8Array): Alignment {
  const counts = sampleCounts(reference, block);
  const least = leastOfBest(counts);
  let best: Alignment = { rotation: 0, matched: -1 };
  for (let rotation = 0, tried = 0; rotation < counts.length && tried < FINALISTS; rotation += 1) {
    if (counts[rotation]! < least) continue;
    tried += 1;
    const matched = matchedAt(reference, block, rotation);
    if (matched > best.matched) best = { rotation, matched };
  }
  return best;
}

/** Fitting bytes of the sample, for each rotation. */
function sampleCounts({ bytes }: Reference, block: Uint8Array): Uint16Array {
  const counts = new Uint16Array(bytes.length);
  const stride = Math.max(1, Math.floor(block.length / SAMPLE));
  for (let index = 0; index < block.length; index += stride) {
    const wanted = block[index]!;
    const shift = index % bytes.length;
    for (let place = shift; place < bytes.length; place += 1)
      if (bytes[place] === wanted) counts[place - shift]! += 1;
    for (let place = 0; place < shift; place += 1)
      if (bytes[place] === wanted) counts[place - shift + bytes.length]! += 1;
  }
  return counts;
}

/** The count that so many rotations as are counted exactly reach, not more. */
function leastOfBest(counts: Uint16Array): number {
  const reached = new Uint32Array(2 ** 16);
  for (const count of counts) reached[count]! += 1;
  let above = 0;
  for (let count = reached.length - 1; count > 0; count -= 1) {
    above += reached[count]!;
    if (above >= FINALISTS) return above > FINALISTS && above > reached[count]! ? count + 1 : count;
  }
  return 0;
}
