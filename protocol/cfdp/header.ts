/**
 * The fixed header of every PDU, both ways. CCSDS 727.0-B-5, section 5.1.
 *
 * H1. Reading never throws: what is no header of version 1 gives a reason.
 * H2. Entity identifiers and sequence numbers are one to eight octets wide each; the widths are kept, because both
 *     entities must write those of a transaction alike.
 */

import { assert } from '../../contract/assert.ts';
import { putId, readId } from './octets.ts';

const VERSION = 1;
/** Octets before the identifiers. */
const FIXED_BYTES = 4;
const WIDEST_ID_BYTES = 8;
/** The length field has 16 bits. */
export const MAX_DATA_FIELD_BYTES = 0xffff;

export interface PduHeader {
  readonly type: 'directive' | 'fileData';
  readonly towards: 'receiver' | 'sender';
  readonly mode: 'acknowledged' | 'unacknowledged';
  /** Whether a CRC-16 ends the PDU. */
  readonly crc: boolean;
  /** Whether offsets and sizes have 64 bits. */
  readonly large: boolean;
  /** Whether file data respects the boundaries of records. */
  readonly segmentation: boolean;
  readonly segmentMetadata: boolean;
  readonly idBytes: number;
  readonly sequenceBytes: number;
  readonly source: bigint;
  readonly sequence: bigint;
  readonly destination: bigint;
}

/** The header at the beginning with the octets behind it, its CRC among them; else the reason (H1). */
export function readHeader(
  pdu: Buffer,
): { readonly header: PduHeader; readonly bytes: number; readonly dataBytes: number } | string {
  if (pdu.length < FIXED_BYTES) return `${pdu.length} octets are too short for a PDU`;
  const first = pdu[0]!;
  if (first >>> 5 !== VERSION) return `version ${first >>> 5} of the header is not ${VERSION}`;
  const last = pdu[3]!;
  const idBytes = ((last >>> 4) & 7) + 1;
  const sequenceBytes = (last & 7) + 1;
  const bytes = headerBytes({ idBytes, sequenceBytes });
  if (pdu.length < bytes) return `${pdu.length} octets are too short for a header of ${bytes}`;
  const sequenceAt = FIXED_BYTES + idBytes;
  const header: PduHeader = {
    type: (first & 0x10) === 0 ? 'directive' : 'fileData',
    towards: (first & 0x08) === 0 ? 'receiver' : 'sender',
    mode: (first & 0x04) === 0 ? 'acknowledged' : 'unacknowledged',
    crc: (first & 0x02) !== 0,
    large: (first & 0x01) !== 0,
    segmentation: (last & 0x80) !== 0,
    segmentMetadata: (last & 0x08) !== 0,
    idBytes,
    sequenceBytes,
    source: readId(pdu.subarray(FIXED_BYTES, sequenceAt)),
    sequence: readId(pdu.subarray(sequenceAt, sequenceAt + sequenceBytes)),
    destination: readId(pdu.subarray(sequenceAt + sequenceBytes, bytes)),
  };
  return { header, bytes, dataBytes: pdu.readUInt16BE(1) };
}

/** A PDU with room for `dataBytes` behind its header, which is written; a field outside its width is a defect. */
export function beginPdu(header: PduHeader, dataBytes: number): Buffer {
  const { idBytes, sequenceBytes } = header;
  assert(isWidth(idBytes) && isWidth(sequenceBytes), 'H2 widths of one to eight octets');
  assert(dataBytes <= MAX_DATA_FIELD_BYTES, 'H1 a data field of 16 bits');
  const pdu = Buffer.allocUnsafe(headerBytes(header) + dataBytes);
  pdu[0] =
    (VERSION << 5) |
    (header.type === 'fileData' ? 0x10 : 0) |
    (header.towards === 'sender' ? 0x08 : 0) |
    (header.mode === 'unacknowledged' ? 0x04 : 0) |
    (header.crc ? 0x02 : 0) |
    (header.large ? 0x01 : 0);
  pdu[1] = dataBytes >>> 8;
  pdu[2] = dataBytes & 0xff;
  pdu[3] =
    (header.segmentation ? 0x80 : 0) |
    ((idBytes - 1) << 4) |
    (header.segmentMetadata ? 0x08 : 0) |
    (sequenceBytes - 1);
  putId(pdu, FIXED_BYTES, header.source, idBytes);
  putId(pdu, FIXED_BYTES + idBytes, header.sequence, sequenceBytes);
  putId(pdu, FIXED_BYTES + idBytes + sequenceBytes, header.destination, idBytes);
  return pdu;
}

export function headerBytes({ idBytes, sequenceBytes }: { idBytes: number; sequenceBytes: number }): number {
  return FIXED_BYTES + 2 * idBytes + sequenceBytes;
}

function isWidth(bytes: number): boolean {
  return Number.isInteger(bytes) && bytes >= 1 && bytes <= WIDEST_ID_BYTES;
}
