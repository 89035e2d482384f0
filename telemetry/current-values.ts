/**
 * The current value of every measure of one target: columns by ordinal, no object per sample. Mission Control
 * Service, sections 1.3 and 2.2. Knows neither the bus nor the clock; `value-feeds.ts` fills it.
 *
 * V1. Ordinals are those of `platform`, for the life of the store; another catalogue is another store, `adopt()`ing
 *     the values of this one by their keys.
 * V2. A sample older than the known one never replaces it (`sample-order.ts`), and neither does one that the owner of
 *     the target has marked as older: what is shown here is what every other consumer goes by.
 * V3. A sample that is already known changes nothing, so what is replayed is not announced again.
 * V4. A value becomes JSON at most once, when first asked for, whatever the number of watchers (T4).
 */

import { assert } from '../contract/assert.ts';
import type { ValueBatch, WideValue } from '../contract/batch.ts';
import { meaningOf, sameMeasure } from '../mission/measure-meaning.ts';
import type { Measure, Platform } from '../mission/platform.ts';
import { ChangedOrdinals, type Step } from './changed-ordinals.ts';
import type { CurrentSample } from './current-sample.ts';
import { CurrentValueWriter, type SampleColumns } from './current-value-text.ts';
import { FileValues } from './files/file-values.ts';
import type { FilesPart } from './files/known-files.ts';
import { BlockSamples } from './reading/block-samples.ts';
import { timeOf } from './reading/instant.ts';
import { rowOrder } from './reading/row-order.ts';
import { type PlainValue, plainSample } from './reading/unknown-value.ts';
import { SampleOrder } from './sample-order.ts';

/** The columns of a store, by key, as a checkpoint keeps them. Row `i` of every column belongs to `keys[i]`. */
export interface ValueColumns {
  /** Digest of the platform whose measures these are. */
  readonly platform: string;
  readonly keys: readonly string[];
  /** What the numbers of each measure mean; see `telemetry/reading/measure-map.ts`. */
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

export class CurrentValues {
  readonly platform: Platform;
  /** Of the on-board directory, behind the ordinals of the platform; undefined where it has none. */
  readonly files: FileValues | undefined;
  readonly #keys: readonly string[];
  readonly #meanings: readonly string[];
  readonly #writer: CurrentValueWriter;
  readonly #value: Float64Array;
  readonly #raw: Float64Array;
  /** Times and delivery of the samples. */
  readonly #order: SampleOrder;
  readonly #link: Uint16Array;
  readonly #links: string[] = [];
  /** Where `raw` is NaN because a double does not serve. */
  readonly #wide = new Map<number, WideValue>();
  readonly #json: (Buffer | undefined)[];
  readonly #changes: ChangedOrdinals;
  #version = 0;

  constructor(platform: Platform) {
    const size = platform.measures.length;
    this.platform = platform;
    this.#keys = platform.measures.map((measure) => measure.key);
    this.#meanings = platform.measures.map((measure) => meaningOf(measure.definition));
    this.#writer = new CurrentValueWriter(platform);
    this.#value = new Float64Array(size);
    this.#raw = new Float64Array(size);
    this.#order = new SampleOrder(platform);
    this.#link = new Uint16Array(size);
    this.#json = new Array<Buffer | undefined>(size).fill(undefined);
    this.#changes = new ChangedOrdinals(size);
    const component = platform.files?.component;
    const parts = { platform, changes: this.#changes, writer: this.#writer };
    this.files = component === undefined ? undefined : new FileValues({ ...parts, component });
  }

  /**
   * Takes the samples up and returns the ordinals that changed, each once; the array is only good until the next call.
   * With `step`, every change is reported: `step` is called before an ordinal changes a second time, and at the end.
   */
  apply(batch: ValueBatch, step?: Step): Uint32Array {
    assert(batch.platform === this.platform.digest, 'V1');
    this.#changes.begin(step);
    this.#applyBlocks(batch, this.#linkIndex(batch.link));
    if (batch.files !== undefined) this.files?.apply(batch.files, batch.link, batch.deferred);
    return this.#changes.end();
  }

  /** Rises with every change of a value: equal versions of a store, equal values. */
  get version(): number {
    return this.#version + (this.files?.version ?? 0);
  }

  /** The CurrentValue as JSON; undefined when no sample is known. */
  json(ordinal: number): Buffer | undefined {
    if (ordinal >= this.#json.length) return this.files?.json(ordinal);
    if (!this.#has(ordinal)) return undefined;
    this.#json[ordinal] ??= this.#writer.write(ordinal, this.#columns(ordinal));
    return this.#json[ordinal];
  }

  /** The current sample; undefined when none is known. */
  sample(ordinal: number): CurrentSample | undefined {
    if (ordinal >= this.#json.length) return this.files?.sample(ordinal);
    if (!this.#has(ordinal)) return undefined;
    const { timeMs, groundMs, link, deferred } = this.#columns(ordinal);
    return { value: this.#plain(ordinal), timeMs, groundMs, link, deferred };
  }

  /** The current sample of a measure of a catalogue of this target; undefined where it meant something else there. */
  sampleOf(measure: Measure): CurrentSample | undefined {
    const { file, instance } = measure;
    const ordinal =
      file === undefined
        ? sameMeasure(measure, this.platform)?.ordinal
        : this.files?.ordinal(instance!, file);
    return ordinal === undefined ? undefined : this.sample(ordinal);
  }

  /** The ordinals with a sample, in key order. */
  *ordinals(): IterableIterator<number> {
    const { files, platform } = this;
    const filesAt = files === undefined ? -1 : placeOf(platform.files!.component, platform.measures);
    for (let ordinal = 0; ordinal <= this.#json.length; ordinal += 1) {
      if (ordinal === filesAt) yield* files!.ordinals();
      if (this.#has(ordinal)) yield ordinal;
    }
  }

  /** The ordinals of the platform with a sample. */
  *columnOrdinals(): IterableIterator<number> {
    for (let ordinal = 0; ordinal < this.#json.length; ordinal += 1) if (this.#has(ordinal)) yield ordinal;
  }

  /** The columns as they stand; they go on changing, so copy or write them out before the next `apply`. */
  snapshot(): ValueColumns {
    return {
      platform: this.platform.digest,
      keys: this.#keys,
      meanings: this.#meanings,
      value: this.#value,
      raw: this.#raw,
      time: this.#order.time,
      ground: this.#order.ground,
      link: this.#link,
      deferred: this.#order.deferred,
      links: this.#links,
      wide: [...this.#wide],
    };
  }

  /** Takes up what a snapshot knows and this store does not, by key; returns the changed ordinals as `apply` does. */
  restore(columns: ValueColumns): Uint32Array {
    this.#changes.begin();
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
    return this.#changes.end();
  }

  /** As `restore`, of the files on board. */
  restoreFiles(parts: readonly FilesPart[]): Uint32Array {
    this.#changes.begin();
    this.files?.restore(parts);
    return this.#changes.end();
  }

  /** Takes up the values of a store of another catalogue of the same target. */
  adopt(earlier: CurrentValues): void {
    this.restore(earlier.snapshot());
    if (earlier.files !== undefined) this.restoreFiles(earlier.files.snapshot());
  }

  /** In the order of reception, as they were marked (sample-order.V6). */
  #applyBlocks(batch: ValueBatch, link: number): void {
    const isShared = this.#order.isShared(batch.blocks);
    const parts = isShared ? [batch.blocks] : batch.blocks.map((block) => [block]);
    for (const part of parts) {
      const samples = part.map((block) => new BlockSamples(block));
      const { block, row } = rowOrder(part, false);
      for (let nth = 0; nth < row.length; nth += 1) {
        const own = samples[block[nth]!]!;
        const deferred = batch.deferred || own.block.deferred === true ? 1 : 0;
        this.#applyRow(own, row[nth]!, link, deferred);
      }
    }
  }

  #applyRow(samples: BlockSamples, row: number, link: number, deferred: number): void {
    const { ordinals, value, raw, onboard } = samples.block;
    const ground = samples.block.ground[row]!;
    const time = timeOf(onboard[row]!, ground);
    const { allCurrent } = samples;
    for (let column = 0, index = row * ordinals.length; column < ordinals.length; column += 1, index += 1) {
      const ordinal = ordinals[column]!;
      this.#changes.before(ordinal);
      if (!allCurrent && !samples.isCurrent(index)) continue;
      this.#take(ordinal, value[index]!, raw[index]!, samples.wide(index), time, ground, link, deferred);
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
    const order = this.#order;
    if (order.isOlder(ordinal, time, ground, deferred)) return;
    if (time === order.time[ordinal] && ground === order.ground[ordinal]) {
      if (this.#holds(ordinal, value, raw, wide, link, deferred)) return;
    }
    if (Number.isNaN(this.#raw[ordinal])) this.#wide.delete(ordinal);
    if (wide !== undefined) this.#wide.set(ordinal, wide);
    this.#value[ordinal] = value;
    this.#raw[ordinal] = wide === undefined ? raw : Number.NaN;
    order.note(ordinal, time, ground, deferred);
    this.#link[ordinal] = link;
    this.#json[ordinal] = undefined;
    this.#version += 1;
    this.#changes.note(ordinal);
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
      deferred === this.#order.deferred[ordinal]
    );
  }

  #has(ordinal: number): boolean {
    return (this.#order.time[ordinal] ?? Number.NEGATIVE_INFINITY) !== Number.NEGATIVE_INFINITY;
  }

  #columns(ordinal: number): SampleColumns {
    return {
      value: this.#value[ordinal]!,
      raw: this.#raw[ordinal]!,
      wide: this.#wide.get(ordinal),
      timeMs: this.#order.time[ordinal]!,
      groundMs: this.#order.ground[ordinal]!,
      link: this.#links[this.#link[ordinal]!]!,
      deferred: this.#order.deferred[ordinal] === 1,
    };
  }

  #plain(ordinal: number): PlainValue {
    const { definition } = this.platform.measures[ordinal]!;
    return plainSample(definition, this.#value[ordinal]!, this.#wide.get(ordinal));
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

/** Where a component stands in the key order of measures. */
function placeOf(component: string, measures: readonly Measure[]): number {
  const after = measures.findIndex((measure) => measure.component > component);
  return after === -1 ? measures.length : after;
}
