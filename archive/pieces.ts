/**
 * What is in memory of a question, piece by piece: some rows, and how much was looked at to find them, whether it was
 * of the question or not.
 */

import { setImmediate } from 'node:timers/promises';
import { HISTORY_SLICE } from '../contract/limits/archive.ts';

export interface Piece<Row> {
  readonly rows: readonly Row[];
  /** Messages, blocks, and samples or events. */
  readonly looked: number;
}

/** Takes the rows in slices of what is looked at, between which the loop serves others. */
export async function eachRow<Row>(
  pieces: Iterable<Piece<Row>>,
  signal: AbortSignal | undefined,
  take: (row: Row) => void,
): Promise<void> {
  let slice = 0;
  for (const { rows, looked } of pieces) {
    for (const row of rows) take(row);
    slice += looked;
    if (slice < HISTORY_SLICE) continue;
    slice = 0;
    await setImmediate();
    signal?.throwIfAborted();
  }
}
