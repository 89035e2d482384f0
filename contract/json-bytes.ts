/** JSON in the bytes of a message, read where pages run too: they have no `Buffer`. */

const decoder = new TextDecoder();

/** The value; throws on bytes that are no JSON. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  return JSON.parse(decoder.decode(bytes));
}

/** The object in them; undefined where there is none. */
export function objectIn(bytes: Uint8Array): object | undefined {
  try {
    const read = parseJsonBytes(bytes) as object | null;
    return typeof read === 'object' && read !== null ? read : undefined;
  } catch {
    return undefined;
  }
}
