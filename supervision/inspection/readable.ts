/**
 * Any value as JSON that a person can read: what is no JSON is shown as text, what is long is cut and says so. Total:
 * it never throws and its result is bounded.
 */

import { INSPECT_TEXT_CHARACTERS } from '../../contract/limits/inspect.ts';

/** Nesting past this is a structure nobody reads in a list. */
const DEPTH = 8;

interface Budget {
  left: number;
  /** The objects around the value: one that holds itself is cut. */
  readonly around: unknown[];
}

/** The value as JSON of about at most `characters`, counted in bytes. */
export function readable(value: unknown, characters: number): unknown {
  return shown(value, { left: characters, around: [] });
}

/** What a person wrote or an error says, cut where nobody reads on. */
export function readableText(long: string): string {
  return text(long, { left: INSPECT_TEXT_CHARACTERS, around: [] });
}

function shown(value: unknown, budget: Budget): unknown {
  if (budget.left <= 0) return '…';
  try {
    return typeof value === 'object' && value !== null
      ? shownObject(value, budget)
      : shownPlain(value, budget);
  } catch (error) {
    return text(`(unreadable: ${String(error)})`, budget);
  }
}

function shownPlain(value: unknown, budget: Budget): unknown {
  budget.left -= 8;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'boolean' || value === null || value === undefined) return value ?? null;
  if (typeof value === 'bigint') return text(`${value}`, budget);
  return text(typeof value === 'string' ? value : `(${typeof value})`, budget);
}

function shownObject(value: object, budget: Budget): unknown {
  if (value instanceof Date) return shownPlain(String(value.toJSON()), budget);
  if (value instanceof Error) return text(`${value.name}: ${value.message}`, budget);
  if (ArrayBuffer.isView(value)) return shownBytes(value, budget);
  if (budget.around.includes(value)) return '(itself)';
  if (budget.around.length >= DEPTH) return '…';
  budget.around.push(value);
  const result = shownMembers(value, budget);
  budget.around.pop();
  return result;
}

function shownMembers(value: object, budget: Budget): unknown {
  if (value instanceof Map)
    return shownEntries(
      [...value].map(([key, of]) => [String(key), of]),
      budget,
    );
  if (value instanceof Set) return shownList([...value], budget);
  if (Array.isArray(value)) return shownList(value, budget);
  return shownEntries(Object.entries(value), budget);
}

function shownList(values: readonly unknown[], budget: Budget): unknown[] {
  const list: unknown[] = [];
  for (const value of values) {
    if (budget.left <= 0) return [...list, `… (${values.length - list.length} more)`];
    list.push(shown(value, budget));
  }
  return list;
}

function shownEntries(entries: readonly (readonly [string, unknown])[], budget: Budget): unknown {
  const members: [string, unknown][] = [];
  for (const [key, value] of entries) {
    if (value === undefined) continue;
    if (budget.left <= 0) {
      members.push(['…', `${entries.length - members.length} more`]);
      break;
    }
    const name = key.slice(0, INSPECT_TEXT_CHARACTERS);
    budget.left -= costOf(name) + 2;
    members.push([name, shown(value, budget)]);
  }
  return Object.fromEntries(members);
}

function shownBytes(view: ArrayBufferView, budget: Budget): unknown {
  const bytes = Buffer.from(view.buffer, view.byteOffset, Math.min(view.byteLength, INSPECT_TEXT_CHARACTERS));
  return text(bytes.toString('hex'), budget);
}

function text(long: string, budget: Budget): string {
  const most = Math.max(0, Math.min(INSPECT_TEXT_CHARACTERS, budget.left));
  const short = long.slice(0, most);
  budget.left -= costOf(short);
  return long.length <= most ? long : `${short}… (${long.length - most} more)`;
}

/** Bytes of a text as JSON: a control character takes six of them, and a message on the bus is bounded in bytes. */
function costOf(short: string): number {
  return PLAIN.test(short) ? short.length + 2 : Buffer.byteLength(JSON.stringify(short));
}

const PLAIN = /^[ -~]*$/;
