/**
 * A batch of values as messages the bus takes: one, and where its files are too many for that, several.
 *
 * M1. Samples and reports are in the last one: who finds that one has all of them (published-tail.U2).
 */

import { encodeBatch, type ValueBatch } from '../../contract/batch.ts';
import { VALUE_MESSAGE_BYTES } from '../../contract/limits/value.ts';

interface EncodedBatch {
  readonly batch: ValueBatch;
  readonly data: Uint8Array;
}

interface EncodedParts {
  /** Stand before the last, in this order. */
  readonly more: readonly EncodedBatch[];
  readonly last: EncodedBatch;
}

export function inMessages(batch: ValueBatch): EncodedParts {
  const whole = encoded(batch);
  const { files } = batch;
  if (files === undefined || files.length < 2 || whole.data.length <= VALUE_MESSAGE_BYTES)
    return { more: [], last: whole };
  const half = Math.ceil(files.length / 2);
  const first = inMessages({ ...batch, blocks: [], reports: [], files: files.slice(0, half) });
  const second = inMessages({ ...batch, files: files.slice(half) });
  return { more: [...first.more, first.last, ...second.more], last: second.last };
}

function encoded(batch: ValueBatch): EncodedBatch {
  return { batch, data: encodeBatch(batch) };
}
