/**
 * The samples of a block of values, looked at one by one: for consumers that read a few of its columns.
 *
 * B1. What did not become the current value is no sample for who judges the present (`telemetry/sample-order.ts`).
 */

import type { ValueBlock, WideValue } from '../../contract/batch.ts';
import type { MeasureDefinition } from '../../mission/platform.ts';
import { type PlainValue, plainSample } from './unknown-value.ts';

export class BlockSamples {
  readonly block: ValueBlock;
  readonly #wide: ReadonlyMap<number, WideValue> | undefined;
  readonly #superseded: ReadonlySet<number> | undefined;

  constructor(block: ValueBlock) {
    this.block = block;
    this.#wide = block.wide === undefined ? undefined : new Map(block.wide);
    this.#superseded = block.superseded === undefined ? undefined : new Set(block.superseded);
  }

  /** Whether every sample of the block became the current value of its measure. */
  get allCurrent(): boolean {
    return this.#superseded === undefined;
  }

  /** Whether the sample at an index of `value` became the current value of its measure (B1). */
  isCurrent(index: number): boolean {
    return this.#superseded === undefined || !this.#superseded.has(index);
  }

  /** What no double holds, at an index of `value`. */
  wide(index: number): WideValue | undefined {
    return this.#wide?.get(index);
  }

  /** The sample at an index of `value`, of a measure with this definition. */
  plain(definition: MeasureDefinition, index: number): PlainValue {
    return plainSample(definition, this.block.value[index]!, this.#wide?.get(index));
  }
}
