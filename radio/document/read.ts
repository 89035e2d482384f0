/**
 * Text of a document of the bench as a value: YAML 1.2, of which JSON is a part. RF Bench Service, section 4, rule 3.
 *
 * D1. Text that is not one mapping gives faults and no value, whatever it is; it never throws.
 * D2. What nests without end is left before it is understood: composing it would exhaust the stack, and with it the
 *     process.
 * D3. The time taken is proportional to the text: keys that stand twice are found here, not by comparing each with
 *     each.
 * D4. What takes long to understand is counted before it is: whoever is before the board, and a mute above all, waits
 *     while a text is read. The pieces are those of the lexer: a sign in a comment or a text is none.
 */

import { Composer, type Document, isMap, isScalar, Lexer, LineCounter, Parser, visit } from 'yaml';
import {
  BENCH_DOCUMENT_CHARACTERS,
  BENCH_DOCUMENT_FAULTS,
  BENCH_DOCUMENT_NESTING,
  BENCH_DOCUMENT_PIECES,
  BENCH_DOCUMENT_PROPERTIES,
} from '../../contract/limits/bench.ts';
import { accepted, type Result, refused, refusedAll } from '../../contract/result.ts';
import { firstFaults, oneLine } from './fault.ts';

/** Aliases resolved in one document: more is an accident or an attack. */
const MAX_ALIASES = 100;
const WHOLE = 'document';

type Token = Parser['stack'][number];

/** The mapping that the text is, its shape not yet checked. */
export function readDocument(text: string): Result<object, string> {
  if (text.length > BENCH_DOCUMENT_CHARACTERS)
    return refused(`${WHOLE}: has ${text.length} characters; at most ${BENCH_DOCUMENT_CHARACTERS} fit`);
  const lines = new LineCounter();
  const tokens = tokensOf(text, lines);
  if (typeof tokens === 'string') return refused(`${WHOLE}: ${tokens}`);
  const composer = new Composer({ uniqueKeys: false, logLevel: 'error' });
  const documents = [...composer.compose(tokens)];
  const [document] = documents;
  if (document === undefined) return refused(`${WHOLE}: is empty`);
  const faults = documents.flatMap((each) => [...syntaxFaults(each, lines), ...repeatedKeys(each, lines)]);
  if (documents.length > 1) faults.push(`${WHOLE}: there are ${documents.length}; write each separately`);
  return faults.length > 0 ? refusedAll(firstFaults(faults)) : toMapping(document);
}

/** What the composer needs, or why it is not given to it (D2, D4). */
function tokensOf(text: string, lines: LineCounter): Token[] | string {
  const pieces = new Pieces();
  const parser = new Parser(lines.addNewLine);
  const tokens: Token[] = [];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    const dear = pieces.count(lexeme);
    if (dear !== undefined) return dear;
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > BENCH_DOCUMENT_NESTING) return 'nests deeper than documents of the bench may';
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** D4 */
class Pieces {
  #all = 0;
  #properties = 0;
  #faults = 0;
  /** A comma that comes now separates nothing. */
  #isEmpty = true;
  /** What comes now is the text of a scalar. */
  #isText = false;

  /** Why the text is left, if it is. */
  count(lexeme: string): string | undefined {
    const sign = this.#isText ? '' : (lexeme[0] ?? '');
    const isSeparator = !this.#isText && lexeme === '---';
    this.#isText = !this.#isText && lexeme === SCALAR;
    this.#all += 1;
    if (PROPERTIES.has(sign)) this.#properties += 1;
    if ((sign === ',' && this.#isEmpty) || isSeparator) this.#faults += 1;
    if (sign !== '#' && lexeme.trim() !== '') this.#isEmpty = OPENS.has(sign);
    if (this.#properties > BENCH_DOCUMENT_PROPERTIES)
      return `has more than ${BENCH_DOCUMENT_PROPERTIES} tags, anchors and aliases; write out what they stand for`;
    if (this.#faults > BENCH_DOCUMENT_FAULTS)
      return `has more than ${BENCH_DOCUMENT_FAULTS} commas that separate nothing, or documents in one`;
    if (this.#all > BENCH_DOCUMENT_PIECES)
      return `has more than ${BENCH_DOCUMENT_PIECES} words and signs; write it as several documents`;
    return undefined;
  }
}

/** Before the text of a scalar, as the lexer gives it. */
const SCALAR = '\u001f';
const PROPERTIES: ReadonlySet<string> = new Set(['!', '&', '*']);
const OPENS: ReadonlySet<string> = new Set(['[', '{', ',']);

function syntaxFaults({ errors }: Document.Parsed, lines: LineCounter): string[] {
  return errors.map(({ pos: [start], message }) => `${placeOf(start, lines)}: ${oneLine(message)}`);
}

function repeatedKeys(document: Document.Parsed, lines: LineCounter): string[] {
  const faults: string[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (seen.has(name))
          faults.push(
            `${placeOf(key.range?.[0] ?? 0, lines)}: the key ${oneLine(JSON.stringify(name))} is given twice`,
          );
        seen.add(name);
      }
    },
  });
  return faults;
}

function placeOf(offset: number, lines: LineCounter): string {
  const { line, col } = lines.linePos(offset);
  return `line ${Math.max(1, line)}, column ${Math.max(1, col)}`;
}

function toMapping(document: Document.Parsed): Result<object, string> {
  if (!isMap(document.contents))
    return refused(`${WHOLE}: is not a mapping; its top level is keys like name and description`);
  try {
    return accepted(document.toJS({ maxAliasCount: MAX_ALIASES }) as object);
  } catch (error) {
    // Too many aliases, or one of nothing.
    return refused(`${WHOLE}: cannot be read: ${oneLine((error as Error).message)}`);
  }
}
