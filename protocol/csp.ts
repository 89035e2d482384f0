/**
 * CSP packets, both ways: the headers of versions 1 and 2, and the CRC-32C at their end. Cubesat Space Protocol,
 * libcsp. Version 1 has 32 bits: priority 2, source 5, destination 5, destination port 6, source port 6, flags 8.
 * Version 2 has 48: priority 2, destination 14, source 14, destination port 6, source port 6, flags 6.
 *
 * C1. Reading never throws: bytes that are no packet give a reason.
 * C2. The CRC is made over the data alone. One over header and data holds as well: libcsp takes both.
 * C3. What a flag asks for and this service does not do is refused by its name, never skipped.
 */

import { assert } from '../contract/assert.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import { crc32c } from './crc.ts';

export type CspVersion = 1 | 2;

export const CSP_CRC_BYTES = 4;
/** Data of one packet: the length of a packet is 16 bits wide in libcsp. */
export const MAX_CSP_DATA_BYTES = 0xffff - CSP_CRC_BYTES;
export const CSP_HEADER_BYTES = { 1: 4, 2: 6 } as const;
export const MAX_CSP_ADDRESS = { 1: 31, 2: 16_383 } as const;
export const MAX_CSP_PORT = 63;

export const cspFlag = { crc: 0x01, rdp: 0x02, xtea: 0x04, hmac: 0x08, fragment: 0x10 } as const;

export interface CspHeader {
  /** 0 critical to 3 low. */
  readonly priority: number;
  readonly source: number;
  readonly destination: number;
  readonly destinationPort: number;
  readonly sourcePort: number;
  readonly flags: number;
}

export interface CspPacket extends CspHeader {
  /** A CRC that the flags report is checked and taken off. */
  readonly data: Buffer;
}

/** What the flags name that is not done here. */
const REFUSED_FLAGS: readonly (readonly [flag: number, name: string])[] = [
  [cspFlag.rdp, 'RDP, whose sender retransmits'],
  [cspFlag.xtea, 'XTEA, but there is no key'],
  [cspFlag.hmac, 'HMAC, but there is no key to verify it'],
  [cspFlag.fragment, 'fragments, which are not joined here'],
  [0xe0, 'what a reserved flag means'],
];

/** The bytes of a header; a field outside its width is a defect. */
export function writeCspHeader(version: CspVersion, header: CspHeader): Buffer {
  const { priority, source, destination, destinationPort, sourcePort, flags } = header;
  assert(priority >= 0 && priority <= 3, 'C1 priority');
  for (const address of [source, destination])
    assert(address >= 0 && address <= MAX_CSP_ADDRESS[version], 'C1 address');
  for (const port of [destinationPort, sourcePort]) assert(port >= 0 && port <= MAX_CSP_PORT, 'C1 port');
  assert(flags >= 0 && flags <= (version === 1 ? 0xff : 0x3f), 'C1 flags');
  const bytes = Buffer.alloc(CSP_HEADER_BYTES[version]);
  const ports = destinationPort * 64 + sourcePort;
  if (version === 1) {
    bytes.writeUInt16BE((priority << 14) | (source << 9) | (destination << 4) | (ports >> 8), 0);
    bytes.writeUInt16BE(((ports & 0xff) << 8) | flags, 2);
  } else {
    bytes.writeUInt16BE((priority << 14) | destination, 0);
    bytes.writeUInt32BE(source * 2 ** 18 + ports * 64 + flags, 2);
  }
  return bytes;
}

/** The header of a packet; undefined when it is shorter than one. */
export function readCspHeader(version: CspVersion, packet: Buffer): CspHeader | undefined {
  if (packet.length < CSP_HEADER_BYTES[version]) return undefined;
  const first = packet.readUInt16BE(0);
  if (version === 1) {
    const last = packet.readUInt16BE(2);
    return {
      priority: first >>> 14,
      source: (first >>> 9) & 0x1f,
      destination: (first >>> 4) & 0x1f,
      destinationPort: ((first & 0x0f) << 2) | (last >>> 14),
      sourcePort: (last >>> 8) & 0x3f,
      flags: last & 0xff,
    };
  }
  const rest = packet.readUInt32BE(2);
  return {
    priority: first >>> 14,
    source: rest >>> 18,
    destination: first & 0x3fff,
    destinationPort: (rest >>> 12) & 0x3f,
    sourcePort: (rest >>> 6) & 0x3f,
    flags: rest & 0x3f,
  };
}

/** A packet of a header and data; with the flag `crc` a CRC follows the data. */
export function writeCsp(version: CspVersion, header: CspHeader, data: Buffer): Buffer {
  assert(data.length <= MAX_CSP_DATA_BYTES, 'C1 size');
  const packet = Buffer.concat([writeCspHeader(version, header), data]);
  return (header.flags & cspFlag.crc) === 0 ? packet : appendCrc(version, packet);
}

/** The packet of some bytes; refuses a CRC that does not hold and flags for what is not done here. */
export function readCsp(version: CspVersion, bytes: Buffer): Result<CspPacket, string> {
  const header = readCspHeader(version, bytes);
  if (header === undefined)
    return refused(`${bytes.length} bytes are too short for a header of CSP version ${version}`);
  const asked = refusedCspFlag(header.flags);
  if (asked !== undefined) return refused(`the packet asks for ${asked}`);
  if ((header.flags & cspFlag.crc) === 0)
    return accepted({ ...header, data: bytes.subarray(CSP_HEADER_BYTES[version]) });
  const packet = takeCrc(version, bytes);
  return packet.ok ? accepted({ ...header, data: packet.value.subarray(CSP_HEADER_BYTES[version]) }) : packet;
}

/** In words, the first thing that the flags ask for and that is not done here (C3). */
export function refusedCspFlag(flags: number): string | undefined {
  return REFUSED_FLAGS.find(([flag]) => (flags & flag) !== 0)?.[1];
}

/** The packet with the CRC of its data behind it (C2). */
export function appendCrc(version: CspVersion, packet: Buffer): Buffer {
  const crc = Buffer.alloc(CSP_CRC_BYTES);
  crc.writeUInt32BE(crc32c(packet.subarray(CSP_HEADER_BYTES[version])));
  return Buffer.concat([packet, crc]);
}

/** The packet before its CRC; refuses one that does not hold over the data nor over header and data (C2). */
export function takeCrc(version: CspVersion, bytes: Buffer): Result<Buffer, string> {
  const end = bytes.length - CSP_CRC_BYTES;
  if (end < CSP_HEADER_BYTES[version]) return refused(`${bytes.length} bytes are too short for a CRC`);
  const crc = bytes.readUInt32BE(end);
  const packet = bytes.subarray(0, end);
  if (crc32c(packet.subarray(CSP_HEADER_BYTES[version])) === crc || crc32c(packet) === crc)
    return accepted(packet);
  return refused('the CRC-32C is wrong, over the data and over header and data');
}
