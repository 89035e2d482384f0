/**
 * Telemetry on the bus: frames as a gateway received them, samples as columns. One message carries a batch of frames
 * and never a single sample (T1). MessagePack, because frames are bytes and columns are doubles.
 *
 * B1. `raw[row * columns + column]` belongs to the measure `ordinals[column]`; every row of a block has the same
 *     columns.
 * B2. Ordinals mean something only together with `platform`, the digest of the platform they were compiled from.
 * B3. Enums and booleans travel as their numbers. What no double holds (text, bytes as hexadecimal, integers past
 *     2^53) stands in `wide` under its index in `raw`, where `raw` then is NaN.
 * B4. Whether a sample became the current value is said once, by the owner of the target, before the batch is stored:
 *     whoever reads it, and whenever, sees the same.
 */

import { Packr } from 'msgpackr';
import { isInstant } from './instant.ts';

export type WideValue = string | bigint;

export interface SampleBlock {
  readonly ordinals: Uint32Array;
  /** Ground reception time of each row, ms since 1970. */
  readonly ground: Float64Array;
  /** On-board time of each row, ms since 1970; NaN when unknown. */
  readonly onboard: Float64Array;
  readonly raw: Float64Array;
  readonly wide?: readonly (readonly [index: number, value: WideValue])[];
}

/** A block with the values in the units of the measures; NaN is null. Wide values are not calibrated. */
export interface ValueBlock extends SampleBlock {
  readonly value: Float64Array;
  /** Its samples are deferred in a batch that is not: derived from an input that is (section 2.2). */
  readonly deferred?: boolean;
  /**
   * Indices into `value`, rising, of real-time samples that did not become the current value of their measure (B4):
   * kept for the past, they feed nothing that judges the present. Absent where every sample became current.
   */
  readonly superseded?: Uint32Array;
}

/** What a spacecraft said about a telecommand it received (service 1 of PUS, or what a protocol has instead). */
export interface VerificationReport {
  /** The telecommand, as its driver referred to it when encoding. */
  readonly reference: string;
  readonly stage: 'acceptance' | 'start' | 'progress' | 'completion';
  readonly ok: boolean;
  readonly step?: number;
  readonly code?: number;
  /** Failure data, hexadecimal. */
  readonly data?: string;
  /** What it said in words. */
  readonly detail?: string;
  /** Ground reception time, ms since 1970. */
  readonly at: number;
}

/**
 * Message on `mcs.tm.frame.<gateway>`: frames in the order they were received, `at[i]` the ground time of `frames[i]`,
 * with a fraction where the millisecond is that of another frame of the gateway: a ground time names one frame.
 */
export interface FrameBatch {
  readonly at: readonly number[];
  readonly frames: readonly Uint8Array[];
}

/**
 * What is known of one file on board, by a listing or by the state of its last transfer: samples of its measures, all
 * of one time (section 2.8). Files come and go, so they have no ordinals and are named. What is absent was not said.
 */
export interface FileSample {
  /** Identifier of the file: decimal digits. */
  readonly file: string;
  /** Ground reception time, ms since 1970. */
  readonly ground: number;
  /** On-board time, ms since 1970; NaN when unknown. */
  readonly onboard: number;
  readonly file_type?: number;
  /** Bytes; a whole number that a double holds. */
  readonly size?: number;
  /** Hexadecimal, lower case. */
  readonly checksum?: string;
  /** A whole number that a double holds. */
  readonly generation?: number;
  /** State of its last transfer (section 3.5). */
  readonly transfer?: string;
  /** The generation that transfer is of: the state of an earlier one is not that of the file (MC-GEN-022). */
  readonly transfer_generation?: number;
  /**
   * Names of measures that are not known any more: what was known of them was of another generation. Said by the owner
   * of the target, in values.
   */
  readonly unknown?: readonly string[];
}

/** Message on `mcs.tm.decoded.<target>`. */
export interface DecodedBatch {
  readonly platform: string;
  readonly link: string;
  readonly blocks: readonly SampleBlock[];
  readonly reports: readonly VerificationReport[];
  /** A listing of the on-board directory, or part of one; states of transfers. */
  readonly files?: readonly FileSample[];
}

/** Message on `mcs.tm.value.<target>`. */
export interface ValueBatch {
  readonly platform: string;
  readonly link: string;
  readonly deferred: boolean;
  readonly blocks: readonly ValueBlock[];
  readonly reports: readonly VerificationReport[];
  /** Those that became the current values of their files, in the order in which they did. */
  readonly files?: readonly FileSample[];
}

const packr = new Packr({ useRecords: false, moreTypes: true });

export function encodeBatch(batch: FrameBatch | DecodedBatch | ValueBatch): Uint8Array {
  return packr.pack(batch);
}

/** The batch as packed by `encodeBatch`; throws on bytes that are malformed. */
export function decodeBatch<Batch extends FrameBatch | DecodedBatch | ValueBatch>(bytes: Uint8Array): Batch {
  return packr.unpack(bytes) as Batch;
}

/**
 * The frames in a message of a gateway, which may be of others; undefined for anything else. Other writers of
 * MessagePack pack whole milliseconds as integers of 64 bits, which are read as bigints.
 */
export function readFrameBatch(bytes: Uint8Array): FrameBatch | undefined {
  try {
    const { at, frames }: Readonly<Partial<Record<keyof FrameBatch, unknown>>> =
      decodeBatch<FrameBatch>(bytes);
    if (!Array.isArray(at) || !Array.isArray(frames) || at.length !== frames.length) return undefined;
    const moments = at.map((each: unknown) => (typeof each === 'bigint' ? Number(each) : each));
    const isWhole = moments.every(isMoment) && frames.every((frame) => frame instanceof Uint8Array);
    return isWhole ? { at: moments, frames } : undefined;
  } catch {
    return undefined;
  }
}

function isMoment(at: unknown): at is number {
  return typeof at === 'number' && isInstant(at);
}

/** Collects rows into blocks: rows with the same ordinals (the same array) share a block. */
export class BlockBuilder {
  readonly #open = new Map<Uint32Array, GrowingBlock>();
  #samples = 0;

  /**
   * Opens a row and returns the block to write it to: its values go to `raw[offset …]`, one per ordinal. `raw` may be
   * replaced by the next call, so write before opening another row.
   */
  row(ordinals: Uint32Array, groundMs: number, onboardMs: number): GrowingBlock {
    let block = this.#open.get(ordinals);
    if (block === undefined) {
      block = new GrowingBlock(ordinals);
      this.#open.set(ordinals, block);
    }
    block.begin(groundMs, onboardMs);
    this.#samples += ordinals.length;
    return block;
  }

  /** Samples in the rows opened so far. */
  get samples(): number {
    return this.#samples;
  }

  get empty(): boolean {
    return this.#open.size === 0;
  }

  /** The blocks built so far; the builder is empty afterwards. */
  take(): SampleBlock[] {
    const blocks = [...this.#open.values()].map((block) => block.finish());
    this.#open.clear();
    this.#samples = 0;
    return blocks;
  }
}

/** A block that grows by rows; see `BlockBuilder.row`. */
export class GrowingBlock {
  readonly ordinals: Uint32Array;
  raw: Float64Array;
  /** Index of the first value of the row last opened. */
  offset = 0;
  readonly wide: [number, WideValue][] = [];
  #ground: Float64Array;
  #onboard: Float64Array;
  #rows = 0;

  constructor(ordinals: Uint32Array) {
    this.ordinals = ordinals;
    this.raw = new Float64Array(ordinals.length * 4);
    this.#ground = new Float64Array(4);
    this.#onboard = new Float64Array(4);
  }

  begin(groundMs: number, onboardMs: number): void {
    if (this.#rows === this.#ground.length) this.#grow();
    this.#ground[this.#rows] = groundMs;
    this.#onboard[this.#rows] = onboardMs;
    this.offset = this.#rows * this.ordinals.length;
    this.#rows += 1;
  }

  finish(): SampleBlock {
    return {
      ordinals: this.ordinals,
      ground: this.#ground.slice(0, this.#rows),
      onboard: this.#onboard.slice(0, this.#rows),
      raw: this.raw.slice(0, this.#rows * this.ordinals.length),
      ...(this.wide.length > 0 && { wide: this.wide }),
    };
  }

  #grow(): void {
    const twice = (column: Float64Array): Float64Array => {
      const larger = new Float64Array(column.length * 2);
      larger.set(column);
      return larger;
    };
    this.raw = twice(this.raw);
    this.#ground = twice(this.#ground);
    this.#onboard = twice(this.#onboard);
  }
}
