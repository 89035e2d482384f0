/**
 * What another process answered, read without trust: drivers and gateways are written by others, and a process of an
 * older or newer version answers in its own way.
 *
 * A1. Reading never throws and never recurses: what is no JSON object, is longer than `REPLY_BYTES` or nested deeper
 *     than `REPLY_DEPTH` is no reply.
 * A2. No field is there because it should be: each caller looks at what it takes (`textIn`, `oneOf`, `isListOf`).
 * A3. Every reply to a question over the bus is read here.
 */

import { isDeeperThan, parseJsonBytes } from './json-bytes.ts';
import { REPLY_BYTES, REPLY_DEPTH } from './limits/link.ts';
import { accepted, type Result, refusedAll } from './result.ts';

/** An object somebody else made. */
export type Foreign = Readonly<Record<string, unknown>>;

/** The reply as an object; undefined when it is none. */
export function readReply(bytes: Uint8Array): Foreign | undefined {
  if (bytes.length > REPLY_BYTES || isDeeperThan(REPLY_DEPTH, bytes)) return undefined;
  try {
    return asObject(parseJsonBytes(bytes));
  } catch {
    return undefined;
  }
}

/**
 * A reply that is accepted with a value, or refused with faults whose codes are among these; undefined when it is
 * neither, or the value is not `isValue`.
 */
export function readResult<Value, Code extends string>(
  bytes: Uint8Array,
  isValue: (value: Foreign) => boolean,
  codes: readonly Code[],
): Result<Value, ForeignFault<Code>> | undefined {
  const reply = readReply(bytes);
  if (reply?.ok === true) {
    const value = asObject(reply.value);
    return value !== undefined && isValue(value) ? accepted(value as Value) : undefined;
  }
  const faults = reply?.ok === false && Array.isArray(reply.faults) ? reply.faults.map(faultOf(codes)) : [];
  const known = faults.filter((fault) => fault !== undefined);
  return known.length > 0 && known.length === faults.length ? refusedAll(known) : undefined;
}

interface ForeignFault<Code> {
  readonly code: Code;
  readonly message: string;
}

function faultOf<Code extends string>(
  codes: readonly Code[],
): (fault: unknown) => ForeignFault<Code> | undefined {
  return (given) => {
    const fault = asObject(given);
    const code = fault && oneOf(fault, 'code', codes);
    const message = fault && textIn(fault, 'message');
    return code === undefined || message === undefined ? undefined : { code, message };
  };
}

/** Whether it is a list whose entries are all so. */
export function isListOf(value: unknown, isEntry: (entry: Foreign) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.every((each) => {
      const entry = asObject(each);
      return entry !== undefined && isEntry(entry);
    })
  );
}

/** The value as an object; undefined when it is none, or a list. */
export function asObject(value: unknown): Foreign | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Foreign)
    : undefined;
}

/** The text of a field; undefined when there is none. */
export function textIn(reply: Foreign, field: string): string | undefined {
  const value = Object.hasOwn(reply, field) ? reply[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The value of a field where it is one of these. */
export function oneOf<Word extends string>(
  reply: Foreign,
  field: string,
  words: readonly Word[],
): Word | undefined {
  const text = textIn(reply, field);
  return words.find((word) => word === text);
}
