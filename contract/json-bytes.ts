/** JSON in the bytes of a message, read where pages run too: they have no `Buffer`. */

const decoder = new TextDecoder();

/** The value; throws on bytes that are no JSON. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  return JSON.parse(decoder.decode(bytes));
}
