/**
 * Checksums of files while they are read. Mission Control Service, section 4.7 rule 5: `crc16` is CRC-16/CCITT-FALSE,
 * `crc32` is CRC-32/ISO-HDLC (MC-XFER-065), `md5` and `sha256` are what they say; no other is available (MC-LIM-020).
 */

import { createHash } from 'node:crypto';
import type { ChecksumOf, RunningChecksum } from '../ports/checksums.ts';
import { crc16, crc32 } from '../protocol/crc.ts';

const NOTHING = new Uint8Array();

/** The checksum by its name. */
export const fileChecksum: ChecksumOf = (algorithm) => {
  switch (algorithm) {
    case 'crc16':
      return remainder(4, crc16(NOTHING), (before, bytes) => crc16(bytes, bytes.length, before));
    case 'crc32':
      return remainder(8, 0, (before, bytes) => crc32(bytes, before));
    case 'md5':
    case 'sha256': {
      const hash = createHash(algorithm);
      return { add: (bytes) => void hash.update(bytes), end: () => hash.digest('hex') };
    }
    default:
      return undefined;
  }
};

function remainder(
  digits: number,
  start: number,
  next: (before: number, bytes: Uint8Array) => number,
): RunningChecksum {
  let value = start;
  return {
    add: (bytes) => {
      value = next(value, bytes);
    },
    end: () => value.toString(16).padStart(digits, '0'),
  };
}
