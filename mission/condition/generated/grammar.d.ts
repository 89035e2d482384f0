/**
 * The parser that `npm run grammar` generates from `condition.peggy`. Never edited by hand, unlike this declaration.
 */

import type { Node } from '../syntax.ts';

export interface Expectation {
  readonly type: 'literal' | 'class' | 'any' | 'end' | 'other';
  /** Of a literal. */
  readonly text?: string;
  /** Of a named rule. */
  readonly description?: string;
}

export class SyntaxError extends globalThis.SyntaxError {
  /** Null when the grammar itself says what is wrong. */
  readonly expected: readonly Expectation[] | null;
  readonly found: string | null;
  readonly location: { readonly start: { readonly offset: number } };
}

/** The tree of a condition; throws `SyntaxError`. */
export function parse(text: string): Node;
