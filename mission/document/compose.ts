/**
 * Text of a mission document as YAML 1.2, with bounds. Whoever writes the text does not choose the cost of reading it.
 *
 * M1. Text that is too long is not looked at, and what nests without end is left before it is understood: composing it
 *     would exhaust the stack, and with it the process. Aliases nest too, so the value is measured once more.
 * M2. The time taken is proportional to the text: keys that stand twice are found here, not by comparing each with
 *     each.
 */

import { Composer, type Document, isScalar, Lexer, LineCounter, Parser, visit, type YAMLMap } from 'yaml';
import { DOCUMENT_CHARACTERS, DOCUMENT_NESTING } from '../../contract/limits/mission.ts';

export interface TextFault {
  readonly offset: number;
  readonly message: string;
  readonly help: string;
}

export interface Composed {
  readonly documents: readonly Document.Parsed[];
  readonly lines: LineCounter;
  readonly faults: readonly TextFault[];
}

type Token = Parser['stack'][number];

const TOO_DEEP: Omit<TextFault, 'offset'> = {
  message: `nests more than ${DOCUMENT_NESTING} collections and keys within one another`,
  help: 'nest less; an unclosed [ or { looks the same',
};

/** The documents in the text, and everything that makes it no YAML of ours. */
export function compose(text: string): Composed {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const nothing = (fault: TextFault): Composed => ({ documents: [], lines, faults: [fault] });
  if (text.length > DOCUMENT_CHARACTERS) {
    const message = `has ${text.length} characters; at most ${DOCUMENT_CHARACTERS} fit`;
    return nothing({ offset: 0, message, help: 'split it; a mission may have several platforms' });
  }
  const tokens = tokensOf(text, lines);
  if (!Array.isArray(tokens)) return nothing({ offset: tokens.deepAt, ...TOO_DEEP });
  // What is wrong with a document is in the list; the parser says nothing on stderr.
  const composer = new Composer({ uniqueKeys: false, logLevel: 'error' });
  const documents = [...composer.compose(tokens)];
  const faults = documents.flatMap((each) => [...syntaxFaults(each), ...repeatedKeys(each)]);
  return { documents, lines, faults };
}

/** Whether a value nests deeper than a document may, also where an alias repeats what nests (M1). */
export function nestsTooDeep(root: unknown): boolean {
  const deepest = new Map<object, number>();
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null || (deepest.get(value) ?? 0) >= depth) continue;
    if (depth > DOCUMENT_NESTING) return true;
    deepest.set(value, depth);
    for (const inner of Object.values(value)) open.push({ value: inner, depth: depth + 1 });
  }
  return false;
}

/** What the composer needs, or where the text nests too deep. */
function tokensOf(text: string, lines: LineCounter): Token[] | { readonly deepAt: number } {
  const parser = new Parser(lines.addNewLine);
  const tokens: Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > DOCUMENT_NESTING) return { deepAt: parser.offset };
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function syntaxFaults({ errors }: Document.Parsed): TextFault[] {
  return errors.map(({ pos: [offset], code, message }) => ({ offset, message, help: helpOf(code) }));
}

function helpOf(code: string): string {
  if (code === 'TAB_AS_INDENT') return 'indent with spaces';
  return 'correct the YAML here; text with : # [ ] { } , needs quotes';
}

function repeatedKeys(document: Document.Parsed): TextFault[] {
  const faults: TextFault[] = [];
  visit(document, { Map: (_, map) => void faults.push(...repeatedIn(map)) });
  return faults;
}

function repeatedIn({ items }: YAMLMap): TextFault[] {
  const seen = new Set<string>();
  const faults: TextFault[] = [];
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    if (seen.has(name))
      faults.push({
        offset: key.range?.[0] ?? 0,
        message: 'Map keys must be unique',
        help: 'keep one of the two keys',
      });
    seen.add(name);
  }
  return faults;
}
