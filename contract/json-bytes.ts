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

const [QUOTE, ESCAPE] = [0x22, 0x5c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Whether more lists and objects than so many are open at once, looked at before anything is made of them. */
export function isDeeperThan(most: number, bytes: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (isText && byte === ESCAPE) at += 1;
    else if (byte === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}
