/**
 * The derived measures of one target: value batches go in, the same batches with the samples derived from them come
 * out, and what time alone changed. Mission Control Service, sections 1.3, 2.2 and 4.4. It knows neither the bus nor
 * the clock; the telemetry owner publishes.
 *
 * M1. Samples of one moment are taken together, moments in their order, and what falls due between two of them is
 *     computed in between: the same batches give the same samples, whoever computes them (condition/condition.N2).
 * M2. Deferred samples feed pure measures only, beside those in real time: what comes down of the past moves no
 *     present.
 * M3. A batch costs nothing per sample that no derived measure reads.
 * M4. A change of the catalogue keeps every evaluation whose expression and inputs stay the same; the others go on from
 *     one that has learned what is stored, or begin with the last samples of theirs. What was deferred begins again.
 * M5. A sample that did not become the current value is skipped (`telemetry/sample-order.ts`).
 */

import { assert } from '../../contract/assert.ts';
import type { ValueBatch, ValueBlock } from '../../contract/batch.ts';
import type { Platform } from '../../mission/platform.ts';
import type { CurrentValues } from '../current-values.ts';
import { BlockSamples } from '../reading/block-samples.ts';
import { rowOrder } from '../reading/row-order.ts';
import { DeliveryTrack, type Output } from './delivery-track.ts';
import { DerivedBlocks } from './derived-blocks.ts';

/** What time alone changed. */
export interface Turned {
  readonly at: number;
  readonly batch: ValueBatch;
}

export class Compute {
  readonly platform: Platform;
  /** How far back samples matter, ms. */
  readonly spanMs: number;
  /** Whether every window and hold goes on from an earlier computation. */
  readonly whole: boolean;
  readonly #realtime: DeliveryTrack;
  /** Of what is pure; there once something deferred came. */
  #deferred: DeliveryTrack | undefined;
  /** What the last frame came through: the link of what changes without one. */
  #link = '';
  readonly #out: Output = { realtime: new DerivedBlocks(), deferred: new DerivedBlocks() };

  constructor(platform: Platform, earlier?: Compute, filled?: Compute) {
    this.platform = platform;
    this.spanMs = Math.max(0, ...platform.derived.map(({ spanMs }) => spanMs));
    this.#realtime = new DeliveryTrack({
      platform,
      derived: platform.derived,
      isRealtime: true,
      earlier: earlier === undefined ? undefined : earlier.#realtime,
      filled: filled === undefined ? undefined : filled.#realtime,
    });
    this.whole = this.#realtime.whole;
    if (earlier !== undefined) this.#link = earlier.#link;
  }

  /** The batch with what is derived from it. */
  apply(batch: ValueBatch): ValueBatch {
    assert(batch.platform === this.platform.digest, 'B2');
    if (batch.deferred) return this.#applyDeferred(batch);
    this.#link = batch.link;
    this.#eachMoment(batch, this.#realtime, {
      before: (time) => {
        while (this.#realtime.turn(time, this.#out) !== undefined);
      },
      after: (time) => this.#realtime.settle(time, this.#out),
    });
    return this.#withOutput(batch);
  }

  /** The first thing up to `limitMs` that time alone changes; asked again, the next. */
  turn(limitMs: number): Turned | undefined {
    const at = this.#realtime.turn(limitMs, this.#out);
    if (at === undefined) return undefined;
    const empty = { platform: this.platform.digest, link: this.#link, deferred: false, reports: [] };
    return { at, batch: this.#withOutput({ ...empty, blocks: [] }) };
  }

  /** The next moment at which time alone may change something. */
  deadline(): number | undefined {
    return this.#realtime.deadline();
  }

  /**
   * Takes a batch that was published: its samples and what was derived from them, and computes nothing. `turnedMs` is
   * the moment of a batch that no sample caused, negative infinity for the others.
   */
  learn(batch: ValueBatch, turnedMs: number): void {
    assert(batch.platform === this.platform.digest, 'B2');
    const track = batch.deferred ? this.#deferredTrack() : this.#realtime;
    if (!batch.deferred) this.#link = batch.link;
    this.#eachMoment(batch, track, { before: () => undefined, after: () => track.pass(turnedMs) });
  }

  /** Takes the current samples known before `beforeMs` (ground time) that nothing newer was learned of. */
  restore(values: CurrentValues, beforeMs = Number.POSITIVE_INFINITY): void {
    const known = [...this.platform.measures.keys()].flatMap((ordinal) => {
      const sample = values.sample(ordinal);
      return sample !== undefined && sample.groundMs < beforeMs ? [{ ordinal, ...sample }] : [];
    });
    for (const { ordinal, value, groundMs, timeMs, deferred, link } of known.sort(byGround)) {
      if (!deferred) this.#link = link;
      // A time that is that of the ground says nothing of its own.
      const onboardMs = timeMs === groundMs ? Number.NaN : timeMs;
      this.#realtime.restore(ordinal, value, groundMs, onboardMs, deferred);
    }
  }

  /** Goes on from what was learned and restored. */
  resume(): void {
    this.#realtime.resume();
  }

  /** M2 */
  #applyDeferred(batch: ValueBatch): ValueBatch {
    const track = this.#deferredTrack();
    track.borrow(this.#realtime);
    this.#eachMoment(batch, track, {
      before: () => undefined,
      after: (time) => track.settle(time, this.#out),
    });
    this.#realtime.borrow(track);
    const { blocks, ...rest } = batch;
    const derived = [...this.#out.realtime.take(), ...this.#out.deferred.take()];
    return derived.length === 0 ? batch : { ...rest, blocks: [...blocks, ...derived] };
  }

  #deferredTrack(): DeliveryTrack {
    const pure = this.platform.derived.filter(({ temporal }) => !temporal);
    this.#deferred ??= new DeliveryTrack({ platform: this.platform, derived: pure, isRealtime: false });
    return this.#deferred;
  }

  #withOutput(batch: ValueBatch): ValueBatch {
    const { realtime, deferred } = this.#out;
    if (realtime.empty && deferred.empty) return batch;
    const late = deferred.take().map((block) => ({ ...block, deferred: true }));
    return { ...batch, blocks: [...batch.blocks, ...realtime.take(), ...late] };
  }

  /** M1, M3 */
  #eachMoment(
    batch: ValueBatch,
    track: DeliveryTrack,
    moment: { before: (time: number) => void; after: (time: number) => void },
  ): void {
    const read = batch.blocks.flatMap((block) => this.#readBlock(block, track) ?? []);
    if (read.length === 0) return;
    const { block, row, time } = rowOrder(
      read.map(({ samples }) => samples.block),
      batch.deferred,
    );
    for (let at = 0; at < time.length; ) {
      const now = time[at]!;
      moment.before(now);
      for (; at < time.length && time[at] === now; at += 1) this.#feed(read[block[at]!]!, row[at]!, track);
      moment.after(now);
    }
  }

  /** The columns of the block that something reads or that were derived; undefined when there are none. */
  #readBlock(block: ValueBlock, track: DeliveryTrack): ReadBlock | undefined {
    const columns: number[] = [];
    for (let column = 0; column < block.ordinals.length; column += 1) {
      if (track.wants(block.ordinals[column]!)) columns.push(column);
    }
    if (columns.length === 0) return undefined;
    return { samples: new BlockSamples(block), columns };
  }

  #feed({ samples, columns }: ReadBlock, row: number, track: DeliveryTrack): void {
    const { ordinals, ground, onboard, deferred = false } = samples.block;
    const first = row * ordinals.length;
    for (const column of columns) {
      const ordinal = ordinals[column]!;
      // What was computed here counts for what is computed from it, as it did when it was.
      if (!samples.isCurrent(first + column) && !track.computes(ordinal)) continue;
      const sample = samples.plain(this.platform.measures[ordinal]!.definition, first + column);
      track.published(ordinal, sample, ground[row]!, onboard[row]!, deferred);
      track.feed(ordinal, sample, ground[row]!, onboard[row]!, deferred);
    }
  }
}

interface ReadBlock {
  readonly samples: BlockSamples;
  readonly columns: readonly number[];
}

function byGround(one: { readonly groundMs: number }, other: { readonly groundMs: number }): number {
  return one.groundMs - other.groundMs;
}
