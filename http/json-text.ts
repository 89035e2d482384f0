/**
 * JSON text beyond what `JSON.parse` checks: names that stand twice in one object. A duplicate means that two readers
 * of the same request may understand two different telecommands.
 *
 * X1. `countNames` of a valid text equals `countKeys` of its value exactly when no name is repeated; the dear search
 *     for the culprits runs only when they differ.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** How many names the objects of a valid JSON text have, repeated ones included. */
export function countNames(bytes: Uint8Array): number {
  let names = 0;
  let quoted = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]!;
    if (quoted) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (byte === COLON) names += 1;
  }
  return names;
}

/** How many keys the objects of a parsed value have; the value may be nested as deep as `JSON.parse` allows. */
export function countKeys(root: unknown): number {
  let keys = 0;
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const children = Object.values(value);
    if (!Array.isArray(value)) keys += children.length;
    for (const child of children) if (typeof child === 'object' && child !== null) open.push(child);
  }
  return keys;
}

interface OpenObject {
  readonly pointer: string;
  /** Undefined in an array. */
  readonly names: Set<string> | undefined;
  /** The name read last, or the index of the element. */
  at: string | number;
}

/** JSON pointers of the names that repeat an earlier one, in the order of the text, which must be valid JSON. */
export function repeatedNames(text: string): string[] {
  const repeated: string[] = [];
  const open: OpenObject[] = [];
  const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g;
  for (const [token, quoted, colon] of text.matchAll(tokens)) {
    const inside = open.at(-1);
    if (token === '{' || token === '[') {
      const pointer = inside === undefined ? '' : `${inside.pointer}/${escapePointer(String(inside.at))}`;
      open.push({ pointer, names: token === '{' ? new Set() : undefined, at: 0 });
    } else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof inside?.at === 'number' && inside.names === undefined) inside.at += 1;
    else if (quoted !== undefined && colon !== undefined && inside?.names !== undefined) {
      inside.at = JSON.parse(quoted) as string;
      if (inside.names.has(inside.at)) repeated.push(`${inside.pointer}/${escapePointer(inside.at)}`);
      inside.names.add(inside.at);
    }
  }
  return repeated;
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
