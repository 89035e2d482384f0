/**
 * Whole PDUs, both ways: header, directive or file data, CRC. CCSDS 727.0-B-5, section 5.
 *
 * P1. Reading never throws: what is not exactly one PDU gives a reason, and the next one can be read.
 * P2. Nothing is given of a PDU whose CRC does not hold. Where every PDU must have one, a PDU without is refused too:
 *     else a damaged flag would turn the CRC into content.
 * P3. Data of a PDU that was read are a view of its octets.
 */

import { accepted, type Result, refused } from '../../contract/result.ts';
import { crc16 } from '../crc.ts';
import { type Directive, readDirective, writeDirective } from './directive.ts';
import { beginPdu, type PduHeader, readHeader } from './header.ts';
import { Octets, writeSize } from './octets.ts';

export const CRC_BYTES = 2;

export interface FileData {
  readonly kind: 'fileData';
  readonly offset: number;
  readonly data: Uint8Array;
  /** What the sender says of the segment: whether a record starts or ends in it, and up to 63 octets. */
  readonly segment?: { readonly recordState: number; readonly metadata: Buffer };
}

/** What a PDU says; its header says of which transaction. */
export type PduBody = Directive | FileData;

/** Fields of the header that the body does not decide. */
export type PduAddress = Omit<PduHeader, 'type' | 'segmentMetadata'>;

export interface Pdu {
  readonly header: PduHeader;
  readonly body: PduBody;
}

export interface ReadOptions {
  /** Whether a PDU without CRC is refused (P2); default: no. */
  readonly crcRequired?: boolean;
}

/** The one PDU that `bytes` are; else the reason why they are not one (P1, P2). */
export function readPdu(bytes: Buffer, { crcRequired = false }: ReadOptions = {}): Result<Pdu, string> {
  const read = readHeader(bytes);
  if (typeof read === 'string') return refused(read);
  const { header } = read;
  const announced = read.bytes + read.dataBytes;
  if (bytes.length !== announced) {
    return refused(`the header announces a PDU of ${announced} octets, these are ${bytes.length}`);
  }
  if (crcRequired && !header.crc) return refused('the PDU has no CRC, and every PDU must have one');
  if (header.crc && (read.dataBytes < CRC_BYTES || crc16(bytes) !== 0)) return refused('the CRC is wrong');
  const field = bytes.subarray(read.bytes, header.crc ? -CRC_BYTES : undefined);
  const body = header.type === 'fileData' ? readFileData(field, header) : readDirective(field, header.large);
  return body === undefined ? refused(malformed(header, field)) : accepted({ header, body });
}

function malformed({ type }: PduHeader, field: Buffer): string {
  if (type === 'fileData') return `file data of ${field.length} octets is malformed`;
  return `directive ${field[0] ?? 'without code'} of ${field.length} octets is unknown or malformed`;
}

function readFileData(field: Buffer, { large, segmentMetadata }: PduHeader): FileData | undefined {
  const octets = new Octets(field);
  const state = segmentMetadata ? octets.byte() : 0;
  const metadata = octets.take(state & 0x3f);
  const offset = octets.size(large);
  const data = octets.rest();
  if (octets.short || !Number.isSafeInteger(offset + data.length)) return undefined;
  const said: FileData = { kind: 'fileData', offset, data };
  return segmentMetadata ? { ...said, segment: { recordState: state >>> 6, metadata } } : said;
}

/** The octets of a PDU. */
export function writePdu(address: PduAddress, body: PduBody): Buffer {
  const parts =
    body.kind === 'fileData' ? fileDataParts(body, address) : [writeDirective(body, address.large)];
  const fieldBytes = parts.reduce((sum, part) => sum + part.length, address.crc ? CRC_BYTES : 0);
  const type = body.kind === 'fileData' ? 'fileData' : 'directive';
  const segmentMetadata = body.kind === 'fileData' && body.segment !== undefined;
  const pdu = beginPdu({ ...address, type, segmentMetadata }, fieldBytes);
  let at = pdu.length - fieldBytes;
  for (const part of parts) {
    pdu.set(part, at);
    at += part.length;
  }
  if (address.crc) pdu.writeUInt16BE(crc16(pdu, pdu.length - CRC_BYTES), pdu.length - CRC_BYTES);
  return pdu;
}

function fileDataParts({ offset, data, segment }: FileData, { large }: PduAddress): Uint8Array[] {
  const parts = [writeSize(offset, large), data];
  if (segment === undefined) return parts;
  const { recordState, metadata } = segment;
  return [Buffer.of((recordState << 6) | metadata.length), metadata, ...parts];
}
