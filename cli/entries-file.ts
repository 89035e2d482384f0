/** A file with one entry or a list of them, JSON or YAML; `-` is the standard input. */

import { readFile } from 'node:fs/promises';
import { DOCUMENT_CHARACTERS } from '../contract/limits/mission.ts';
import { compose, nestsTooDeep } from '../mission/document/compose.ts';

/** What the entries are, in words: for whoever reads why a file is refused. */
export interface EntryWords {
  /** `a pass` */
  readonly one: string;
  /** `passes` */
  readonly many: string;
  /** `id, target, station, aos, los, …` */
  readonly fields: string;
}

const STDIN = '-';
/** Aliases resolved in one file: a list of passes repeats a station or a rate at most. */
const MAX_ALIASES = 1_000;

/** The name of the file in messages. */
export function fileName(file: string): string {
  return file === STDIN ? 'the standard input' : file;
}

/** The entries of the file; throws where it cannot be read, with file, line and remedy. */
export async function readEntries(file: string, words: EntryWords): Promise<readonly object[]> {
  const name = fileName(file);
  const text = file === STDIN ? await textOfStdin() : await readFile(file, 'utf8');
  const value = contentOf(name, text, words);
  const isList = Array.isArray(value);
  const entries: readonly unknown[] = isList ? value : [value];
  const odd = entries.findIndex((entry) => typeof entry !== 'object' || entry === null);
  if (odd < 0) return entries as readonly object[];
  const where = isList ? `entry ${odd + 1} of ${name}` : name;
  throw new Error(`${where} is not ${words.one} (write a mapping with ${words.fields}, or a list of them)`);
}

function contentOf(name: string, text: string, words: EntryWords): unknown {
  if (text.trim() === '')
    throw new Error(`${name} is empty (write ${words.one}, or a list of ${words.many})`);
  return jsonOf(text) ?? yamlOf(name, text, words);
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

function yamlOf(name: string, text: string, { many }: EntryWords): unknown {
  const { documents, lines, faults } = compose(text);
  const [fault] = faults;
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.offset);
    throw new Error(`${name}:${Math.max(1, line)}:${Math.max(1, col)}: ${fault.message} (${fault.help})`);
  }
  if (documents.length > 1) throw new Error(`${name} holds several documents (write one list of ${many})`);
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
