/**
 * The checksums of files: modular, CRC-32C, CRC-32 and none. CCSDS 727.0-B-5, section 4.2.2 and annex F.
 *
 * Q1. Bytes come in any order, each of them once, and none is kept.
 * Q2. The modular checksum adds words of four octets by their place in the file, not in the piece; a last word is
 *     filled with zeros.
 */

import { crc32, crc32c } from '../crc.ts';
import { type Crc, ScatteredCrc } from '../scattered-crc.ts';

export const checksumType = { modular: 0, crc32c: 2, crc32: 3, none: 15 } as const;

export interface FileChecksum {
  add(offset: number, bytes: Uint8Array): void;
  /** Of a file of so many bytes, all of which were added. */
  value(size: number): number;
}

const CRC_32: Crc = { polynomial: 0xedb8_8320, of: crc32 };
const CRC_32C: Crc = { polynomial: 0x82f6_3b78, of: crc32c };

/** The checksum of a type; undefined for a type that is not supported. */
export function fileChecksum(type: number): FileChecksum | undefined {
  switch (type) {
    case checksumType.modular:
      return new ModularChecksum();
    case checksumType.crc32c:
      return new ScatteredCrc(CRC_32C);
    case checksumType.crc32:
      return new ScatteredCrc(CRC_32);
    case checksumType.none:
      return { add: () => {}, value: () => 0 };
    default:
      return undefined;
  }
}

class ModularChecksum implements FileChecksum {
  #sum = 0;

  add(offset: number, bytes: Uint8Array): void {
    let at = 0;
    for (; at < bytes.length && (offset + at) % 4 !== 0; at += 1) this.#addByte(offset + at, bytes[at]!);
    const words = Math.floor((bytes.length - at) / 4);
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, 4 * words);
    let sum = this.#sum;
    for (let word = 0; word < words; word += 1) sum = (sum + view.getUint32(4 * word)) | 0;
    this.#sum = sum >>> 0;
    for (at += 4 * words; at < bytes.length; at += 1) this.#addByte(offset + at, bytes[at]!);
  }

  value(): number {
    return this.#sum;
  }

  #addByte(offset: number, byte: number): void {
    this.#sum = (this.#sum + ((byte << (8 * (3 - (offset % 4)))) >>> 0)) >>> 0;
  }
}
