/**
 * PUS-C telemetry packets, both ways: primary header, secondary header (version and time reference, service,
 * subtype, message counter, destination, time), source data, CRC-16. ECSS-E-ST-70-41C, section 7.4.3. The form of
 * the time is the mission's; here it is bytes (`time-code.ts` reads them).
 *
 * T3. Reading never throws and gives nothing of a packet whose CRC does not hold.
 */

import { assert } from '../contract/assert.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import { crc16 } from './crc.ts';
import { PRIMARY_HEADER_BYTES, readSpacePacket, writePrimaryHeader } from './space-packet.ts';

/** Bytes of the secondary header before the time. */
const FIXED_HEADER_BYTES = 7;
const TIME_AT = PRIMARY_HEADER_BYTES + FIXED_HEADER_BYTES;
const CRC_BYTES = 2;
const PUS_C = 2;

export interface PusTelemetry {
  readonly apid: number;
  readonly sequenceCount: number;
  readonly timeReference: number;
  readonly service: number;
  readonly subtype: number;
  readonly messageCounter: number;
  readonly destination: number;
  readonly time: Buffer;
  readonly data: Buffer;
}

/** The packet of a telemetry message; data that a packet cannot hold is a defect. */
export function writePusTelemetry(telemetry: PusTelemetry): Buffer {
  const { time, data } = telemetry;
  const dataBytes = FIXED_HEADER_BYTES + time.length + data.length + CRC_BYTES;
  assert(dataBytes <= 0x1_0000, 'T3 size');
  const { apid, sequenceCount } = telemetry;
  const header = writePrimaryHeader({
    type: 'telemetry',
    secondaryHeader: true,
    apid,
    sequenceFlags: 'unsegmented',
    sequenceCount,
    dataBytes,
  });
  const packet = Buffer.alloc(PRIMARY_HEADER_BYTES + dataBytes);
  header.copy(packet);
  packet.writeUInt8((PUS_C << 4) | telemetry.timeReference, 6);
  packet.writeUInt8(telemetry.service, 7);
  packet.writeUInt8(telemetry.subtype, 8);
  packet.writeUInt16BE(telemetry.messageCounter, 9);
  packet.writeUInt16BE(telemetry.destination, 11);
  time.copy(packet, TIME_AT);
  data.copy(packet, TIME_AT + time.length);
  packet.writeUInt16BE(crc16(packet, packet.length - CRC_BYTES), packet.length - CRC_BYTES);
  return packet;
}

/** The message of a packet whose time has `timeBytes`; refuses what is no PUS-C telemetry with a CRC that holds. */
export function readPusTelemetry(packet: Buffer, timeBytes: number): Result<PusTelemetry, string> {
  const header = readSpacePacket(packet);
  if (typeof header === 'string') return refused(header);
  if (header.type !== 'telemetry') return refused('a telecommand packet, not telemetry');
  const least = FIXED_HEADER_BYTES + timeBytes + CRC_BYTES;
  if (!header.secondaryHeader || header.dataBytes < least) {
    return refused(`no PUS-C secondary header: telemetry has at least ${PRIMARY_HEADER_BYTES + least} bytes`);
  }
  if (packet[6]! >>> 4 !== PUS_C) return refused(`PUS version ${packet[6]! >>> 4} is not 2`);
  if (crc16(packet) !== 0) return refused('the CRC is wrong');
  return accepted({
    apid: header.apid,
    sequenceCount: header.sequenceCount,
    timeReference: packet[6]! & 0x0f,
    service: packet[7]!,
    subtype: packet[8]!,
    messageCounter: packet.readUInt16BE(9),
    destination: packet.readUInt16BE(11),
    time: packet.subarray(TIME_AT, TIME_AT + timeBytes),
    data: packet.subarray(TIME_AT + timeBytes, packet.length - CRC_BYTES),
  });
}
