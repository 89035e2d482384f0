/**
 * Samples of derived measures as they are computed, gathered into blocks of columns: those of one moment that share
 * their times are a row, and rows of the same measures a block.
 *
 * B1. The samples of one measure are in the order they were computed, also over blocks.
 */

import type { ValueBlock } from '../../contract/batch.ts';

const FIRST_CAPACITY = 64;

export class DerivedBlocks {
  #size = 0;
  #ordinals = new Uint32Array(FIRST_CAPACITY);
  #grounds = new Float64Array(FIRST_CAPACITY);
  #onboards = new Float64Array(FIRST_CAPACITY);
  #values = new Float64Array(FIRST_CAPACITY);

  get empty(): boolean {
    return this.#size === 0;
  }

  /** Takes a sample; `value` NaN is null. */
  push(ordinal: number, value: number, groundMs: number, onboardMs: number): void {
    if (this.#size === this.#values.length) this.#grow();
    this.#ordinals[this.#size] = ordinal;
    this.#values[this.#size] = value;
    this.#grounds[this.#size] = groundMs;
    this.#onboards[this.#size] = onboardMs;
    this.#size += 1;
  }

  /** The blocks of what was taken; empty afterwards. */
  take(): ValueBlock[] {
    const open: OpenBlock[] = [];
    const newest = new Map<number, OpenBlock>();
    for (let from = 0, to = 0; from < this.#size; from = to) {
      to = this.#endOfRow(from);
      this.#blockFor(from, to, open, newest).rows.push(from);
    }
    const blocks = open.map((block) => this.#finished(block));
    this.#size = 0;
    return blocks;
  }

  /** A row ends where the times change, or where a measure comes again. */
  #endOfRow(from: number): number {
    const seen = new Set<number>();
    let to = from;
    while (to < this.#size && this.#sharesTimes(from, to) && !seen.has(this.#ordinals[to]!)) {
      seen.add(this.#ordinals[to]!);
      to += 1;
    }
    return to;
  }

  #sharesTimes(one: number, other: number): boolean {
    return (
      this.#grounds[one] === this.#grounds[other] && Object.is(this.#onboards[one], this.#onboards[other])
    );
  }

  /** B1: a row joins the block that has its measures, unless one of them stands in a later block already. */
  #blockFor(from: number, to: number, open: OpenBlock[], newest: Map<number, OpenBlock>): OpenBlock {
    const last = newest.get(this.#ordinals[from]!);
    let same = last !== undefined && last.ordinals.length === to - from;
    for (let at = from; same && at < to; at += 1) {
      same = newest.get(this.#ordinals[at]!) === last && last?.ordinals[at - from] === this.#ordinals[at];
    }
    if (same && last !== undefined) return last;
    const block = { ordinals: this.#ordinals.slice(from, to), rows: [] };
    for (const ordinal of block.ordinals) newest.set(ordinal, block);
    open.push(block);
    return block;
  }

  #finished({ ordinals, rows }: OpenBlock): ValueBlock {
    const width = ordinals.length;
    const value = new Float64Array(rows.length * width);
    rows.forEach((from, row) => {
      value.set(this.#values.subarray(from, from + width), row * width);
    });
    return {
      ordinals,
      ground: Float64Array.from(rows, (from) => this.#grounds[from]!),
      onboard: Float64Array.from(rows, (from) => this.#onboards[from]!),
      raw: value,
      value,
    };
  }

  #grow(): void {
    const size = this.#values.length * 2;
    const twice = <Column extends Uint32Array | Float64Array>(column: Column, to: Column): Column => {
      to.set(column);
      return to;
    };
    this.#ordinals = twice(this.#ordinals, new Uint32Array(size));
    this.#grounds = twice(this.#grounds, new Float64Array(size));
    this.#onboards = twice(this.#onboards, new Float64Array(size));
    this.#values = twice(this.#values, new Float64Array(size));
  }
}

interface OpenBlock {
  readonly ordinals: Uint32Array;
  /** Where each row begins. */
  readonly rows: number[];
}
