/**
 * A file of passes, or of snapshots of them, JSON or YAML: what it holds is checked by the service; known here is only
 * which of the two it is. `-` is the standard input.
 */

import { readFile } from 'node:fs/promises';
import { DOCUMENT_CHARACTERS } from '../contract/limits.ts';
import { compose, nestsTooDeep } from '../mission/document/compose.ts';

export type PassFile =
  | { readonly kind: 'passes'; readonly passes: readonly unknown[] }
  | { readonly kind: 'snapshots'; readonly snapshots: readonly unknown[] };

const STDIN = '-';
/** Aliases resolved in one file: a list of passes repeats a station or a rate at most. */
const MAX_ALIASES = 1_000;

/** What the file holds; throws where it cannot be read, with file, line and remedy. */
export async function readPassFile(file: string): Promise<PassFile> {
  const name = file === STDIN ? 'the standard input' : file;
  const text = file === STDIN ? await textOfStdin() : await readFile(file, 'utf8');
  const value = contentOf(name, text);
  const isList = Array.isArray(value);
  const entries: readonly unknown[] = isList ? value : [value];
  const odd = entries.findIndex((entry) => typeof entry !== 'object' || entry === null);
  if (odd >= 0) {
    const where = isList ? `entry ${odd + 1} of ${name}` : name;
    throw new Error(
      `${where} is not a pass (write a mapping with id, target, station, aos, los, …, or a list of them)`,
    );
  }
  const snapshots = entries.filter(isSnapshot);
  if (snapshots.length === 0) return { kind: 'passes', passes: entries };
  if (snapshots.length === entries.length) return { kind: 'snapshots', snapshots };
  throw new Error(`${name} has both passes and snapshots of them (write each kind into a file of its own)`);
}

function isSnapshot(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && Object.hasOwn(entry, 'passes');
}

function contentOf(name: string, text: string): unknown {
  if (text.trim() === '') throw new Error(`${name} is empty (write a pass, or a list of passes)`);
  return jsonOf(text) ?? yamlOf(name, text);
}

/** Reading large JSON as YAML would take seconds; what is wrong with it the reader of YAML reports. */
function jsonOf(text: string): object | undefined {
  if (text.length > DOCUMENT_CHARACTERS || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function yamlOf(name: string, text: string): unknown {
  const { documents, lines, faults } = compose(text);
  const [fault] = faults;
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.offset);
    throw new Error(`${name}:${Math.max(1, line)}:${Math.max(1, col)}: ${fault.message} (${fault.help})`);
  }
  if (documents.length > 1) throw new Error(`${name} holds several documents (write one list of passes)`);
  const value: unknown = documents[0]?.toJS({ maxAliasCount: MAX_ALIASES });
  if (nestsTooDeep(value)) throw new Error(`${name}: aliases nest what they repeat (write it out)`);
  return value;
}

async function textOfStdin(): Promise<string> {
  process.stdin.setEncoding('utf8');
  let text = '';
  for await (const part of process.stdin) {
    text += String(part);
    if (text.length > DOCUMENT_CHARACTERS)
      throw new Error(
        `the standard input has more than ${DOCUMENT_CHARACTERS} characters (send it in parts)`,
      );
  }
  return text;
}
