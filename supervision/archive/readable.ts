/** Messages of the value stream as the archive takes them: what does not hold together would fail in every segment. */

import type { ValueBatch, ValueBlock } from '../../contract/batch.ts';
import { readValues } from '../../telemetry/reading/batch-shape.ts';

/** The batch; undefined where it cannot be archived. */
export function archivable(bytes: Uint8Array): ValueBatch | undefined {
  const batch = readValues(bytes);
  return batch?.blocks.every(isArchivable) ? batch : undefined;
}

function isArchivable({ value, wide = [], superseded }: ValueBlock): boolean {
  const isIndex = (index: unknown): boolean =>
    Number.isInteger(index) && (index as number) >= 0 && (index as number) < value.length;
  return (
    wide.every(([index, each]) => isIndex(index) && ['string', 'bigint'].includes(typeof each)) &&
    (superseded === undefined || superseded.every(isIndex))
  );
}
