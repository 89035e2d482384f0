/**
 * On-board time codes, both ways: CDS short (days and milliseconds of the day) and CUC (seconds and a binary
 * fraction). CCSDS 301.0-B-4, sections 3.2 and 3.3. Times outside are ms since 1970 (UTC).
 *
 * M1. Reading never throws: bytes that are no time give NaN, as an unknown on-board time does everywhere.
 * M2. CDS counts UTC days, so no leap seconds stand between it and ms since 1970; CUC counts the seconds of its
 *     epoch's own scale, whose offset from UTC is the caller's (`epochMs` says where its zero lies).
 */

import { assert } from '../contract/assert.ts';

/** 1958-01-01, the epoch CCSDS recommends. */
export const CCSDS_EPOCH_MS = Date.UTC(1958, 0, 1);
const DAY_MS = 86_400_000;
/** A day with a leap second has one second more. */
const LONGEST_DAY_MS = DAY_MS + 1000;

/** P-field, 16 bits of days, 32 bits of ms. */
export const CDS_SHORT_BYTES = 7;
/** Code 100, epoch 1958, 16 bit day, no part below the ms. */
const CDS_SHORT_P_FIELD = 0x40;

/** The time at `offset` in ms since 1970; NaN when it is not a CDS short code with a P-field of 0x40. */
export function readCdsShort(bytes: Buffer, offset = 0, epochMs: number = CCSDS_EPOCH_MS): number {
  if (offset < 0 || bytes.length - offset < CDS_SHORT_BYTES) return Number.NaN;
  if (bytes[offset] !== CDS_SHORT_P_FIELD) return Number.NaN;
  const msOfDay = bytes.readUInt32BE(offset + 3);
  if (msOfDay >= LONGEST_DAY_MS) return Number.NaN;
  return epochMs + bytes.readUInt16BE(offset + 1) * DAY_MS + msOfDay;
}

/** The seven bytes of a CDS short code, rounded down to ms; a time its 16 bit day cannot say is a defect. */
export function writeCdsShort(timeMs: number, epochMs: number = CCSDS_EPOCH_MS): Buffer {
  const sinceEpoch = Math.floor(timeMs) - epochMs;
  const day = Math.floor(sinceEpoch / DAY_MS);
  assert(day >= 0 && day <= 0xffff, 'M2 day');
  const bytes = Buffer.alloc(CDS_SHORT_BYTES);
  bytes.writeUInt8(CDS_SHORT_P_FIELD, 0);
  bytes.writeUInt16BE(day, 1);
  bytes.writeUInt32BE(sinceEpoch - day * DAY_MS, 3);
  return bytes;
}

/** How many bytes a CUC gives to the seconds and to their fraction. */
export interface CucSizes {
  readonly coarseBytes: 1 | 2 | 3 | 4;
  readonly fineBytes: 0 | 1 | 2 | 3;
}

/** The P-field of a CUC: code 001 for the epoch 1958, 010 for an epoch of the agency. */
export function cucPField({ coarseBytes, fineBytes }: CucSizes, epochMs: number = CCSDS_EPOCH_MS): number {
  const code = epochMs === CCSDS_EPOCH_MS ? 0b001 : 0b010;
  return (code << 4) | ((coarseBytes - 1) << 2) | fineBytes;
}

/** The sizes a P-field announces; undefined when it is not that of a CUC (or goes on in a second byte). */
export function readCucPField(pField: number): CucSizes | undefined {
  const code = pField >>> 4;
  if (code !== 0b001 && code !== 0b010) return undefined;
  return {
    coarseBytes: (((pField >>> 2) & 3) + 1) as CucSizes['coarseBytes'],
    fineBytes: (pField & 3) as CucSizes['fineBytes'],
  };
}

/** The time of a CUC without P-field at `offset`, in ms since 1970; NaN when the bytes are too few. */
export function readCuc(
  bytes: Buffer,
  offset: number,
  { coarseBytes, fineBytes }: CucSizes,
  epochMs: number = CCSDS_EPOCH_MS,
): number {
  if (offset < 0 || bytes.length - offset < coarseBytes + fineBytes) return Number.NaN;
  const seconds = bytes.readUIntBE(offset, coarseBytes);
  const fraction = fineBytes === 0 ? 0 : bytes.readUIntBE(offset + coarseBytes, fineBytes);
  return epochMs + seconds * 1000 + (fraction * 1000) / 256 ** fineBytes;
}

/** The bytes of a CUC without P-field, rounded down to its step; a time it cannot say is a defect. */
export function writeCuc(
  timeMs: number,
  { coarseBytes, fineBytes }: CucSizes,
  epochMs: number = CCSDS_EPOCH_MS,
): Buffer {
  const sinceEpoch = timeMs - epochMs;
  const seconds = Math.floor(sinceEpoch / 1000);
  assert(seconds >= 0 && seconds < 256 ** coarseBytes, 'M2 seconds');
  const bytes = Buffer.alloc(coarseBytes + fineBytes);
  bytes.writeUIntBE(seconds, 0, coarseBytes);
  if (fineBytes > 0) {
    const fraction = Math.floor(((sinceEpoch - seconds * 1000) * 256 ** fineBytes) / 1000);
    bytes.writeUIntBE(fraction, coarseBytes, fineBytes);
  }
  return bytes;
}
