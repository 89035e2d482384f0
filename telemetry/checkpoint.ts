/**
 * What stands in `mcs_values` under the name of a target: its current values with the stream positions they cover
 * (T5), MessagePack compressed. Written by the owner of the target, read by every process that serves values.
 *
 * P1. A checkpoint of a version unknown here is no checkpoint: the streams hold what it would have said. Neither is one
 *     that lacks a position or a column, or has another form of it.
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
    return unpacked.version === VERSION && isWhole(unpacked) ? unpacked : undefined;
  } catch {
    return undefined;
  }
}

function isWhole({ epoch, positions, columns }: Checkpoint): boolean {
  return [epoch, positions.decoded, positions.values].every(Number.isSafeInteger) && areColumns(columns);
}

function areColumns(columns: ValueColumns): boolean {
  const { platform, keys, meanings, value, raw, time, ground, link, deferred, links, wide } = columns;
  return (
    [[platform], keys, meanings, links].every(isTexts) &&
    [value, raw, time, ground].every((column) => column instanceof Float64Array) &&
    link instanceof Uint16Array &&
    deferred instanceof Uint8Array &&
    [meanings, value, raw, time, ground, link, deferred].every(({ length }) => length === keys.length) &&
    Array.isArray(wide) &&
    wide.every(([row, held]) => row < keys.length && ['string', 'bigint'].includes(typeof held))
  );
}

function isTexts(column: unknown): boolean {
  return Array.isArray(column) && column.every((each) => typeof each === 'string');
}
