/**
 * Which sample of a measure is the current one: the one order that every consumer of telemetry goes by. Mission Control
 * Service, section 4.1 rule 10; decisions 6 and 23. Columns by ordinal, no object per sample.
 *
 * V2. A sample older than the known one never replaces it: older by `time`, then by `ground_time` when equal.
 * V5. Real-time samples come in the order of reception, give or take seconds. One whose on-board time is further than
 *     `CLOCK_STEP_MS` from the known one shows that the clock on board was set (or that a recording began again): then
 *     the ground time decides, or the value would stand still until the new clock has caught up. So it does behind a
 *     deferred sample that was stored before the clock was set back. Ahead of a deferred one it shows nothing of the
 *     kind: what was dumped is as old as it says, and may have come down a moment before what is live was decoded.
 * V6. Samples count in the order of reception: the rows of a message in that of their ground times, whatever block they
 *     stand in.
 * V7. The judgement depends on the samples before it alone, so a new owner that goes on from a checkpoint judges alike.
 */

import type { ValueBatch, ValueBlock } from '../contract/batch.ts';
import { isInstant } from '../contract/instant.ts';
import { CLOCK_STEP_MS } from '../contract/limits/membership.ts';
import { meansTheSame } from '../mission/measure-meaning.ts';
import type { Platform } from '../mission/platform.ts';
import { timeOf } from './reading/instant.ts';
import { rowOrder } from './reading/row-order.ts';
import { SharedMeasures } from './reading/shared-measures.ts';

export class SampleOrder {
  readonly platform: Platform;
  /** Negative infinity where no sample is known. */
  readonly time: Float64Array;
  readonly ground: Float64Array;
  readonly deferred: Uint8Array;
  readonly #shared: SharedMeasures;

  /** With `earlier` it goes on from what that one knows, under this catalogue. */
  constructor(platform: Platform, earlier?: SampleOrder) {
    const size = platform.measures.length;
    this.platform = platform;
    this.time = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
    this.ground = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
    this.deferred = new Uint8Array(size);
    this.#shared = new SharedMeasures(size);
    if (earlier !== undefined) this.#adopt(earlier);
  }

  /** Whether a sample is older than the known one (V2, V5). */
  isOlder(ordinal: number, time: number, ground: number, deferred: number): boolean {
    const ahead = time - this.time[ordinal]!;
    const later = ground - this.ground[ordinal]!;
    return isOlderBy(ahead, later, deferred, this.deferred[ordinal]!);
  }

  /** Notes the current sample. */
  note(ordinal: number, time: number, ground: number, deferred: number): void {
    this.time[ordinal] = time;
    this.ground[ordinal] = ground;
    this.deferred[ordinal] = deferred;
  }

  /** Takes the samples of blocks up, and marks those in real time that are older than what is known. */
  mark(blocks: readonly ValueBlock[], deferred: boolean): readonly ValueBlock[] {
    if (this.isShared(blocks)) return this.#markRows(blocks, deferred);
    return blocks.map((block) => this.#markBlock(block, deferred || block.deferred === true));
  }

  /** Whether the rows of the blocks have to be taken in the order of their ground times (V6). */
  isShared(blocks: readonly ValueBlock[]): boolean {
    return this.#shared.in(blocks);
  }

  /** A block whose rows rise costs one comparison a column. */
  #markBlock(block: ValueBlock, isDeferred: boolean): ValueBlock {
    if (isDeferred || !isRising(block)) return this.#markRows([block], isDeferred)[0]!;
    const { ordinals, ground, onboard } = block;
    const last = ground.length - 1;
    const [firstTime, firstGround] = [timeOf(onboard[0]!, ground[0]!), ground[0]!];
    for (let column = 0; column < ordinals.length; column += 1)
      if (this.isOlder(ordinals[column]!, firstTime, firstGround, 0))
        return this.#markRows([block], false)[0]!;
    const lastTime = timeOf(onboard[last]!, ground[last]!);
    for (let column = 0; column < ordinals.length; column += 1)
      this.note(ordinals[column]!, lastTime, ground[last]!, 0);
    return block;
  }

  #markRows(blocks: readonly ValueBlock[], deferred: boolean): readonly ValueBlock[] {
    const superseded = blocks.map((): number[] => []);
    const order = rowOrder(blocks, false);
    for (let nth = 0; nth < order.row.length; nth += 1) {
      const block = order.block[nth]!;
      this.#markRow(blocks[block]!, order.row[nth]!, deferred, superseded[block]!);
    }
    return blocks.map((block, n) => marked(block, superseded[n]!));
  }

  #markRow(block: ValueBlock, row: number, deferred: boolean, superseded: number[]): void {
    const { ordinals, ground, onboard } = block;
    const isDeferred = deferred || block.deferred === true ? 1 : 0;
    const time = timeOf(onboard[row]!, ground[row]!);
    for (let column = 0; column < ordinals.length; column += 1) {
      const ordinal = ordinals[column]!;
      if (!this.isOlder(ordinal, time, ground[row]!, isDeferred))
        this.note(ordinal, time, ground[row]!, isDeferred);
      else if (isDeferred === 0) superseded.push(row * ordinals.length + column);
    }
  }

  #adopt(earlier: SampleOrder): void {
    for (const measure of this.platform.measures) {
      const from = earlier.platform.ordinal(measure.key);
      if (from === undefined || !meansTheSame(earlier.platform.measures[from], measure)) continue;
      this.note(measure.ordinal, earlier.time[from]!, earlier.ground[from]!, earlier.deferred[from]!);
    }
  }
}

/**
 * Whether a sample that is so much ahead of the known one by `time`, and received so much later, is older than it (V2,
 * V5).
 */
export function isOlderBy(ahead: number, later: number, deferred: number, knownDeferred: number): boolean {
  if (Number.isFinite(ahead) && Math.abs(ahead) > CLOCK_STEP_MS) {
    const wasSet = deferred === 0 ? knownDeferred === 0 || ahead < 0 : knownDeferred === 0 && ahead > 0;
    if (wasSet) return later < 0;
  }
  return ahead < 0 || (ahead === 0 && later < 0);
}

/** The batch with its samples marked. */
export function markBatch(order: SampleOrder, batch: ValueBatch): ValueBatch {
  return { ...batch, blocks: order.mark(batch.blocks, batch.deferred) };
}

/** The batch with those of its samples marked too that are older than samples of batches stored before it. */
export function markedBehind(
  platform: Platform,
  batch: ValueBatch,
  before: readonly ValueBatch[],
): ValueBatch {
  const order = new SampleOrder(platform);
  for (const { blocks, deferred, platform: digest } of before)
    if (digest === batch.platform) order.mark(blocks, deferred);
  const blocks = order.mark(batch.blocks, batch.deferred);
  const both = blocks.map((block, n) => {
    const own = batch.blocks[n]!.superseded ?? [];
    return marked(block, [...new Set([...own, ...(block.superseded ?? [])])]);
  });
  return { ...batch, blocks: both };
}

function marked(block: ValueBlock, superseded: number[]): ValueBlock {
  if (superseded.length === 0) return block;
  return { ...block, superseded: Uint32Array.from(superseded).sort() };
}

/** Whether every row is a sample, and none of them older than the one before. */
function isRising({ ground, onboard }: ValueBlock): boolean {
  let time = Number.NEGATIVE_INFINITY;
  let before = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < ground.length; row += 1) {
    const at = ground[row]!;
    const own = timeOf(onboard[row]!, at);
    if (!isInstant(at) || at < before || own < time) return false;
    before = at;
    time = own;
  }
  return ground.length > 0;
}
