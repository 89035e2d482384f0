/**
 * What stands in `mcs_values` under the name of a target: its current values with the stream positions they cover
 * (T5), MessagePack compressed. Written by the owner of the target, read by every process that serves values.
 *
 * P1. A checkpoint of a version unknown here is no checkpoint: the streams hold what it would have said.
 */

import { Packr } from 'msgpackr';
import { compressed, expanded } from './compressed.ts';
import type { ValueColumns } from './current-values.ts';

export interface Positions {
  /** Last message of the stream of decoded samples that the columns hold. */
  readonly decoded: number;
  /** The message of the value stream made from it. */
  readonly values: number;
}

export interface Checkpoint {
  /** Fencing token of the owner who wrote it. */
  readonly epoch: number;
  readonly positions: Positions;
  readonly columns: ValueColumns;
}

/** Counts up with the form of the checkpoint. */
const VERSION = 1;

const packr = new Packr({ useRecords: false, moreTypes: true });

/** The bytes of the checkpoint. The columns are copied before the promise is returned. */
export async function encodeCheckpoint(checkpoint: Checkpoint): Promise<Uint8Array> {
  const packed = packr.pack({ version: VERSION, ...checkpoint });
  return compressed(packed);
}

/** The checkpoint in the bytes; undefined when they hold none of this version (P1). */
export async function decodeCheckpoint(bytes: Uint8Array): Promise<Checkpoint | undefined> {
  try {
    const unpacked = packr.unpack(await expanded(bytes)) as Checkpoint & { readonly version: number };
    return unpacked.version === VERSION && isWhole(unpacked.columns) ? unpacked : undefined;
  } catch {
    return undefined;
  }
}

function isWhole(columns: ValueColumns): boolean {
  const { keys, meanings, value, raw, time, ground, link, deferred } = columns;
  return [meanings, value, raw, time, ground, link, deferred].every(
    (column) => column.length === keys.length,
  );
}
