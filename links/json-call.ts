/** Calls as they come over the bus: JSON written by another process, so nothing of it is taken for granted. */

import type { CoreMessage } from '../ports/bus.ts';

const HEXADECIMAL = /^([0-9a-f]{2})+$/i;

/** The call in a message; undefined when it is not a JSON object. */
export function callOf(message: CoreMessage): object | undefined {
  try {
    const call: unknown = JSON.parse(Buffer.from(message.data).toString('utf8'));
    return typeof call === 'object' && call !== null ? call : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a field of a call is a frame in hexadecimal, at least one byte. */
export function isHexadecimal(text: unknown): text is string {
  return typeof text === 'string' && HEXADECIMAL.test(text);
}
