/**
 * Fields of type, length and value behind the fixed ones of a directive. CCSDS 727.0-B-5, section 5.4.
 *
 * V1. A field of an unknown type is kept as it is and never looked into: its length is enough to find the next one.
 * V2. A directive has at most as many fields as the limit says.
 */

import { CFDP_TLVS_MOST } from '../../contract/limits/cfdp.ts';
import {
  type Condition,
  type FaultHandler,
  type FaultHandlers,
  handlerCode,
  handlerOf,
} from './condition.ts';
import { idBytes, type Octets, readId, writeId, writeLengthValue } from './octets.ts';

export const tlvType = {
  filestoreRequest: 0,
  filestoreResponse: 1,
  userMessage: 2,
  faultHandlerOverride: 4,
  flowLabel: 5,
  entityId: 6,
} as const;

export interface Tlv {
  readonly type: number;
  readonly value: Buffer;
}

/** All fields up to the end; undefined when one is cut off or there are too many (V2). */
export function readTlvs(octets: Octets): Tlv[] | undefined {
  const fields: Tlv[] = [];
  while (octets.left > 0 && fields.length <= CFDP_TLVS_MOST) {
    fields.push({ type: octets.byte(), value: octets.lengthValue() });
  }
  return octets.short || fields.length > CFDP_TLVS_MOST ? undefined : fields;
}

export function writeTlvs(fields: readonly Tlv[]): Buffer {
  return Buffer.concat(fields.flatMap(({ type, value }) => [Buffer.of(type), writeLengthValue(value)]));
}

/** The entity at which a fault was found, in as many octets as said, or in more where it needs them. */
export function faultLocation(entity: bigint, length: number): Tlv {
  return { type: tlvType.entityId, value: writeId(entity, Math.max(length, idBytes(entity))) };
}

/** The first entity identifier among the fields. */
export function faultLocationOf(fields: readonly Tlv[]): bigint | undefined {
  const field = fields.find(({ type, value }) => type === tlvType.entityId && isIdWidth(value.length));
  return field && readId(field.value);
}

export function faultHandlerOverride(code: Condition, handler: FaultHandler): Tlv {
  return { type: tlvType.faultHandlerOverride, value: Buffer.of((code << 4) | handlerCode(handler)) };
}

/** The handlers that the sender of a file asks for. */
export function faultHandlersOf(fields: readonly Tlv[]): FaultHandlers {
  const handlers: Partial<Record<Condition, FaultHandler>> = {};
  for (const { type, value } of fields) {
    if (type !== tlvType.faultHandlerOverride || value.length !== 1) continue;
    const handler = handlerOf(value[0]! & 0x0f);
    if (handler !== undefined) handlers[value[0]! >>> 4] = handler;
  }
  return handlers;
}

function isIdWidth(length: number): boolean {
  return length >= 1 && length <= 8;
}
