/**
 * The current value of every measure of one target: columns by ordinal, no object per sample. Mission Control
 * Service, sections 1.3 and 2.2. Knows neither the bus nor the clock; `value-feeds.ts` fills it.
 *
 * V1. Ordinals are those of `platform`, for the life of the store; another catalogue is another store, `adopt()`ing
 *     the values of this one by their keys.
 * V2. A sample older than the known one never replaces it: older by `time`, then by `ground_time` when equal.
 * V3. A sample that is already known changes nothing, so what is replayed is not announced again.
 * V4. A value becomes JSON at most once, when first asked for, whatever the number of watchers (T4).
 * V5. Real-time samples come in the order of reception, give or take seconds. One whose on-board time is further than
 *     `CLOCK_STEP_MS` from the known one shows that the clock on board was set (or that a recording began again): then
 *     the ground time decides, or the value would stand still until the new clock has caught up.
 */

import { assert } from '../contract/assert.ts';
import type { ValueBatch, ValueBlock, WideValue } from '../contract/batch.ts';
import { CLOCK_STEP_MS } from '../contract/limits.ts';
import { meaningOf } from '../mission/measure-meaning.ts';
import type { Platform } from '../mission/platform.ts';
import { CurrentValueWriter, type SampleColumns } from './current-value-text.ts';

/** A sample as conditions take it. */
export interface CurrentSample {
  /** Enums as their number, booleans as 0 and 1, text and bytes as string; null is unknown. */
  readonly value: number | string | null;
  /** On-board time when known, else ground time, ms since 1970. */
  readonly timeMs: number;
  /** Reference of freshness. */
  readonly groundMs: number;
  readonly link: string;
  readonly deferred: boolean;
}

/** The columns of a store, by key, as a checkpoint keeps them. Row `i` of every column belongs to `keys[i]`. */
export interface ValueColumns {
  /** Digest of the platform whose measures these are. */
  readonly platform: string;
  readonly keys: readonly string[];
  /** What the numbers of each measure mean; see `measure-map.ts`. */
  readonly meanings: readonly string[];
  readonly value: Float64Array;
  readonly raw: Float64Array;
  /** Negative infinity where no sample is known. */
  readonly time: Float64Array;
  readonly ground: Float64Array;
  /** Index into `links`. */
  readonly link: Uint16Array;
  readonly deferred: Uint8Array;
  readonly links: readonly string[];
  readonly wide: readonly (readonly [row: number, value: WideValue])[];
}

/** Years 1 to 9999: what RFC 3339 can say. An on-board time outside is not a time but a broken clock. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export class CurrentValues {
  readonly platform: Platform;
  readonly #keys: readonly string[];
  readonly #meanings: readonly string[];
  readonly #writer: CurrentValueWriter;
  readonly #value: Float64Array;
  readonly #raw: Float64Array;
  readonly #time: Float64Array;
  readonly #ground: Float64Array;
  readonly #link: Uint16Array;
  readonly #deferred: Uint8Array;
  readonly #links: string[] = [];
  /** Where `raw` is NaN because a double does not serve. */
  readonly #wide = new Map<number, WideValue>();
  readonly #json: (Buffer | undefined)[];
  readonly #changed: Uint32Array;
  #changes = 0;
  #version = 0;
  /** `#mark[ordinal] === #round`: the ordinal stands in `#changed`. */
  readonly #mark: Uint32Array;
  #round = 1;

  constructor(platform: Platform) {
    const size = platform.measures.length;
    this.platform = platform;
    this.#keys = platform.measures.map((measure) => measure.key);
    this.#meanings = platform.measures.map((measure) => meaningOf(measure.definition));
    this.#writer = new CurrentValueWriter(platform);
    this.#value = new Float64Array(size);
    this.#raw = new Float64Array(size);
    this.#time = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
    this.#ground = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
    this.#link = new Uint16Array(size);
    this.#deferred = new Uint8Array(size);
    this.#json = new Array<Buffer | undefined>(size).fill(undefined);
    this.#changed = new Uint32Array(size);
    this.#mark = new Uint32Array(size);
  }

  /**
   * Takes the samples up and returns the ordinals that changed, each once; the array is only good until the next call.
   * With `step`, every change is told: `step` is called before an ordinal changes a second time, and at the end.
   */
  apply(batch: ValueBatch, step?: (changed: Uint32Array) => void): Uint32Array {
    assert(batch.platform === this.platform.digest, 'V1');
    this.#beginRound();
    const link = this.#linkIndex(batch.link);
    for (const block of batch.blocks) {
      this.#applyBlock(block, link, batch.deferred || block.deferred === true ? 1 : 0, step);
    }
    const changed = this.#changed.subarray(0, this.#changes);
    if (changed.length > 0) step?.(changed);
    return changed;
  }

  /** Rises with every change of a value: equal versions of a store, equal values. */
  get version(): number {
    return this.#version;
  }

  /** The CurrentValue as JSON; undefined when no sample is known. */
  json(ordinal: number): Buffer | undefined {
    if (!this.#has(ordinal)) return undefined;
    this.#json[ordinal] ??= this.#writer.write(ordinal, this.#columns(ordinal));
    return this.#json[ordinal];
  }

  /** The current sample; undefined when none is known. */
  sample(ordinal: number): CurrentSample | undefined {
    if (!this.#has(ordinal)) return undefined;
    const { timeMs, groundMs, link, deferred } = this.#columns(ordinal);
    return { value: this.#plain(ordinal), timeMs, groundMs, link, deferred };
  }

  /** The ordinals with a sample, in key order. */
  *ordinals(): IterableIterator<number> {
    for (let ordinal = 0; ordinal < this.#time.length; ordinal += 1) if (this.#has(ordinal)) yield ordinal;
  }

  /** The columns as they stand; they go on changing, so copy or write them out before the next `apply`. */
  snapshot(): ValueColumns {
    return {
      platform: this.platform.digest,
      keys: this.#keys,
      meanings: this.#meanings,
      value: this.#value,
      raw: this.#raw,
      time: this.#time,
      ground: this.#ground,
      link: this.#link,
      deferred: this.#deferred,
      links: this.#links,
      wide: [...this.#wide],
    };
  }

  /** Takes up what a snapshot knows and this store does not, by key; returns the changed ordinals as `apply` does. */
  restore(columns: ValueColumns): Uint32Array {
    this.#beginRound();
    const links = columns.links.map((link) => this.#linkIndex(link));
    const wide = new Map(columns.wide);
    for (let row = 0; row < columns.time.length; row += 1) {
      const ordinal = this.#rowOrdinal(columns, row);
      if (ordinal === undefined || columns.time[row] === Number.NEGATIVE_INFINITY) continue;
      const { value, raw, time, ground, link, deferred } = columns;
      const linkIndex = links[link[row]!] ?? 0;
      this.#take(
        ordinal,
        value[row]!,
        raw[row]!,
        wide.get(row),
        time[row]!,
        ground[row]!,
        linkIndex,
        deferred[row]!,
      );
    }
    return this.#changed.subarray(0, this.#changes);
  }

  /** Takes up the values of a store of another catalogue of the same target. */
  adopt(earlier: CurrentValues): void {
    this.restore(earlier.snapshot());
  }

  #applyBlock(
    block: ValueBlock,
    link: number,
    deferred: number,
    step: ((changed: Uint32Array) => void) | undefined,
  ): void {
    const { ordinals, value, raw } = block;
    const wide = block.wide === undefined ? undefined : new Map(block.wide);
    let index = 0;
    for (let row = 0; row < block.ground.length; row += 1) {
      const ground = block.ground[row]!;
      const onboard = block.onboard[row]!;
      const time = isInstant(onboard) ? onboard : ground;
      for (let column = 0; column < ordinals.length; column += 1, index += 1) {
        const ordinal = ordinals[column]!;
        if (step !== undefined && this.#mark[ordinal] === this.#round) this.#endStep(step);
        if (!isInstant(ground)) continue;
        this.#take(ordinal, value[index]!, raw[index]!, wide?.get(index), time, ground, link, deferred);
      }
    }
  }

  /** V2, V3. */
  #take(
    ordinal: number,
    value: number,
    raw: number,
    wide: WideValue | undefined,
    time: number,
    ground: number,
    link: number,
    deferred: number,
  ): void {
    if (this.#isOlder(ordinal, time, ground, deferred)) return;
    if (time === this.#time[ordinal] && ground === this.#ground[ordinal]) {
      if (this.#holds(ordinal, value, raw, wide, link, deferred)) return;
    }
    if (Number.isNaN(this.#raw[ordinal])) this.#wide.delete(ordinal);
    if (wide !== undefined) this.#wide.set(ordinal, wide);
    this.#value[ordinal] = value;
    this.#raw[ordinal] = wide === undefined ? raw : Number.NaN;
    this.#time[ordinal] = time;
    this.#ground[ordinal] = ground;
    this.#link[ordinal] = link;
    this.#deferred[ordinal] = deferred;
    this.#json[ordinal] = undefined;
    this.#version += 1;
    if (this.#mark[ordinal] === this.#round) return;
    this.#mark[ordinal] = this.#round;
    this.#changed[this.#changes++] = ordinal;
  }

  /** V2, V5 */
  #isOlder(ordinal: number, time: number, ground: number, deferred: number): boolean {
    const ahead = time - this.#time[ordinal]!;
    const later = ground - this.#ground[ordinal]!;
    const sameStream = deferred === 0 && this.#deferred[ordinal] === 0;
    if (sameStream && Number.isFinite(ahead) && Math.abs(ahead) > CLOCK_STEP_MS) return later < 0;
    return ahead < 0 || (ahead === 0 && later < 0);
  }

  #holds(
    ordinal: number,
    value: number,
    raw: number,
    wide: WideValue | undefined,
    link: number,
    deferred: number,
  ): boolean {
    return (
      Object.is(value, this.#value[ordinal]) &&
      Object.is(wide === undefined ? raw : Number.NaN, this.#raw[ordinal]) &&
      wide === this.#wide.get(ordinal) &&
      link === this.#link[ordinal] &&
      deferred === this.#deferred[ordinal]
    );
  }

  #endStep(step: (changed: Uint32Array) => void): void {
    step(this.#changed.subarray(0, this.#changes));
    this.#beginRound();
  }

  #beginRound(): void {
    this.#changes = 0;
    this.#round = this.#round === 0xffff_ffff ? 1 : this.#round + 1;
    if (this.#round === 1) this.#mark.fill(0);
  }

  #has(ordinal: number): boolean {
    return this.#time[ordinal] !== undefined && this.#time[ordinal] !== Number.NEGATIVE_INFINITY;
  }

  #columns(ordinal: number): SampleColumns {
    return {
      value: this.#value[ordinal]!,
      raw: this.#raw[ordinal]!,
      wide: this.#wide.get(ordinal),
      timeMs: this.#time[ordinal]!,
      groundMs: this.#ground[ordinal]!,
      link: this.#links[this.#link[ordinal]!]!,
      deferred: this.#deferred[ordinal] === 1,
    };
  }

  #plain(ordinal: number): number | string | null {
    const { enumeration, calibrate } = this.platform.measures[ordinal]!.definition;
    const value = this.#value[ordinal]!;
    const wide = this.#wide.get(ordinal);
    if (wide !== undefined && calibrate === undefined) return typeof wide === 'bigint' ? Number(wide) : wide;
    const unnamed = enumeration !== undefined && enumeration.nameOf(value) === undefined;
    return unnamed || !Number.isFinite(value) ? null : value;
  }

  #rowOrdinal(columns: ValueColumns, row: number): number | undefined {
    if (columns.platform === this.platform.digest) return row;
    const ordinal = this.platform.ordinal(columns.keys[row]!);
    const measure = ordinal === undefined ? undefined : this.platform.measures[ordinal];
    return measure && meaningOf(measure.definition) === columns.meanings[row] ? ordinal : undefined;
  }

  #linkIndex(link: string): number {
    const known = this.#links.indexOf(link);
    return known >= 0 ? known : this.#links.push(link) - 1;
  }
}

/** Whether a moment can be told of: `FIRST_MS` to `LAST_MS`. */
export function isInstant(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS;
}
