/** Calls as they come over the bus: JSON written by another process, so nothing of it is taken for granted. */

import { isHexadecimal } from '../contract/hexadecimal.ts';
import type { CoreMessage } from '../ports/bus.ts';

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
export function isFrame(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && isHexadecimal(text);
}
