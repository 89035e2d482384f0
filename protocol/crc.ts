/**
 * The checksums of the space protocols: CRC-16/CCITT-FALSE (packets, frames), CRC-32 and CRC-32C (files, CSP).
 * ECSS-E-ST-70-41C annex B, CCSDS 727.0-B-5.
 *
 * R1. Appending the CRC-16 of a block, high byte first, gives a block whose CRC-16 is zero.
 * R2. Blocks one after the other: given the checksum of what came before, each function continues it.
 */

import { crc32 as zlibCrc32 } from 'node:zlib';

const CRC16_POLYNOMIAL = 0x1021;
const CRC16_START = 0xffff;
/** 0x1EDC6F41 with its bits reversed, because CRC-32C shifts right. */
const CRC32C_POLYNOMIAL = 0x82f63b78;

const CRC16 = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = (remainder & 0x8000) === 0 ? remainder << 1 : (remainder << 1) ^ CRC16_POLYNOMIAL;
  }
  return remainder;
});

const CRC32C = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = (remainder & 1) === 0 ? remainder >>> 1 : (remainder >>> 1) ^ CRC32C_POLYNOMIAL;
  }
  return remainder;
});

/** The CRC-16/CCITT-FALSE of `bytes[0 … end)`, behind what has the checksum `before` (R2). */
export function crc16(bytes: Uint8Array, end: number = bytes.length, before: number = CRC16_START): number {
  let remainder = before;
  for (let index = 0; index < end; index += 1) {
    remainder = ((remainder << 8) & 0xff00) ^ CRC16[(remainder >>> 8) ^ bytes[index]!]!;
  }
  return remainder;
}

/** The CRC-32 of ISO 3309, as in zip files (R2). */
export function crc32(bytes: Uint8Array, before = 0): number {
  // Of no bytes the library gives the start of a new checksum.
  return bytes.length === 0 ? before : zlibCrc32(bytes, before);
}

/** The CRC-32C (Castagnoli) (R2). */
export function crc32c(bytes: Uint8Array, before = 0): number {
  let remainder = before ^ 0xffff_ffff;
  for (const byte of bytes) remainder = (remainder >>> 8) ^ CRC32C[(remainder ^ byte) & 0xff]!;
  return (remainder ^ 0xffff_ffff) >>> 0;
}
