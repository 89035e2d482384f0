/**
 * The tree of a condition as the generated parser makes it, and the one way to it: `parseCondition`. It knows no
 * measure and no unit; meaning is given in `compile.ts`.
 *
 * X1. Every node has the offset of what it is about in the text, so that every fault has a place.
 */

import { CONDITION_CHARACTERS } from '../../contract/limits/request.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import { type Expectation, SyntaxError as GrammarError, parse } from './generated/grammar.js';

export interface ConditionFault {
  readonly message: string;
  readonly help?: string;
  /** Offset in the text, from 0. */
  readonly offset: number;
}

export type Node =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Node[]; readonly at: number }
  | { readonly kind: 'not' | 'negative'; readonly of: Node; readonly at: number }
  | { readonly kind: 'stable'; readonly of: Node; readonly duration: Node; readonly at: number }
  | CompareNode
  | { readonly kind: 'in'; readonly left: Node; readonly list: readonly Node[]; readonly at: number }
  | WithinNode
  | { readonly kind: 'changes'; readonly left: Node; readonly at: number }
  | BinaryNode
  | CallNode
  | QuantityNode
  | { readonly kind: 'boolean'; readonly value: boolean; readonly at: number }
  | { readonly kind: 'text'; readonly value: string; readonly at: number }
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | ReferenceNode;

export type Comparison = '<' | '<=' | '==' | '!=' | '>' | '>=';

export interface CompareNode {
  readonly kind: 'compare';
  readonly op: Comparison;
  readonly left: Node;
  readonly right: Node;
  readonly at: number;
}

export interface WithinNode {
  readonly kind: 'within';
  readonly left: Node;
  readonly tolerance: Node;
  readonly right: Node;
  readonly at: number;
}

export interface BinaryNode {
  readonly kind: 'binary';
  readonly op: '+' | '-' | '*' | '/';
  readonly left: Node;
  readonly right: Node;
  readonly at: number;
}

export interface CallNode {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly Node[];
  readonly at: number;
}

export interface QuantityNode {
  readonly kind: 'quantity';
  /** The number as written, without sign. */
  readonly text: string;
  readonly unit: string | null;
  readonly at: number;
}

export interface ReferenceNode {
  readonly kind: 'reference';
  readonly path: readonly Segment[];
  readonly at: number;
}

export interface Segment {
  readonly name: string;
  readonly instance: InstanceNode | null;
}

export type InstanceNode =
  | { readonly kind: 'literal'; readonly value: string }
  | { readonly kind: 'name'; readonly name: string };

/** Parentheses and calls within each other: more than anyone reads, and far from the depth of the stack. */
const CONDITION_DEPTH = 32;
/** Taken by the grammar only to say what to write instead. */
const FOREIGN: readonly (string | undefined)[] = ['&&', '||', '!'];

/** The tree of the text; refuses what the grammar does not take, with the place and what would fit there. */
export function parseCondition(text: string): Result<Node, ConditionFault> {
  const bounded = withinBounds(text);
  if (bounded !== undefined) return refused(bounded);
  try {
    return accepted(parse(text));
  } catch (error) {
    if (error instanceof GrammarError) return refused(syntaxFault(error, text));
    throw error;
  }
}

function withinBounds(text: string): ConditionFault | undefined {
  if (text.length > CONDITION_CHARACTERS) {
    return {
      message: `condition of ${text.length} characters`,
      help: `write at most ${CONDITION_CHARACTERS}; name parts of it as derived measures`,
      offset: CONDITION_CHARACTERS,
    };
  }
  let depth = 0;
  for (let offset = 0; offset < text.length; offset += 1) {
    if (text[offset] === '(') depth += 1;
    if (text[offset] === ')') depth -= 1;
    if (depth > CONDITION_DEPTH) {
      return { message: 'parentheses too deep', help: `nest at most ${CONDITION_DEPTH}`, offset };
    }
  }
  return undefined;
}

function syntaxFault(error: GrammarError, text: string): ConditionFault {
  const { offset } = error.location.start;
  if (error.expected === null) return { message: error.message, offset };
  const found =
    offset >= text.length ? 'the condition ends too early' : `unexpected "${wordAt(text, offset)}"`;
  const wanted = expectations(error.expected);
  return { message: found, ...(wanted !== '' && { help: `here would fit: ${wanted}` }), offset };
}

function wordAt(text: string, offset: number): string {
  return /^(?:[A-Za-z0-9_-]+|[^A-Za-z0-9_-])/.exec(text.slice(offset))?.[0] ?? '';
}

function expectations(expected: readonly Expectation[]): string {
  const names = expected.map((one) => {
    if (one.type === 'literal') return FOREIGN.includes(one.text) ? undefined : `"${one.text}"`;
    if (one.type === 'end') return 'the end';
    return one.type === 'other' && one.description !== 'space' ? one.description : undefined;
  });
  return [...new Set(names.filter((name) => name !== undefined))].sort().join(', ');
}
