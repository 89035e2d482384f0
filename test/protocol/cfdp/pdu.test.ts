/** PDUs of every width and kind, written and read again, and what is no PDU. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CFDP_TLVS_MOST } from '../../../contract/limits/cfdp.ts';
import type { Directive } from '../../../protocol/cfdp/directive.ts';
import { type PduBody, readPdu, writePdu } from '../../../protocol/cfdp/pdu.ts';
import {
  faultHandlerOverride,
  faultHandlersOf,
  faultLocation,
  faultLocationOf,
} from '../../../protocol/cfdp/tlv.ts';
import { readUserMessage, type UserMessage, writeUserMessage } from '../../../protocol/cfdp/user-message.ts';

const width = fc.integer({ min: 1, max: 8 });
const id = (bytes: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(8 * bytes)) - 1n });
const octet = fc.nat(255);
const nibble = fc.nat(15);
const octets = (most: number) => fc.uint8Array({ maxLength: most }).map((bytes) => Buffer.from(bytes));
const name = fc.string({ maxLength: 60 });
const options = fc.array(fc.record({ type: octet, value: octets(255) }), { maxLength: 4 });
const size = (large: boolean) => fc.maxSafeNat().map((value) => (large ? value : value % 2 ** 32));

const directive = (large: boolean): fc.Arbitrary<Directive> => {
  const range = fc.tuple(size(large), size(large));
  return fc.oneof(
    fc.record({
      kind: fc.constant('metadata' as const),
      closure: fc.boolean(),
      checksumType: nibble,
      size: size(large),
      sourceName: name,
      destinationName: name,
      options,
    }),
    fc.record({
      kind: fc.constant('eof' as const),
      condition: nibble,
      checksum: size(false),
      size: size(large),
      options,
    }),
    fc.record({
      kind: fc.constant('finished' as const),
      condition: nibble,
      complete: fc.boolean(),
      fileStatus: fc.nat(3),
      options,
    }),
    fc.record({
      kind: fc.constant('ack' as const),
      of: fc.constantFrom('eof' as const, 'finished' as const),
      condition: nibble,
      status: fc.nat(3),
    }),
    fc.record({
      kind: fc.constant('nak' as const),
      scope: range,
      segments: fc.array(range, { maxLength: 5 }),
    }),
    fc.record({
      kind: fc.constant('prompt' as const),
      response: fc.constantFrom('nak' as const, 'keepAlive' as const),
    }),
    fc.record({ kind: fc.constant('keepAlive' as const), progress: size(large) }),
  );
};

const fileData = (large: boolean): fc.Arbitrary<PduBody> => {
  const offset = size(large).map((value) => Math.min(value, Number.MAX_SAFE_INTEGER - 1_000));
  const segment = fc.record({ recordState: fc.nat(3), metadata: octets(63) });
  return fc.tuple(offset, octets(200), fc.option(segment, { nil: undefined })).map(
    ([at, data, said]): PduBody => ({
      kind: 'fileData',
      offset: at,
      data,
      ...(said !== undefined && { segment: said }),
    }),
  );
};

const pdu = fc.tuple(width, width, fc.boolean()).chain(([idBytes, sequenceBytes, large]) =>
  fc.record({
    address: fc.record({
      towards: fc.constantFrom('receiver' as const, 'sender' as const),
      mode: fc.constantFrom('acknowledged' as const, 'unacknowledged' as const),
      crc: fc.boolean(),
      large: fc.constant(large),
      segmentation: fc.boolean(),
      idBytes: fc.constant(idBytes),
      sequenceBytes: fc.constant(sequenceBytes),
      source: id(idBytes),
      sequence: id(sequenceBytes),
      destination: id(idBytes),
    }),
    body: fc.oneof(directive(large), fileData(large)),
  }),
);

it('MC-CFDP-001 cfdp/header.H2 are read as they were written, with identifiers of every width', () => {
  fc.assert(
    fc.property(pdu, ({ address, body }) => {
      const read = readPdu(writePdu(address, body));
      expect(read.ok && read.value.body).toEqual(body);
      expect(read.ok && read.value.header).toMatchObject(address);
    }),
    { numRuns: 200 },
  );
});

it('pdu.P2 any two bits flipped under a CRC are refused', () => {
  fc.assert(
    fc.property(pdu, fc.nat(), fc.nat(), ({ address, body }, first, second) => {
      const written = writePdu({ ...address, crc: true }, body);
      const bits = written.length * 8;
      written[(first % bits) >> 3]! ^= 1 << ((first % bits) & 7);
      if (second % bits !== first % bits) written[(second % bits) >> 3]! ^= 1 << ((second % bits) & 7);
      expect(readPdu(written, { crcRequired: true }).ok).toBe(false);
    }),
  );
});

it('pdu.P2 a PDU without CRC is refused where every PDU must have one', () => {
  const address = {
    towards: 'receiver' as const,
    mode: 'acknowledged' as const,
    crc: false,
    large: false,
    segmentation: false,
    idBytes: 1,
    sequenceBytes: 1,
    source: 1n,
    sequence: 1n,
    destination: 2n,
  };
  const written = writePdu(address, { kind: 'keepAlive', progress: 1 });
  expect(readPdu(written).ok).toBe(true);
  expect(readPdu(written, { crcRequired: true })).toMatchObject({ ok: false, faults: [/no CRC/] });
  expect(readPdu(Buffer.concat([Buffer.of(0x40), written.subarray(1)]))).toMatchObject({
    ok: false,
    faults: [/version 2/],
  });
});

it('tlv.V1 fields of unknown types are skipped by their length', () => {
  const fields = [
    { type: 99, value: Buffer.from('cfdp') },
    faultHandlerOverride(5, 'ignore'),
    faultLocation(258n, 2),
    { type: 4, value: Buffer.of(0x50) },
  ];
  expect(faultHandlersOf(fields)).toEqual({ 5: 'ignore' });
  expect(faultLocationOf(fields)).toBe(258n);
});

it('tlv.V2 a PDU with more fields than the limit is refused', () => {
  const address = {
    towards: 'receiver' as const,
    mode: 'acknowledged' as const,
    crc: true,
    large: false,
    segmentation: false,
    idBytes: 2,
    sequenceBytes: 2,
    source: 1n,
    sequence: 1n,
    destination: 2n,
  };
  const eof = (fields: number) => {
    const many = Array.from({ length: fields }, () => ({ type: 5, value: Buffer.alloc(0) }));
    return readPdu(writePdu(address, { kind: 'eof', condition: 0, checksum: 0, size: 0, options: many })).ok;
  };
  expect(eof(CFDP_TLVS_MOST)).toBe(true);
  expect(eof(CFDP_TLVS_MOST + 1)).toBe(false);
});

it('user-message.U1 messages of proxies are read as they were written, and nothing else is one', () => {
  const messages: UserMessage[] = [
    { kind: 'proxyPutRequest', destination: 7n, idBytes: 3, sourceName: 'a/b', destinationName: 'ü' },
    { kind: 'proxyTransmissionMode', acknowledged: true },
    { kind: 'proxyTransmissionMode', acknowledged: false },
    { kind: 'proxyPutResponse', condition: 4, complete: false, fileStatus: 1 },
    { kind: 'proxyPutCancel' },
    {
      kind: 'originatingTransaction',
      id: { source: 2n ** 64n - 1n, sequence: 0n },
      idBytes: 8,
      sequenceBytes: 1,
    },
    { kind: 'proxyClosureRequest', closure: true },
  ];
  for (const message of messages) {
    const field = writeUserMessage(message);
    expect(readUserMessage(field)).toEqual(message);
    expect(readUserMessage({ ...field, value: Buffer.concat([field.value, Buffer.of(0)]) })).toBeUndefined();
    expect(readUserMessage({ ...field, type: 5 })).toBeUndefined();
  }
  expect(readUserMessage({ type: 2, value: Buffer.from('hello') })).toBeUndefined();
  expect(readUserMessage({ type: 2, value: Buffer.from('cfdp\x42') })).toBeUndefined();
});
