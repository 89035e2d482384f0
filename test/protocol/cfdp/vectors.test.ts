/** CFDP against PDUs and checksums of an independent implementation, in both directions; see test/data/vectors. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checksumType, fileChecksum } from '../../../protocol/cfdp/checksum.ts';
import { handlerOf } from '../../../protocol/cfdp/condition.ts';
import { type PduBody, readPdu, writePdu } from '../../../protocol/cfdp/pdu.ts';
import { faultHandlerOverride, faultLocation, type Tlv } from '../../../protocol/cfdp/tlv.ts';
import { userMessagesOf, writeUserMessage } from '../../../protocol/cfdp/user-message.ts';

interface TlvFields {
  readonly type: number;
  readonly msg?: string;
  readonly condition: number;
  readonly handler: number;
  readonly delivery: number;
  readonly file_status: number;
  readonly source: number;
  readonly seq: number;
}

/** The fields of all kinds; a vector has those of its own. */
interface Fields {
  readonly large: boolean;
  readonly crc: boolean;
  readonly id_len: number;
  readonly seq_len: number;
  readonly source: number;
  readonly dest: number;
  readonly seq: number;
  readonly ack_mode: boolean;
  readonly kind: string;
  readonly closure?: boolean;
  readonly checksum_type?: number;
  readonly size?: number;
  readonly source_name?: string;
  readonly dest_name?: string;
  readonly tlvs?: readonly TlvFields[];
  readonly condition: number;
  readonly checksum: string;
  readonly delivery: number;
  readonly file_status: number;
  readonly fault_location?: number;
  readonly of: 'eof' | 'finished';
  readonly status: number;
  readonly scope: [number, number];
  readonly segments: [number, number][];
  readonly response: 'nak';
  readonly progress: number;
  readonly offset: number;
  readonly data: string;
  readonly record_state?: number;
  readonly segment_metadata: string;
  readonly modular: string;
  readonly crc32: string;
  readonly crc32c: string;
}

interface Vector {
  readonly id: string;
  readonly group: string;
  readonly fields: Fields;
  readonly hex: string;
}

const file = new URL('../../data/vectors/cfdp.json', import.meta.url);
const vectors = (JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }).vectors;
const pdus = vectors.filter(({ group }) => group === 'cfdp');
const bytes = (hex: string) => Buffer.from(hex, 'hex');

function tlvOf(field: TlvFields): Tlv {
  if (field.type === 4) return faultHandlerOverride(field.condition, handlerOf(field.handler)!);
  if (field.msg === 'originating-transaction-id') {
    const id = { source: BigInt(field.source), sequence: BigInt(field.seq) };
    return writeUserMessage({ kind: 'originatingTransaction', id, idBytes: 2, sequenceBytes: 2 });
  }
  const { condition, file_status: fileStatus } = field;
  return writeUserMessage({
    kind: 'proxyPutResponse',
    condition,
    complete: field.delivery === 0,
    fileStatus,
  });
}

function bodyOf(fields: Fields): PduBody {
  const { condition, size = 0 } = fields;
  switch (fields.kind) {
    case 'metadata':
      return {
        kind: 'metadata',
        closure: fields.closure ?? true,
        checksumType: fields.checksum_type ?? 15,
        size,
        sourceName: fields.source_name ?? '',
        destinationName: fields.dest_name ?? '',
        options: (fields.tlvs ?? []).map(tlvOf),
      };
    case 'eof':
      return { kind: 'eof', condition, checksum: Number.parseInt(fields.checksum, 16), size, options: [] };
    case 'finished': {
      const at = fields.fault_location;
      const options = at === undefined ? [] : [faultLocation(BigInt(at), 2)];
      return {
        kind: 'finished',
        condition,
        complete: fields.delivery === 0,
        fileStatus: fields.file_status,
        options,
      };
    }
    case 'ack':
      return { kind: 'ack', of: fields.of, condition, status: fields.status };
    case 'nak':
      return { kind: 'nak', scope: fields.scope, segments: fields.segments };
    case 'prompt':
      return { kind: 'prompt', response: fields.response };
    case 'keepalive':
      return { kind: 'keepAlive', progress: fields.progress };
    default:
      return fileDataOf(fields);
  }
}

function fileDataOf({ offset, data, record_state: recordState, segment_metadata }: Fields): PduBody {
  const said = { kind: 'fileData', offset, data: bytes(data) } as const;
  if (recordState === undefined) return said;
  return { ...said, segment: { recordState, metadata: bytes(segment_metadata) } };
}

const TO_SENDER = new Set(['finished', 'nak', 'keepalive']);

function isToSender({ kind, of }: Fields): boolean {
  return TO_SENDER.has(kind) || (kind === 'ack' && of === 'eof');
}

it('holds every kind', () => {
  expect(vectors.length).toBe(33);
});

describe('PDUs', () => {
  it.each(pdus)('MC-CFDP-001 $id', ({ fields, hex }) => {
    const body = bodyOf(fields);
    const address = {
      // The library sends the prompt the wrong way round.
      towards: isToSender(fields) || (bytes(hex)[0]! & 8) !== 0 ? ('sender' as const) : ('receiver' as const),
      mode: fields.ack_mode ? ('acknowledged' as const) : ('unacknowledged' as const),
      crc: fields.crc,
      large: fields.large,
      segmentation: false,
      idBytes: fields.id_len,
      sequenceBytes: fields.seq_len,
      source: BigInt(fields.source),
      sequence: BigInt(fields.seq),
      destination: BigInt(fields.dest),
    };
    const type = body.kind === 'fileData' ? 'fileData' : 'directive';
    const header = { ...address, type, segmentMetadata: fields.record_state !== undefined };
    expect(readPdu(bytes(hex))).toEqual({ ok: true, value: { header, body } });
    expect(writePdu(address, body).toString('hex')).toBe(hex);
  });

  it.each(pdus.filter(({ fields }) => fields.crc))('$id: no flipped bit passes', ({ hex }) => {
    for (let bit = 0; bit < hex.length * 4; bit += 1) {
      const copy = bytes(hex);
      copy[bit >> 3]! ^= 1 << (bit & 7);
      expect(readPdu(copy, { crcRequired: true }).ok).toBe(false);
    }
  });

  it.each(pdus)('$id: nothing shorter or longer passes as the same PDU', ({ hex }) => {
    for (let end = 0; end < hex.length / 2; end += 1)
      expect(readPdu(bytes(hex).subarray(0, end)).ok).toBe(false);
    expect(readPdu(bytes(`${hex}00`)).ok).toBe(false);
  });

  it('messages of proxies are read from the fields of metadata', () => {
    const vector = pdus.find(({ id }) => id === 'cfdp/metadata-proxy-put-response')!;
    const read = readPdu(bytes(vector.hex));
    const options = read.ok && read.value.body.kind === 'metadata' ? read.value.body.options : [];
    expect(userMessagesOf(options)).toEqual([
      { kind: 'proxyPutResponse', condition: 0, complete: true, fileStatus: 2 },
      {
        kind: 'originatingTransaction',
        id: { source: 1n, sequence: 2571n },
        idBytes: 2,
        sequenceBytes: 2,
      },
    ]);
  });
});

describe('checksums of files', () => {
  it.each(vectors.filter(({ group }) => group === 'cfdp-checksum'))('MC-CFDP-001 $id', ({ fields }) => {
    const data = bytes(fields.data);
    const of = (type: number) => {
      const checksum = fileChecksum(type)!;
      checksum.add(0, data);
      return checksum.value(data.length).toString(16).padStart(8, '0');
    };
    expect(of(checksumType.modular)).toBe(fields.modular);
    expect(of(checksumType.crc32)).toBe(fields.crc32);
    expect(of(checksumType.crc32c)).toBe(fields.crc32c);
    expect(of(checksumType.none)).toBe('00000000');
  });
});
