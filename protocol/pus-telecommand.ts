/**
 * PUS-C telecommand packets, both ways: primary header, secondary header of five bytes (version and acknowledgement
 * flags, service, subtype, source), application data, CRC-16. ECSS-E-ST-70-41C, section 7.4.4.
 *
 * T1. The request identifier is the first four bytes of the packet: what service 1 reports name it by.
 * T2. Reading never throws and gives nothing of a packet whose CRC does not hold.
 */

import { accepted, type Result, refused } from '../contract/result.ts';
import { crc16 } from './crc.ts';
import { PRIMARY_HEADER_BYTES, readSpacePacket, writePrimaryHeader } from './space-packet.ts';

const SECONDARY_HEADER_BYTES = 5;
const CRC_BYTES = 2;
const OVERHEAD_BYTES = SECONDARY_HEADER_BYTES + CRC_BYTES;
/** Application data that still fits the length field of the packet. */
export const MAX_APPLICATION_DATA_BYTES = 0x1_0000 - OVERHEAD_BYTES;
const PUS_C = 2;
export const REQUEST_ID_BYTES = 4;

/** Which reports of service 1 a telecommand asks for. */
export const acknowledgement = { acceptance: 8, start: 4, progress: 2, completion: 1 } as const;

export interface PusTelecommand {
  readonly apid: number;
  readonly sequenceCount: number;
  /** Sum of `acknowledgement` flags. */
  readonly flags: number;
  readonly service: number;
  readonly subtype: number;
  readonly source: number;
  readonly data: Buffer;
}

/** The packet of a telecommand; refuses application data that a packet cannot hold. */
export function writePusTelecommand(telecommand: PusTelecommand): Result<Buffer, string> {
  const { apid, sequenceCount, flags, service, subtype, source, data } = telecommand;
  if (data.length > MAX_APPLICATION_DATA_BYTES) {
    return refused(`${data.length} bytes of data; a packet holds ${MAX_APPLICATION_DATA_BYTES}`);
  }
  const header = writePrimaryHeader({
    type: 'telecommand',
    secondaryHeader: true,
    apid,
    sequenceFlags: 'unsegmented',
    sequenceCount,
    dataBytes: OVERHEAD_BYTES + data.length,
  });
  const packet = Buffer.alloc(PRIMARY_HEADER_BYTES + OVERHEAD_BYTES + data.length);
  header.copy(packet);
  packet.writeUInt8((PUS_C << 4) | flags, 6);
  packet.writeUInt8(service, 7);
  packet.writeUInt8(subtype, 8);
  packet.writeUInt16BE(source, 9);
  data.copy(packet, 11);
  packet.writeUInt16BE(crc16(packet, packet.length - CRC_BYTES), packet.length - CRC_BYTES);
  return accepted(packet);
}

/** The telecommand of a packet; refuses what is no PUS-C telecommand with a CRC that holds. */
export function readPusTelecommand(packet: Buffer): Result<PusTelecommand, string> {
  const header = readSpacePacket(packet);
  if (typeof header === 'string') return refused(header);
  if (header.type !== 'telecommand') return refused('a telemetry packet, not a telecommand');
  if (!header.secondaryHeader || header.dataBytes < OVERHEAD_BYTES) {
    return refused('no PUS-C secondary header: a telecommand has at least 13 bytes');
  }
  if (packet[6]! >>> 4 !== PUS_C) return refused(`PUS version ${packet[6]! >>> 4} is not 2`);
  if (crc16(packet) !== 0) return refused('the CRC is wrong');
  return accepted({
    apid: header.apid,
    sequenceCount: header.sequenceCount,
    flags: packet[6]! & 0x0f,
    service: packet[7]!,
    subtype: packet[8]!,
    source: packet.readUInt16BE(9),
    data: packet.subarray(11, packet.length - CRC_BYTES),
  });
}

/** The request identifier of a telecommand packet, 8 hexadecimal digits (T1). */
export function requestIdOf(packet: Buffer): string {
  return packet.toString('hex', 0, REQUEST_ID_BYTES);
}
