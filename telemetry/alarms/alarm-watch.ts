/**
 * The evaluation of the alarms of one target: samples in, changes of what alarms say out. Limits are columns,
 * conditions are closures; no sample enters an actor (T2). Mission Control Service, sections 2.4, 3.3 and 4.4. It keeps
 * no record and knows no state of an alarm: who is informed does.
 *
 * W1. A batch of another catalogue is mapped by keys; one of a catalogue that is not known, or that does not fit its
 *     own, is left out. A new catalogue is a new watch, that goes on from this one, and from one that has read what is
 *     stored where this one did not evaluate it.
 * W2. Samples count in the order of reception: messages in that of the stream, the rows of a message in that of their
 *     ground times, whatever block they stand in. What did not become the current value is skipped: it turns no alarm
 *     and is in no window.
 * W3. Samples of one moment are one change: what lies between two of them never was. So are the samples of a message
 *     whose ground times are behind what their conditions were judged at: another station with another clock received
 *     them.
 * W4. Deferred samples, and what is derived from one, change nothing (MC-ALM-029); unknown ones change no alarm
 *     (MC-ALM-028).
 * W5. Edges of one message are reported in the order of their moments, once the whole message has been taken in.
 * W6. What was known before a watch began stands where it has no sample itself: a measure that comes seldom is known at
 *     once.
 */

import type { ValueBatch, ValueBlock } from '../../contract/batch.ts';
import { ALARM_BASELINE_MS } from '../../contract/limits/alarm.ts';
import type { Platform } from '../../mission/platform.ts';
import type { AlarmEdge, AlarmWatch, KnownSample } from '../../ports/alarm-watch.ts';
import { fitsPlatform } from '../reading/batch-shape.ts';
import { BlockSamples } from '../reading/block-samples.ts';
import { mapBatch } from '../reading/measure-map.ts';
import { LimitColumns } from './limit-columns.ts';
import { isRising, type MomentVisitor, type Strand, visitMoments } from './moments.ts';
import { NamedAlarms } from './named-alarms.ts';

/** 64 rows of 30 measures are 15 kB, half of the smallest first-level cache about. */
const ROWS_AT_ONCE = 64;
/** In place of the round in which a measure was seen: before the first. */
const BEFORE = 0xffff_ffff;

export interface AlarmWatchOptions {
  readonly platform: Platform;
  /** Is notified of every edge, in order. */
  readonly tell: (edge: AlarmEdge) => void;
  /** The catalogue with this digest, where one is known: the values of earlier ones stay in the stream. */
  readonly platformOf?: (digest: string) => Platform | undefined;
  /** The watch of the same target under the catalogue before; it must not be used any more. */
  readonly earlier?: AlarmWatch | undefined;
  /** A watch of this catalogue that has read what is stored; it must not be used any more. */
  readonly filled?: AlarmWatch | undefined;
}

/** The watch over the alarms of a platform; it does nothing by itself. */
export function createAlarmWatch(options: AlarmWatchOptions): AlarmWatch {
  return new Watch(options);
}

class Watch implements AlarmWatch {
  readonly spanMs: number;
  readonly whole: boolean;
  readonly #platform: Platform;
  readonly #tell: (edge: AlarmEdge) => void;
  readonly #platformOf: (digest: string) => Platform | undefined;
  readonly #limits: LimitColumns;
  readonly #named: NamedAlarms;
  /**
   * The round in which a message had it last, 0 if none; `#round`: a column of this one has it; `#shared`: more than
   * one.
   */
  readonly #seen: Uint32Array;
  readonly #shared: Uint32Array;
  #round = 0;
  /** Not yet reported. */
  #edges: AlarmEdge[] = [];

  constructor({ platform, tell, platformOf = () => undefined, ...from }: AlarmWatchOptions) {
    const before = from.earlier instanceof Watch ? from.earlier : undefined;
    const filled = from.filled instanceof Watch ? from.filled : undefined;
    this.#platform = platform;
    this.#tell = tell;
    this.#platformOf = platformOf;
    this.#limits = new LimitColumns(platform);
    this.#named = new NamedAlarms(
      platform,
      before === undefined ? undefined : before.#named,
      filled === undefined ? undefined : filled.#named,
    );
    // Where both know a sample, that of the watch that has been in use counts.
    if (filled !== undefined) this.#limits.adopt(filled.#limits);
    this.whole = before !== undefined && this.#limits.adopt(before.#limits) && this.#named.whole;
    this.#seen = new Uint32Array(platform.measures.length);
    for (const watch of [before, filled]) if (watch !== undefined) this.#seeAll(watch);
    this.#shared = new Uint32Array(platform.measures.length);
    this.spanMs = platform.alarms.length === 0 ? 0 : this.#named.spanMs + ALARM_BASELINE_MS;
  }

  apply(batch: ValueBatch, position: number): void {
    const blocks = batch.deferred ? undefined : this.#ownBlocks(batch);
    if (blocks === undefined) return;
    this.#markShared(blocks);
    const strands: Strand[] = [];
    for (const block of blocks) {
      const rest = this.#checkBlock(block, position);
      if (rest !== undefined) strands.push(rest);
    }
    if (strands.length > 0) visitMoments(strands, this.#visitor(position));
    this.#named.end(this.#edges);
    this.#flush();
  }

  /** W6 */
  prime(known: readonly KnownSample[]): void {
    const fresh = known.filter(({ ordinal }) => this.#seen[ordinal] === 0).sort((a, b) => a.at - b.at);
    const silent: AlarmEdge[] = [];
    for (const [index, sample] of fresh.entries()) {
      this.#seen[sample.ordinal] = BEFORE;
      this.#limits.recall(sample);
      this.#named.recall(sample);
      if (fresh[index + 1]?.at !== sample.at) this.#named.settle(sample.at, 0, silent);
    }
    this.#named.end(silent);
  }

  pass(now: number): void {
    this.#named.pass(now, this.#edges);
    this.#flush();
  }

  deadline(): number | undefined {
    const { due } = this.#named;
    return due === Number.POSITIVE_INFINITY ? undefined : due;
  }

  *standing(): Iterable<AlarmEdge> {
    yield* this.#limits.standing();
    yield* this.#named.standing();
  }

  /** W1, W4 */
  #ownBlocks(batch: ValueBatch): readonly ValueBlock[] | undefined {
    const own = batch.platform === this.#platform.digest;
    const from = own ? this.#platform : this.#platformOf(batch.platform);
    if (from === undefined || !fitsPlatform(batch.blocks, from.measures.length)) return undefined;
    return mapBatch(batch, from, this.#platform).blocks.filter(({ deferred }) => deferred !== true);
  }

  /** Checks the limits that need no order with other columns; gives what does. */
  #checkBlock(block: ValueBlock, position: number): Strand | undefined {
    const { ordinals, ground } = block;
    const swift: number[] = [];
    const limits: number[] = [];
    const reads: number[] = [];
    const samples = new BlockSamples(block);
    const inOrder = isRising(ground) && samples.allCurrent;
    for (let column = 0; column < ordinals.length; column += 1) {
      const ordinal = ordinals[column]!;
      if (this.#named.reads(ordinal)) reads.push(column);
      if (!this.#limits.has(ordinal)) continue;
      (inOrder && this.#shared[ordinal] !== this.#round ? swift : limits).push(column);
    }
    this.#checkColumns(samples, swift, position);
    return limits.length + reads.length === 0 ? undefined : { samples, limits, reads };
  }

  /** Column by column, a few rows at a time: a message of many rows is larger than the fastest cache. */
  #checkColumns(samples: BlockSamples, columns: readonly number[], position: number): void {
    const rows = samples.block.ground.length;
    for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
      const part = [from, Math.min(rows, from + ROWS_AT_ONCE)] as const;
      for (const column of columns) this.#limits.check(samples, column, part, position, this.#edges);
    }
  }

  #visitor(position: number): MomentVisitor {
    return {
      row: (strand, row, at) => this.#takeRow(strand, row, at),
      end: (at) => {
        this.#limits.settle(at, position, this.#edges);
        this.#named.settle(at, position, this.#edges);
      },
    };
  }

  #takeRow({ samples, limits, reads }: Strand, row: number, at: number): void {
    const { ordinals } = samples.block;
    const from = row * ordinals.length;
    for (const column of limits)
      if (samples.isCurrent(from + column)) this.#limits.take(ordinals[column]!, samples, from + column);
    for (const column of reads) {
      if (!samples.isCurrent(from + column)) continue;
      const ordinal = ordinals[column]!;
      const sample = samples.plain(this.#platform.measures[ordinal]!.definition, from + column);
      this.#named.feed(ordinal, sample, at, this.#edges);
    }
  }

  /** Takes over which measures a watch of this or another catalogue has had samples of. */
  #seeAll(other: Watch): void {
    for (const { key, ordinal } of this.#platform.measures) {
      const from = other.#platform.ordinal(key);
      if (from !== undefined && other.#seen[from] !== 0) this.#seen[ordinal] = BEFORE;
    }
  }

  #markShared(blocks: readonly ValueBlock[]): void {
    this.#round = this.#round === 0xffff_ffff ? 1 : this.#round + 1;
    if (this.#round === 1) this.#shared.fill(0);
    for (const { ordinals } of blocks) {
      for (let column = 0; column < ordinals.length; column += 1) {
        const ordinal = ordinals[column]!;
        if (this.#seen[ordinal] === this.#round) this.#shared[ordinal] = this.#round;
        this.#seen[ordinal] = this.#round;
      }
    }
  }

  /** W5 */
  #flush(): void {
    if (this.#edges.length === 0) return;
    const edges = this.#edges.sort((one, other) => one.evaluated.at - other.evaluated.at);
    this.#edges = [];
    for (const edge of edges) this.#tell(edge);
  }
}
