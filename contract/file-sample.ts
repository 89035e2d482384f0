/**
 * What is known of the files on board of one target, as samples of their measures (section 2.8). Mission Control
 * Service, sections 2.8, 3.5 and 4.7.
 *
 * F1. An identifier is decimal digits without leading zeros: `7` and `07` are not two names of one file.
 * F2. Sizes and generations are whole numbers that a double holds. A larger one is not taken up: rounded, it would make
 *     one of two generations.
 */

import type { FileSample } from './batch.ts';
import { isFileId } from './file-chunk.ts';
import { FILE_CHECKSUM_CHARACTERS, FILE_STATE_CHARACTERS } from './limits/transfer.ts';

/** The measures of a file, in the order of their names. */
export const FILE_MEASURES = ['checksum', 'file_type', 'generation', 'size', 'transfer'] as const;
export type FileMeasureName = (typeof FILE_MEASURES)[number];

const CHECKSUM = /^(?:[0-9a-f]{2})*$/;

/** Whether it is a measure of files by name. */
export function isFileMeasure(name: string): name is FileMeasureName {
  return (FILE_MEASURES as readonly string[]).includes(name);
}

/** Why the sample cannot be taken up, in words; undefined when it can. Its times are the affair of who dates. */
export function fileSampleFault(
  sample: Partial<Record<keyof FileSample, unknown>> | null,
): string | undefined {
  if (typeof sample !== 'object' || sample === null) return 'it is no sample of a file';
  const { file, ground, onboard, checksum, transfer, unknown } = sample;
  if (!isFileId(file)) return 'its identifier is not a whole number in decimal digits';
  if (typeof ground !== 'number' || typeof onboard !== 'number') return 'it has no time';
  for (const name of ['file_type', 'size', 'generation', 'transfer_generation'] as const)
    if (!isAbsentOr(sample[name], isCount)) return `its ${name} is not a whole number up to 2^53 - 1`;
  if (!isAbsentOr(checksum, isChecksum)) return 'its checksum is not hexadecimal, or too long';
  if (!isAbsentOr(transfer, isState)) return 'the state of its transfer is not a word';
  return isAbsentOr(unknown, Array.isArray) ? undefined : 'what became unknown is no list';
}

/** Whether a listing said it: whatever says more than the state of a transfer, or nothing but that the file is there. */
export function isListed({ file_type, size, checksum, generation, transfer }: FileSample): boolean {
  const said = file_type ?? size ?? checksum ?? generation;
  return said !== undefined || transfer === undefined;
}

function isAbsentOr(value: unknown, holds: (value: unknown) => boolean): boolean {
  return value === undefined || holds(value);
}

/** F2 */
function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isChecksum(value: unknown): boolean {
  return typeof value === 'string' && value.length <= FILE_CHECKSUM_CHARACTERS && CHECKSUM.test(value);
}

function isState(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= FILE_STATE_CHARACTERS;
}
