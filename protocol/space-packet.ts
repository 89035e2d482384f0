/**
 * Space packets: the primary header both ways and whole packets. CCSDS 133.0-B-2, section 4.1. Secondary headers
 * belong to the protocols above (`pus-*.ts`).
 *
 * S1. Reading never throws: bytes that are no packet give `undefined` or a reason.
 * S2. A packet holds at least one byte after its header, so the length field counts from the second (length - 1).
 */

import { assert } from '../contract/assert.ts';

export const PRIMARY_HEADER_BYTES = 6;
export const MAX_APID = 0x7ff;
/** APID of packets that only fill the channel. */
export const IDLE_APID = 0x7ff;
/** Sequence counts are 14 bits wide. */
export const SEQUENCE_COUNTS = 0x4000;

export type SequenceFlags = 'continuation' | 'first' | 'last' | 'unsegmented';

export interface SpacePacketHeader {
  readonly type: 'telemetry' | 'telecommand';
  readonly secondaryHeader: boolean;
  readonly apid: number;
  readonly sequenceFlags: SequenceFlags;
  readonly sequenceCount: number;
  /** Bytes after the primary header, 1 to 65,536. */
  readonly dataBytes: number;
}

const FLAGS: readonly SequenceFlags[] = ['continuation', 'first', 'last', 'unsegmented'];

/** The header at `offset`; undefined when fewer than 6 bytes are left or the version is not 000. */
export function readPrimaryHeader(bytes: Buffer, offset = 0): SpacePacketHeader | undefined {
  if (bytes.length - offset < PRIMARY_HEADER_BYTES) return undefined;
  const identification = bytes.readUInt16BE(offset);
  if (identification >>> 13 !== 0) return undefined;
  const sequence = bytes.readUInt16BE(offset + 2);
  return {
    type: (identification & 0x1000) === 0 ? 'telemetry' : 'telecommand',
    secondaryHeader: (identification & 0x0800) !== 0,
    apid: identification & MAX_APID,
    sequenceFlags: FLAGS[sequence >>> 14]!,
    sequenceCount: sequence & (SEQUENCE_COUNTS - 1),
    dataBytes: bytes.readUInt16BE(offset + 4) + 1,
  };
}

/** The six bytes of a header; a field outside its width is a defect. */
export function writePrimaryHeader(header: SpacePacketHeader): Buffer {
  const { apid, sequenceCount, dataBytes } = header;
  assert(Number.isInteger(apid) && apid >= 0 && apid <= MAX_APID, 'S2 apid');
  assert(sequenceCount >= 0 && sequenceCount < SEQUENCE_COUNTS, 'S2 sequence count');
  assert(dataBytes >= 1 && dataBytes <= 0x1_0000, 'S2 data bytes');
  const bytes = Buffer.alloc(PRIMARY_HEADER_BYTES);
  const type = header.type === 'telecommand' ? 0x1000 : 0;
  bytes.writeUInt16BE(type | (header.secondaryHeader ? 0x0800 : 0) | apid, 0);
  bytes.writeUInt16BE((FLAGS.indexOf(header.sequenceFlags) << 14) | sequenceCount, 2);
  bytes.writeUInt16BE(dataBytes - 1, 4);
  return bytes;
}

/** A packet of a header and the bytes after it. */
export function writeSpacePacket(header: Omit<SpacePacketHeader, 'dataBytes'>, data: Buffer): Buffer {
  return Buffer.concat([writePrimaryHeader({ ...header, dataBytes: data.length }), data]);
}

/** The header of a buffer that is exactly one packet; else a sentence that says why it is none. */
export function readSpacePacket(packet: Buffer): SpacePacketHeader | string {
  if (packet.length <= PRIMARY_HEADER_BYTES) return `${packet.length} bytes are too short for a space packet`;
  const header = readPrimaryHeader(packet);
  if (header === undefined) return `packet version ${packet[0]! >>> 5} is not 0`;
  const expected = PRIMARY_HEADER_BYTES + header.dataBytes;
  if (packet.length === expected) return header;
  return `the header announces a packet of ${expected} bytes, the frame has ${packet.length}`;
}
