/**
 * Compares what was captured with what was fed, byte for byte, whatever place of the payload each DMA block begins at.
 * RF Bench Service, section 4, rule 10. Pure: feeding and capturing are the caller's, and so is the thread it runs on.
 *
 * M1. A block continues where the one before it ended, unless another rotation fits better; a rotation is never assumed
 *     that fits worse than one that was found.
 * M2. The ratio of each block is that at its own rotation, so that a slip does not read as an error of the
 *     demodulation.
 * M3. A slip is reported only between two blocks that both fit at half or more, whatever stands between them, and never
 *     of an ambiguous payload.
 * M4. What was not found by votes is searched exhaustively only where the caller asks for it, and only so much: how
 *     long a comparison takes is not for its payload to say.
 */

import { assert } from '../../contract/assert.ts';
import {
  BLOCK_BYTES,
  type BlockMatch,
  type Measurement,
  type MeasureVerdict,
} from '../../contract/bench/datapath.ts';
import { MEASURE_PAYLOAD_BYTES } from '../../contract/limits/bench.ts';
import { type Alignment, searchExhaustively } from './exhaustive-search.ts';
import { createReference, matchedAt, type Reference } from './reference.ts';
import { Shingles } from './shingles.ts';

/**
 * A block of random bytes fits any payload at 0.0093 at the very most over all its rotations; this is five times that.
 */
export const CORRELATED_RATIO = 0.05;
/** Share of a block that fits at a rotation that is certainly its own. */
const CERTAIN_RATIO = 0.5;
/**
 * Blocks not found: the first is searched exhaustively and then each of so many, since a bad chain has nothing to find.
 */
const SEARCH_EVERY = 16;
/** Rotations tried in all searches together: one search of the longest payload, a second or two. */
const SEARCHED_MOST = MEASURE_PAYLOAD_BYTES;

export interface MeasureOptions {
  /** Blocks that were discarded before what was captured, as the measurement reports them. */
  readonly warmup: number;
  /** Byte that fills the payload to whole blocks. */
  readonly pad?: number;
  /** Search the blocks that votes do not find: tens of milliseconds each, seconds of a long payload. */
  readonly exhaustive?: boolean;
}

export interface Measured {
  readonly measurement: Measurement;
  /** The payload repeats within itself: rotations are known up to its period only, and no slip can be detected. */
  readonly ambiguous: boolean;
  /** Blocks that no rotation was found of; an exhaustive search may find some, where none was asked for. */
  readonly unfound: readonly number[];
}

/** What the captured blocks (whole ones, behind the discarded) have in common with a payload of at least one byte. */
export function measure(payload: Uint8Array, captured: Uint8Array, options: MeasureOptions): Measured {
  assert(captured.length % BLOCK_BYTES === 0, 'M1 whole blocks');
  const reference = createReference(payload, options.pad);
  const finder = new Finder(reference, options.exhaustive === true);
  const blocks: BlockMatch[] = [];
  for (let at = 0; at < captured.length; at += BLOCK_BYTES)
    blocks.push(matchOf(blocks.length, finder.next(captured.subarray(at, at + BLOCK_BYTES))));
  const rotation_slip = !reference.ambiguous && hasSlip(blocks, reference.bytes.length);
  return {
    measurement: {
      verdict: verdictOf(blocks, rotation_slip),
      rotation_slip,
      blocks,
      overall_ratio: overallRatio(blocks),
      worst_block_ratio: blocks.reduce(
        (worst, { ratio }) => Math.min(worst, ratio),
        blocks.length > 0 ? 1 : 0,
      ),
      capture_bytes: captured.length,
      warmup: options.warmup,
    },
    ambiguous: reference.ambiguous,
    unfound: blocks.filter(({ ratio }) => ratio < CORRELATED_RATIO).map(({ index }) => index),
  };
}

/** Walks the blocks in order; remembers where the next one would begin. */
class Finder {
  readonly #reference: Reference;
  readonly #shingles: Shingles;
  readonly #exhaustive: boolean;
  /** Fitting bytes from which on the rotation expected is not doubted: half the way from chance to all of them. */
  readonly #certain: number;
  #expected: number | undefined;
  #unfound = 0;
  #searched = 0;

  constructor(reference: Reference, everywhere: boolean) {
    this.#reference = reference;
    this.#shingles = new Shingles(reference);
    this.#exhaustive = everywhere;
    this.#certain = BLOCK_BYTES * Math.max(CERTAIN_RATIO, (1 + reference.chance) / 2);
  }

  next(block: Uint8Array): Alignment {
    const found = this.#find(block);
    const isFound = found.matched >= CORRELATED_RATIO * BLOCK_BYTES;
    // Behind a block that was not found the next one is expected where that block would have ended.
    const from = isFound ? found.rotation : this.#expected;
    if (from !== undefined) this.#expected = (from + BLOCK_BYTES) % this.#reference.bytes.length;
    return found;
  }

  #find(block: Uint8Array): Alignment {
    const expected = this.#expected === undefined ? undefined : this.#placeAt(block, this.#expected);
    if (expected !== undefined && expected.matched > this.#certain) return expected;
    const places = this.#shingles.candidates(block).map((rotation) => this.#placeAt(block, rotation));
    const best = bestOf(expected === undefined ? places : [expected, ...places]) ?? this.#placeAt(block, 0);
    if (best.matched >= CORRELATED_RATIO * BLOCK_BYTES || !this.#exhaustive) return best;
    this.#unfound += 1;
    const { length } = this.#reference.bytes;
    if (this.#unfound % SEARCH_EVERY !== 1 || this.#searched + length > SEARCHED_MOST) return best;
    this.#searched += length;
    return bestOf([best, searchExhaustively(this.#reference, block)]) ?? best;
  }

  #placeAt(block: Uint8Array, rotation: number): Alignment {
    return { rotation, matched: matchedAt(this.#reference, block, rotation) };
  }
}

/**
 * Of equal ones the first: what is expected stands before what was voted for, and those begin with the most votes (M1).
 */
function bestOf(places: readonly Alignment[]): Alignment | undefined {
  return places.reduce<Alignment | undefined>(
    (best, place) => (best === undefined || place.matched > best.matched ? place : best),
    undefined,
  );
}

function matchOf(index: number, { rotation, matched }: Alignment): BlockMatch {
  return { index, matched, total: BLOCK_BYTES, rotation, ratio: matched / BLOCK_BYTES };
}

function hasSlip(blocks: readonly BlockMatch[], period: number): boolean {
  const certain = blocks.filter(({ ratio }) => ratio >= CERTAIN_RATIO);
  return certain.some((block, n) => {
    const before = certain[n - 1];
    if (before === undefined) return false;
    return block.rotation !== (before.rotation + (block.index - before.index) * BLOCK_BYTES) % period;
  });
}

function verdictOf(blocks: readonly BlockMatch[], slip: boolean): MeasureVerdict {
  if (!blocks.some(({ ratio }) => ratio >= CORRELATED_RATIO)) return 'NoCorrelation';
  return !slip && blocks.every(({ matched, total }) => matched === total) ? 'BytePerfect' : 'Degraded';
}

function overallRatio(blocks: readonly BlockMatch[]): number {
  const matched = blocks.reduce((sum, block) => sum + block.matched, 0);
  return blocks.length === 0 ? 0 : matched / (blocks.length * BLOCK_BYTES);
}
