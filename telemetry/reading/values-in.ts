/**
 * The values in a message of the value stream.
 *
 * V1. What is no batch of values is left out and said once; it stays in the stream. Taken, it would fail, and be handed
 *     over for ever.
 */

import type { ValueBatch } from '../../contract/batch.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import type { Log } from '../../ports/log.ts';
import { readValues } from './batch-shape.ts';

/** Undefined when there are none (V1). */
export function valuesIn(
  { data, seq, subject }: Pick<StreamMessage, 'data' | 'seq' | 'subject'>,
  log: Log,
): ValueBatch | undefined {
  const batch = readValues(data);
  if (batch === undefined) log.error({ position: seq, subject }, 'malformed batch of values, left out');
  return batch;
}
