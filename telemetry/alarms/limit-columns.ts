/**
 * The limits of all measures of a platform in columns by ordinal, and how each measure stands to them. Mission Control
 * Service, section 2.4: critical outside the hard limits, else warning outside the soft ones; the bounds themselves are
 * inside. Does not know in which order samples come; `alarm-watch.ts` does.
 *
 * B1. A nominal sample costs two comparisons: no object, no call, no search.
 * B2. What is unknown changes nothing, but it is the last sample: what was known before does not stand in its place.
 * B3. The first severity known is an edge too, also when it is nominal: the record of the alarm may say otherwise.
 */

import type { EvaluatedAt, Severity } from '../../contract/alarm.ts';
import type { ValueBlock } from '../../contract/batch.ts';
import { meansTheSame } from '../../mission/measure-meaning.ts';
import type { MeasureDefinition, Platform } from '../../mission/platform.ts';
import type { AlarmEdge, KnownSample } from '../../ports/alarm-watch.ts';
import type { BlockSamples } from '../reading/block-samples.ts';
import { plainNumber } from '../reading/unknown-value.ts';

const UNKNOWN = -1;
const NOMINAL = 0;
const WARNING = 1;
const CRITICAL = 2;
const SEVERITY: readonly (Severity | null)[] = [null, 'warning', 'critical'];

type Interval = readonly [number | null, number | null] | undefined;

export class LimitColumns {
  readonly #platform: Platform;
  readonly #limited: Uint8Array;
  /**
   * What is nominal: inside the soft and the hard limits. An open side is the largest number, so infinity is outside.
   */
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  readonly #hardLow: Float64Array;
  readonly #hardHigh: Float64Array;
  readonly #severity: Int8Array;
  /** 1 once it has a sample, also one that is unknown. */
  readonly #hasSample: Uint8Array;
  /** The last sample known, where and when it was. */
  readonly #value: Float64Array;
  readonly #knownAt: Float64Array;
  readonly #position: Float64Array;
  /** Samples of the moment in progress, by ordinal. */
  readonly #pending = new Map<number, number>();

  constructor(platform: Platform) {
    const size = platform.measures.length;
    const column = (fill: number): Float64Array => new Float64Array(size).fill(fill);
    this.#platform = platform;
    this.#limited = Uint8Array.from(platform.measures, ({ definition }) => Number(hasLimits(definition)));
    this.#low = column(-Number.MAX_VALUE);
    this.#high = column(Number.MAX_VALUE);
    this.#hardLow = column(-Number.MAX_VALUE);
    this.#hardHigh = column(Number.MAX_VALUE);
    this.#severity = new Int8Array(size).fill(UNKNOWN);
    this.#hasSample = new Uint8Array(size);
    this.#value = column(Number.NaN);
    this.#knownAt = column(Number.NEGATIVE_INFINITY);
    this.#position = column(0);
    for (const { ordinal, definition } of platform.measures) this.#bound(ordinal, definition);
  }

  has(ordinal: number): boolean {
    return this.#limited[ordinal] === 1;
  }

  /** Checks rows `from` to `to` of a column; they rise, and all of them are current. */
  check(
    samples: BlockSamples,
    column: number,
    rows: readonly [from: number, to: number],
    position: number,
    edges: AlarmEdge[],
  ): void {
    const { ordinals, ground, value } = samples.block;
    const width = ordinals.length;
    const ordinal = ordinals[column]!;
    const low = this.#low[ordinal]!;
    const high = this.#high[ordinal]!;
    const end = rows[1] * width;
    let nominal = this.#severity[ordinal] === NOMINAL;
    for (let index = rows[0] * width + column; index < end; index += width) {
      const sample = value[index]!;
      if (nominal && sample >= low && sample <= high) continue;
      const known = this.#number(ordinal, samples, index);
      this.#know(ordinal, known, position, ground[(index - column) / width]!, edges);
      nominal = this.#severity[ordinal] === NOMINAL;
    }
    this.#hasSample[ordinal] = 1;
    if (nominal) this.#keepLast(samples.block, column, rows, position);
  }

  /** Takes the sample at an index of `value` in; the last one of the moment counts. */
  take(ordinal: number, samples: BlockSamples, index: number): void {
    this.#hasSample[ordinal] = 1;
    this.#pending.set(ordinal, this.#number(ordinal, samples, index));
  }

  /** Ends the moment. */
  settle(at: number, position: number, edges: AlarmEdge[]): void {
    for (const [ordinal, value] of this.#pending) this.#know(ordinal, value, position, at, edges);
    this.#pending.clear();
  }

  /** How every measure stands whose severity is known, as of its last sample. */
  *standing(): Iterable<AlarmEdge> {
    for (const [ordinal, severity] of this.#severity.entries()) {
      if (severity === UNKNOWN) continue;
      const evaluated = { position: this.#position[ordinal]!, at: this.#knownAt[ordinal]! };
      yield this.#edge(ordinal, severity, this.#value[ordinal]!, evaluated);
    }
  }

  /** Takes the last sample of before where none is known, and reports nothing. */
  recall({ ordinal, value, at }: KnownSample): void {
    if (!this.has(ordinal) || this.#hasSample[ordinal] === 1) return;
    this.#hasSample[ordinal] = 1;
    this.#know(ordinal, plainNumber(value), 0, at, []);
  }

  /**
   * Goes on from columns of another catalogue, by key, and judges what they know by the limits of this one. Gives
   * whether they had all that is limited here.
   */
  adopt(earlier: LimitColumns): boolean {
    let whole = true;
    for (const measure of this.#platform.measures) {
      if (!this.has(measure.ordinal)) continue;
      const from = earlier.#platform.ordinal(measure.key);
      const same = from !== undefined && meansTheSame(earlier.#platform.measures[from], measure);
      if (same && earlier.has(from)) this.#adoptColumn(measure.ordinal, earlier, from);
      else whole = false;
    }
    return whole;
  }

  #adoptColumn(ordinal: number, earlier: LimitColumns, from: number): void {
    if (earlier.#hasSample[from] === 0) return;
    this.#hasSample[ordinal] = 1;
    this.#value[ordinal] = earlier.#value[from]!;
    this.#knownAt[ordinal] = earlier.#knownAt[from]!;
    this.#position[ordinal] = earlier.#position[from]!;
    this.#severity[ordinal] = this.#severityOf(ordinal, this.#value[ordinal]!);
  }

  #know(ordinal: number, value: number, position: number, at: number, edges: AlarmEdge[]): void {
    const severity = this.#severityOf(ordinal, value);
    if (severity === UNKNOWN) return;
    if (severity !== this.#severity[ordinal])
      edges.push(this.#edge(ordinal, severity, value, { position, at }));
    this.#severity[ordinal] = severity;
    this.#value[ordinal] = value;
    this.#knownAt[ordinal] = at;
    this.#position[ordinal] = position;
  }

  /** Notes the last known sample of a column that ends nominal. */
  #keepLast(
    { ordinals, ground, value }: ValueBlock,
    column: number,
    [from, to]: readonly [from: number, to: number],
    position: number,
  ): void {
    const ordinal = ordinals[column]!;
    const notedAt = this.#position[ordinal] === position ? this.#knownAt[ordinal]! : Number.NEGATIVE_INFINITY;
    for (let row = to - 1; row >= from && ground[row]! > notedAt; row -= 1) {
      const sample = value[row * ordinals.length + column]!;
      if (!(sample >= this.#low[ordinal]! && sample <= this.#high[ordinal]!)) continue;
      this.#value[ordinal] = sample;
      this.#knownAt[ordinal] = ground[row]!;
      this.#position[ordinal] = position;
      return;
    }
  }

  #severityOf(ordinal: number, value: number): number {
    if (value >= this.#low[ordinal]! && value <= this.#high[ordinal]!) return NOMINAL;
    if (Number.isNaN(value)) return UNKNOWN;
    return value < this.#hardLow[ordinal]! || value > this.#hardHigh[ordinal]! ? CRITICAL : WARNING;
  }

  /** NaN is unknown. */
  #number(ordinal: number, samples: BlockSamples, index: number): number {
    return plainNumber(samples.plain(this.#platform.measures[ordinal]!.definition, index));
  }

  #edge(ordinal: number, severity: number, value: number, evaluated: EvaluatedAt): AlarmEdge {
    const { component, instance, definition } = this.#platform.measures[ordinal]!;
    const reported = { severity: SEVERITY[severity]!, value, evaluated };
    if (instance === undefined) return { component, alarm: definition.name, ...reported };
    return { component, instance, alarm: definition.name, ...reported };
  }

  #bound(ordinal: number, { soft, hard }: MeasureDefinition): void {
    const [hardLow, hardHigh] = boundsOf(hard);
    const [softLow, softHigh] = boundsOf(soft);
    this.#hardLow[ordinal] = hardLow;
    this.#hardHigh[ordinal] = hardHigh;
    this.#low[ordinal] = Math.max(softLow, hardLow);
    this.#high[ordinal] = Math.min(softHigh, hardHigh);
  }
}

function hasLimits({ soft, hard }: MeasureDefinition): boolean {
  return soft !== undefined || hard !== undefined;
}

function boundsOf(interval: Interval): [low: number, high: number] {
  const [low, high] = interval ?? [null, null];
  return [low ?? -Number.MAX_VALUE, high ?? Number.MAX_VALUE];
}
