/**
 * Batches as they come off the bus, read with suspicion: a message that does not hold together is distinguished here,
 * so that nothing behind has to look again.
 */

import {
  type DecodedBatch,
  decodeBatch,
  type FileSample,
  type SampleBlock,
  type ValueBatch,
} from '../../contract/batch.ts';
import { readableFiles } from './file-samples.ts';
import { readableReports } from './reports.ts';

/**
 * The batch in the message; undefined when the bytes are no batch of columns that fit each other. What is no report
 * among its reports is left out, and given to `left`.
 */
export function readBatch<Batch extends DecodedBatch | ValueBatch>(
  bytes: Uint8Array,
  left?: (report: unknown) => void,
): Batch | undefined {
  try {
    const batch = decodeBatch<Batch>(bytes);
    if (!holdsTogether(batch)) return undefined;
    const reports = readableReports(batch.reports, left);
    return reports === batch.reports ? batch : { ...batch, reports };
  } catch {
    return undefined;
  }
}

/**
 * The values in the message; undefined when the bytes are none: columns that fit each other, and a value for each
 * sample. Samples of files that cannot be read are left out (file-samples.R1).
 */
export function readValues(bytes: Uint8Array): ValueBatch | undefined {
  const batch = readBatch<ValueBatch>(bytes);
  const isWhole = batch?.blocks.every(
    ({ value, superseded }) =>
      value !== undefined && (superseded === undefined || superseded instanceof Uint32Array),
  );
  return batch !== undefined && isWhole ? withReadableFiles(batch) : undefined;
}

/** The batch without the samples of files that cannot be read; `left` is given each of them and why. */
export function withReadableFiles<Batch extends DecodedBatch | ValueBatch>(
  batch: Batch,
  left?: (sample: FileSample, why: string) => void,
): Batch {
  if (batch.files === undefined) return batch;
  const files = readableFiles(batch.files, left);
  return files === batch.files ? batch : { ...batch, files };
}

/** Whether every ordinal of the blocks is a measure of a platform with that many. */
export function fitsPlatform(blocks: readonly SampleBlock[], measures: number): boolean {
  return blocks.every((block) => block.ordinals.every((ordinal) => ordinal < measures));
}

function holdsTogether(batch: DecodedBatch | ValueBatch): boolean {
  return (
    typeof batch?.platform === 'string' &&
    typeof batch.link === 'string' &&
    Array.isArray(batch.reports) &&
    Array.isArray(batch.blocks) &&
    batch.blocks.every(isBlock) &&
    (batch.files === undefined || Array.isArray(batch.files))
  );
}

function isBlock(block: SampleBlock & { readonly value?: unknown }): boolean {
  const { ordinals, ground, onboard, raw, value, wide } = block;
  return (
    ordinals instanceof Uint32Array &&
    ground instanceof Float64Array &&
    isColumn(onboard, ground.length) &&
    isColumn(raw, ground.length * ordinals.length) &&
    (value === undefined || isColumn(value, raw.length)) &&
    (wide === undefined || (Array.isArray(wide) && wide.every(Array.isArray)))
  );
}

function isColumn(column: unknown, length: number): boolean {
  return column instanceof Float64Array && column.length === length;
}
