/**
 * The rows of the blocks of a batch in the order of their time, so that whoever reads them sees them moment by moment.
 * Mission Control Service, section 4.4 (evaluation).
 *
 * R1. In real time rows go by ground time. What was stored on board comes down at one time and goes by the time on
 *     board.
 * R2. Rows of one time keep the order of the batch and are one moment.
 */

import type { ValueBlock } from '../../contract/batch.ts';
import { isInstant } from '../../contract/instant.ts';

interface RowOrder {
  /** Index of the block of each row. */
  readonly block: Uint32Array;
  /** Index of each row in its block. */
  readonly row: Uint32Array;
  /** What each row goes by, ms since 1970, never falling. */
  readonly time: Float64Array;
}

/** The ground time of the first sample; negative infinity when there is none. */
export function earliestGround(blocks: readonly ValueBlock[]): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { ground } of blocks) for (const at of ground) if (isInstant(at) && at < first) first = at;
  return first === Number.POSITIVE_INFINITY ? Number.NEGATIVE_INFINITY : first;
}

/** The rows of the blocks in order; rows without a ground time are no samples and left out. */
export function rowOrder(blocks: readonly ValueBlock[], deferred: boolean): RowOrder {
  const count = blocks.reduce((sum, block) => sum + block.ground.length, 0);
  const order = { block: new Uint32Array(count), row: new Uint32Array(count), time: new Float64Array(count) };
  let rows = 0;
  let sorted = true;
  blocks.forEach((block, index) => {
    for (let row = 0; row < block.ground.length; row += 1) {
      const time = timeOf(block, row, deferred);
      if (!isInstant(block.ground[row]!)) continue;
      sorted &&= rows === 0 || order.time[rows - 1]! <= time;
      order.block[rows] = index;
      order.row[rows] = row;
      order.time[rows] = time;
      rows += 1;
    }
  });
  const cut = {
    block: order.block.subarray(0, rows),
    row: order.row.subarray(0, rows),
    time: order.time.subarray(0, rows),
  };
  return sorted ? cut : sortedByTime(cut);
}

function timeOf(block: ValueBlock, row: number, deferred: boolean): number {
  const onboard = block.onboard[row]!;
  return deferred && isInstant(onboard) ? onboard : block.ground[row]!;
}

/** R2: of equal times the earlier in the batch stays the earlier. */
function sortedByTime({ block, row, time }: RowOrder): RowOrder {
  const places = Uint32Array.from(time.keys()).sort((a, b) => time[a]! - time[b]! || a - b);
  const pick = <Column extends Uint32Array | Float64Array>(from: Column, to: Column): Column => {
    places.forEach((place, index) => {
      to[index] = from[place]!;
    });
    return to;
  };
  return {
    block: pick(block, new Uint32Array(block.length)),
    row: pick(row, new Uint32Array(row.length)),
    time: pick(time, new Float64Array(time.length)),
  };
}
