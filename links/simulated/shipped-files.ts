/** The files that a simulated spacecraft has from the beginning, and what it writes when it writes one again. */

import { type FileContent, fixedContent, seededContent } from './file-content.ts';
import { HOUSEKEEPING_FILE_BYTES, housekeepingFile } from './housekeeping-file.ts';

export const FILE_TYPE = { housekeeping: 1, image: 2, log: 3 } as const;

export interface Shipped {
  readonly files: readonly { readonly id: number; readonly type: number; readonly size: number }[];
  /** Of the packets in a file of housekeeping. */
  readonly apid: number;
}

const { housekeeping, image, log } = FILE_TYPE;

/** Of the six-unit CubeSat; its largest file takes an hour at 9.6 kbit/s. */
export const SHIPPED_6U: Shipped = {
  apid: 0x73,
  files: [
    { id: 1, type: housekeeping, size: HOUSEKEEPING_FILE_BYTES },
    { id: 2, type: image, size: 2_048 },
    { id: 3, type: image, size: 200_000 },
    { id: 4, type: image, size: 4_000_000 },
    { id: 5, type: log, size: 0 },
  ],
};

/** Of the three-unit CubeSat; its largest file takes half a minute at 1 Mbit/s. */
export const SHIPPED_3U: Shipped = {
  apid: 0x74,
  files: [
    { id: 1, type: housekeeping, size: HOUSEKEEPING_FILE_BYTES },
    { id: 2, type: image, size: 150_000 },
    { id: 3, type: image, size: 3_000_000 },
    { id: 4, type: log, size: 0 },
  ],
};

/** What file memories are made for. */
export interface Maker {
  readonly seed: number;
  readonly apid: number;
}

/** A generation of a file, written at a moment. */
export function madeContent(
  { seed, apid }: Maker,
  { id, type, size }: Shipped['files'][number],
  generation: number,
  writtenMs: number,
): FileContent {
  const hours = size / HOUSEKEEPING_FILE_BYTES;
  const isRecord = type === housekeeping && hours > 0 && Number.isInteger(hours);
  return isRecord
    ? fixedContent(housekeepingFile(seed + generation, writtenMs, apid, hours))
    : seededContent(seed, id, generation, size);
}
