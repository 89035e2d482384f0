/**
 * Messages to the user that the standard reserves: proxy operations, by which one entity asks another one to send a
 * file, and the identifier of the transaction that asked. CCSDS 727.0-B-5, sections 6.1 and 6.2.
 *
 * U1. What is no well-formed message of a known type is `undefined`, and its field stays as it came.
 */

import type { Condition } from './condition.ts';
import { Octets, writeId, writeLengthValue } from './octets.ts';
import { type Tlv, tlvType } from './tlv.ts';

const RESERVED = Buffer.from('cfdp', 'latin1');

const messageType = {
  proxyPutRequest: 0x00,
  proxyTransmissionMode: 0x04,
  proxyPutResponse: 0x07,
  proxyPutCancel: 0x09,
  originatingTransaction: 0x0a,
  proxyClosureRequest: 0x0b,
} as const;

/** A transaction: the entity that sends the file and its number there. */
export interface TransactionId {
  readonly source: bigint;
  readonly sequence: bigint;
}

export type UserMessage =
  | {
      readonly kind: 'proxyPutRequest';
      /** To whom the file is to be sent. */
      readonly destination: bigint;
      readonly idBytes: number;
      readonly sourceName: string;
      readonly destinationName: string;
    }
  | { readonly kind: 'proxyTransmissionMode'; readonly acknowledged: boolean }
  | {
      readonly kind: 'proxyPutResponse';
      readonly condition: Condition;
      readonly complete: boolean;
      readonly fileStatus: number;
    }
  | { readonly kind: 'proxyPutCancel' }
  | {
      readonly kind: 'originatingTransaction';
      readonly id: TransactionId;
      readonly idBytes: number;
      readonly sequenceBytes: number;
    }
  | { readonly kind: 'proxyClosureRequest'; readonly closure: boolean };

/** The messages among the fields of a metadata PDU, in order. */
export function userMessagesOf(fields: readonly Tlv[]): UserMessage[] {
  return fields.flatMap((field) => readUserMessage(field) ?? []);
}

/** The message of a field; undefined for any other field (U1). */
export function readUserMessage({ type, value }: Tlv): UserMessage | undefined {
  if (type !== tlvType.userMessage || !value.subarray(0, RESERVED.length).equals(RESERVED)) return undefined;
  const octets = new Octets(value, RESERVED.length);
  const message = readBody(octets.byte(), octets);
  return octets.short || octets.left > 0 ? undefined : message;
}

function readBody(type: number, octets: Octets): UserMessage | undefined {
  switch (type) {
    case messageType.proxyPutRequest:
      return readProxyPut(octets);
    case messageType.proxyTransmissionMode:
      return { kind: 'proxyTransmissionMode', acknowledged: (octets.byte() & 1) === 0 };
    case messageType.proxyPutResponse:
      return readProxyPutResponse(octets.byte());
    case messageType.proxyPutCancel:
      return { kind: 'proxyPutCancel' };
    case messageType.originatingTransaction:
      return readOriginating(octets);
    case messageType.proxyClosureRequest:
      return { kind: 'proxyClosureRequest', closure: (octets.byte() & 1) === 1 };
    default:
      return undefined;
  }
}

function readProxyPut(octets: Octets): UserMessage | undefined {
  const idBytes = octets.byte();
  if (idBytes < 1 || idBytes > 8) return undefined;
  const destination = octets.id(idBytes);
  const sourceName = octets.lengthValue().toString('utf8');
  const destinationName = octets.lengthValue().toString('utf8');
  return { kind: 'proxyPutRequest', destination, idBytes, sourceName, destinationName };
}

function readProxyPutResponse(byte: number): UserMessage {
  return {
    kind: 'proxyPutResponse',
    condition: byte >>> 4,
    complete: (byte & 0x04) === 0,
    fileStatus: byte & 0x03,
  };
}

function readOriginating(octets: Octets): UserMessage {
  const widths = octets.byte();
  const idBytes = ((widths >>> 4) & 7) + 1;
  const sequenceBytes = (widths & 7) + 1;
  const id = { source: octets.id(idBytes), sequence: octets.id(sequenceBytes) };
  return { kind: 'originatingTransaction', id, idBytes, sequenceBytes };
}

export function writeUserMessage(message: UserMessage): Tlv {
  const value = Buffer.concat([RESERVED, Buffer.of(messageType[message.kind]), writeBody(message)]);
  return { type: tlvType.userMessage, value };
}

function writeBody(message: UserMessage): Buffer {
  switch (message.kind) {
    case 'proxyPutRequest':
      return Buffer.concat([
        writeLengthValue(writeId(message.destination, message.idBytes)),
        writeLengthValue(Buffer.from(message.sourceName, 'utf8')),
        writeLengthValue(Buffer.from(message.destinationName, 'utf8')),
      ]);
    case 'proxyTransmissionMode':
      return Buffer.of(message.acknowledged ? 0 : 1);
    case 'proxyPutResponse':
      return Buffer.of((message.condition << 4) | (message.complete ? 0 : 0x04) | message.fileStatus);
    case 'proxyPutCancel':
      return Buffer.alloc(0);
    case 'originatingTransaction':
      return Buffer.concat([
        Buffer.of(((message.idBytes - 1) << 4) | (message.sequenceBytes - 1)),
        writeId(message.id.source, message.idBytes),
        writeId(message.id.sequence, message.sequenceBytes),
      ]);
    case 'proxyClosureRequest':
      return Buffer.of(message.closure ? 1 : 0);
  }
}
