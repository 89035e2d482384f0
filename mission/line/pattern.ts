/**
 * Patterns of lines: `TEMP {value:number} C`. A pattern is a chain of automata in which what follows a place never
 * begins like the place goes on, so a line is read in one pass without looking back, in time linear in its length.
 *
 * N1. A space matches any blanks, at least one; everything else outside of places matches itself, and case counts.
 * N2. A place takes as much as it can. A pattern in which that would not be the only way is refused.
 * N3. Lines are read without the blanks at their ends.
 */

import { LINE_PATTERN_CHARACTERS } from '../../contract/limits/link.ts';
import { nearHelp } from '../../contract/near.ts';
import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import type { Enumeration } from '../platform.ts';
import {
  type Automaton,
  alternatives,
  blanks,
  DEAD,
  decimal,
  hex,
  integer,
  isBlank,
  literal,
  number,
  reachable,
  text,
  word,
} from './automaton.ts';
import { parseTemplate, type TemplatePart, type TextFault } from './template.ts';

export const PLACE_KINDS = ['integer', 'decimal', 'number', 'hex', 'word', 'text'] as const;
type PlainKind = (typeof PLACE_KINDS)[number];

/** What a place holds: a plain kind, the values of an enumeration, or one of the words written there. */
export type PlaceholderKind =
  | { readonly kind: PlainKind }
  | { readonly kind: 'enum'; readonly enumeration: Enumeration }
  | { readonly kind: 'choice'; readonly words: readonly string[] };

export interface Placeholder {
  readonly name: string;
  readonly holds: PlaceholderKind;
}

/** A pattern; as an automaton it accepts the lines that it matches. */
export interface Pattern extends Automaton {
  readonly source: string;
  readonly places: readonly Placeholder[];
  /** The texts of the places, in their order; undefined when the line does not match. */
  match(line: string): readonly string[] | undefined;
}

interface Piece {
  readonly automaton: Automaton;
  readonly place?: Placeholder;
}

/** Larger than the states of any piece. */
const PIECE = 2 ** 20;

/** The pattern of a text; refuses with every fault. */
export function compilePattern(
  source: string,
  enumerations: ReadonlyMap<string, Enumeration>,
): Result<Pattern, TextFault> {
  if (source.length > LINE_PATTERN_CHARACTERS) {
    const message = `it has ${source.length} characters; a pattern has at most ${LINE_PATTERN_CHARACTERS}`;
    return refusedAll([{ message, help: 'match the beginning, and the rest as {rest:text}' }]);
  }
  const parts = parseTemplate(source);
  if (!parts.ok) return parts;
  const builder = new PatternBuilder(parts.value, enumerations);
  const pieces = builder.pieces();
  const faults = [...builder.faults, ...ambiguities(pieces)];
  if (faults.length > 0) return refusedAll(faults);
  return accepted(new CompiledPattern(source, pieces));
}

class PatternBuilder {
  readonly faults: TextFault[] = [];
  readonly #parts: readonly TemplatePart[];
  readonly #enumerations: ReadonlyMap<string, Enumeration>;

  constructor(parts: readonly TemplatePart[], enumerations: ReadonlyMap<string, Enumeration>) {
    this.#parts = parts;
    this.#enumerations = enumerations;
  }

  pieces(): Piece[] {
    this.#checkEnds();
    this.#checkNames();
    return this.#parts.flatMap((part, index) =>
      'text' in part ? literals(part.text) : this.#place(part, index),
    );
  }

  #checkEnds(): void {
    const [first, last] = [this.#parts[0], this.#parts.at(-1)];
    if (first === undefined) this.faults.push({ message: 'it is empty', help: 'write the line' });
    const blankAt = (part: TemplatePart | undefined, at: number): boolean =>
      part !== undefined &&
      'text' in part &&
      isBlank(part.text.charCodeAt(at < 0 ? part.text.length - 1 : 0));
    if (blankAt(first, 0) || blankAt(last, -1)) {
      const help = 'leave them out: a line is read without blanks at its ends';
      this.faults.push({ message: 'it begins or ends with a blank', help });
    }
  }

  #checkNames(): void {
    const names = this.#parts.flatMap((part) => ('name' in part ? [part.name] : []));
    for (const name of new Set(names.filter((each, index) => names.indexOf(each) < index))) {
      this.faults.push({ message: `{${name}} is given twice`, help: 'give each placeholder its own name' });
    }
  }

  #place({ name, format }: Extract<TemplatePart, { name: string }>, index: number): Piece[] {
    const next = this.#parts[index + 1];
    if (next !== undefined && 'name' in next) {
      const message = `nothing stands between {${name}} and {${next.name}}`;
      this.faults.push({ message, help: 'write what separates them' });
      return [];
    }
    const holds = this.#kindOf(name, format);
    if (holds === undefined) return [];
    const stop = next?.text.charCodeAt(0);
    if (holds.kind === 'text' && stop !== undefined && isBlank(stop)) {
      const message = `the text {${name}} would end at the first blank`;
      this.faults.push({ message, help: `write {${name}:word}, or put the text at the end of the line` });
      return [];
    }
    return [{ automaton: automatonOf(holds, stop), place: { name, holds } }];
  }

  #kindOf(name: string, format: string | undefined): PlaceholderKind | undefined {
    if (format?.includes('|') === true) return this.#choice(name, format.split('|'));
    const kind = PLACE_KINDS.find((each) => each === format);
    if (kind !== undefined) return { kind };
    const enumeration = this.#enumerations.get(format ?? '');
    if (enumeration !== undefined) return { kind: 'enum', enumeration };
    const known = [...PLACE_KINDS, ...this.#enumerations.keys()];
    this.faults.push(
      format === undefined
        ? {
            message: `{${name}} does not say what it holds`,
            help: `write {${name}:number}, or ${known.join(', ')}`,
          }
        : { message: `{${name}:${format}} holds nothing known`, help: nearHelp(format, known, 'kinds') },
    );
    return undefined;
  }

  #choice(name: string, words: readonly string[]): PlaceholderKind | undefined {
    if (words.every((each, index) => each !== '' && words.indexOf(each) === index && !hasBlankEnds(each))) {
      return { kind: 'choice', words };
    }
    const message = `{${name}:${words.join('|')}} has an empty word, one that is repeated, or blanks around one`;
    this.faults.push({ message, help: `write {${name}:OFF|ON}` });
    return undefined;
  }
}

function hasBlankEnds(words: string): boolean {
  return words.trim() !== words;
}

/** Words and the blanks between them (N1). */
function literals(written: string): Piece[] {
  const pieces = written.match(/[ \t]+|[^ \t]+/g) ?? [];
  return pieces.map((each) => ({ automaton: isBlank(each.charCodeAt(0)) ? blanks : literal(each) }));
}

function automatonOf(holds: PlaceholderKind, stop: number | undefined): Automaton {
  switch (holds.kind) {
    case 'enum':
      return alternatives(holds.enumeration.names);
    case 'choice':
      return alternatives(holds.words);
    case 'word':
      return word(stop);
    case 'text':
      return text(stop);
    default:
      return { integer, decimal, number, hex }[holds.kind];
  }
}

/** N2: a place that may go on with what begins the piece behind it. */
function ambiguities(pieces: readonly Piece[]): TextFault[] {
  return pieces.flatMap(({ automaton, place }, index) => {
    const next = pieces[index + 1]?.automaton;
    const shared = place === undefined || next === undefined ? undefined : sharedCode(automaton, next);
    if (place === undefined || shared === undefined) return [];
    const message = `{${place.name}} may continue with "${String.fromCharCode(shared)}", and so does the text after it`;
    return [{ message, help: 'separate them by a blank or a sign, or take a narrower kind, like integer' }];
  });
}

function sharedCode(before: Automaton, after: Automaton): number | undefined {
  const candidates = [...new Set([...before.alphabet, ...after.alphabet])];
  const ends = reachable(before).filter((state) => before.accepts(state));
  return candidates.find(
    (code) =>
      after.step(after.start, code) !== DEAD && ends.some((state) => before.step(state, code) !== DEAD),
  );
}

class CompiledPattern implements Pattern {
  readonly source: string;
  readonly places: readonly Placeholder[];
  readonly alphabet: readonly number[];
  readonly start: number;
  readonly #pieces: readonly Piece[];

  constructor(source: string, pieces: readonly Piece[]) {
    this.source = source;
    this.places = pieces.flatMap(({ place }) => (place === undefined ? [] : [place]));
    this.alphabet = [...new Set(pieces.flatMap(({ automaton }) => automaton.alphabet))];
    this.start = pieces[0]?.automaton.start ?? 0;
    this.#pieces = pieces;
  }

  match(line: string): readonly string[] | undefined {
    const found: string[] = [];
    let state = this.start;
    let begin = 0;
    for (let index = 0; index < line.length; index += 1) {
      const next = this.step(state, line.charCodeAt(index));
      if (next === DEAD) return undefined;
      if (pieceOf(next) !== pieceOf(state)) {
        this.#keep(pieceOf(state), line.slice(begin, index), found);
        begin = index;
      }
      state = next;
    }
    if (!this.accepts(state)) return undefined;
    this.#keep(pieceOf(state), line.slice(begin), found);
    return found;
  }

  step(state: number, code: number): number {
    const at = pieceOf(state);
    const own = this.#pieces[at]!.automaton;
    const within = own.step(state % PIECE, code);
    if (within !== DEAD) return at * PIECE + within;
    const next = this.#pieces[at + 1]?.automaton;
    if (next === undefined || !own.accepts(state % PIECE)) return DEAD;
    const into = next.step(next.start, code);
    return into === DEAD ? DEAD : (at + 1) * PIECE + into;
  }

  accepts(state: number): boolean {
    const at = pieceOf(state);
    return at === this.#pieces.length - 1 && this.#pieces[at]!.automaton.accepts(state % PIECE);
  }

  #keep(piece: number, found: string, into: string[]): void {
    if (this.#pieces[piece]?.place !== undefined) into.push(found);
  }
}

function pieceOf(state: number): number {
  return Math.floor(state / PIECE);
}
