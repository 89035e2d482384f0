/** Messages to the user that the standard reserves, as fields and back. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Tlv } from '../../../protocol/cfdp/tlv.ts';
import {
  readUserMessage,
  type UserMessage,
  userMessagesOf,
  writeUserMessage,
} from '../../../protocol/cfdp/user-message.ts';

const width = fc.integer({ min: 1, max: 8 });
const name = fc.string({ maxLength: 60 });
const numberOf = (octets: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(8 * octets) - 1n });

const anyMessage: fc.Arbitrary<UserMessage> = fc.oneof(
  width.chain((idBytes) =>
    fc.record({
      kind: fc.constant('proxyPutRequest' as const),
      destination: numberOf(idBytes),
      idBytes: fc.constant(idBytes),
      sourceName: name,
      destinationName: name,
    }),
  ),
  fc.record({ kind: fc.constant('proxyTransmissionMode' as const), acknowledged: fc.boolean() }),
  fc.record({
    kind: fc.constant('proxyPutResponse' as const),
    condition: fc.integer({ min: 0, max: 15 }),
    complete: fc.boolean(),
    fileStatus: fc.integer({ min: 0, max: 3 }),
  }) as fc.Arbitrary<UserMessage>,
  fc.constant({ kind: 'proxyPutCancel' as const }),
  fc.tuple(width, width).chain(([idBytes, sequenceBytes]) =>
    fc.record({
      kind: fc.constant('originatingTransaction' as const),
      id: fc.record({ source: numberOf(idBytes), sequence: numberOf(sequenceBytes) }),
      idBytes: fc.constant(idBytes),
      sequenceBytes: fc.constant(sequenceBytes),
    }),
  ),
  fc.record({ kind: fc.constant('proxyClosureRequest' as const), closure: fc.boolean() }),
);

/** A field as it comes: `cfdp`, the type of the message, and its body. */
const field = (hex: string): Tlv => ({ type: 0x02, value: Buffer.from(`63666470${hex}`, 'hex') });

it('each message is read as it was written', () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      expect(readUserMessage(writeUserMessage(message))).toEqual(message);
    }),
  );
});

describe('user-message.U1', () => {
  it.each([
    ['a destination of no octets', '00 00 01 61 01 62'],
    ['a destination of nine octets', '00 09 000000000000000001 01 61 01 62'],
    ['a name that is shorter than it says', '00 01 05 01 61 02 62'],
    ['something behind the names', '00 01 05 01 61 01 62 00'],
    ['a response without its octet', '07'],
    ['a response of two octets', '07 00 00'],
    ['a transaction whose number ends early', '0a 11 0001 00'],
    ['a type that is unknown here', '42 00'],
    ['no type', ''],
  ])('%s is no message', (_, hex) => {
    expect(readUserMessage(field(hex.replaceAll(' ', '')))).toBeUndefined();
  });

  it('a field of another type, or of another user, is no message, and stands in nobody’s way', () => {
    const response = field('0700');
    const others: Tlv[] = [
      { ...response, type: 0x05 },
      { type: 0x02, value: Buffer.from('cfdq\x07\x00', 'latin1') },
      { type: 0x02, value: Buffer.from('cf', 'latin1') },
    ];
    expect(userMessagesOf([...others, response])).toEqual([
      { kind: 'proxyPutResponse', condition: 0, complete: true, fileStatus: 0 },
    ]);
  });

  it('identifiers of one and of eight octets are read', () => {
    const message = { kind: 'proxyPutRequest', sourceName: 'a', destinationName: 'b' } as const;
    expect(readUserMessage(field('000105016101 62'.replaceAll(' ', '')))).toEqual({
      ...message,
      destination: 5n,
      idBytes: 1,
    });
    expect(readUserMessage(field('0008000000000000000901610162'))).toEqual({
      ...message,
      destination: 9n,
      idBytes: 8,
    });
  });
});
