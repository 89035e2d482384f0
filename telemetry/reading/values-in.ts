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

/** Of a message that cannot be read, in the log: most of a small batch, and enough to see who wrote a large one. */
const SHOWN_BYTES = 512;

/** Undefined when there are none (V1). */
export function valuesIn(
  { data, seq, subject }: Pick<StreamMessage, 'data' | 'seq' | 'subject'>,
  log: Log,
): ValueBatch | undefined {
  const batch = readValues(data);
  if (batch === undefined) {
    const begins = Buffer.from(data.subarray(0, SHOWN_BYTES)).toString('base64');
    log.error({ position: seq, subject, bytes: data.length, begins }, 'malformed batch of values, left out');
  }
  return batch;
}
