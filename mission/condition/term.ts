/**
 * What a part of a condition is, once it is understood: a truth, a number in a unit, a value of an enumeration, a text,
 * or a word that only the other side can explain. Also what a term may be turned into.
 *
 * T1. A number is expressed in the unit of its term; a literal keeps its number, so that it is converted exactly.
 */

import type { Enumeration } from '../platform.ts';
import { converts, kindOf, linear, PLAIN, rescale, type Unit, writtenIn } from '../unit.ts';
import { ratioOf, toNumber } from '../unit-scale.ts';
import type { NumberRun, TextRun, TruthRun } from './history.ts';
import type { Plan } from './plan.ts';
import type { ConditionScope } from './scope.ts';
import type { Node } from './syntax.ts';

/** `slot` is there when the term is a measure and nothing else. */
export interface TruthTerm {
  readonly kind: 'truth';
  readonly run: TruthRun;
  readonly slot?: number;
}

export interface NumberTerm {
  readonly kind: 'number';
  readonly unit: Unit;
  readonly run: NumberRun;
  readonly literal?: number;
  readonly slot?: number;
  /** The age of this slot: it grows by itself. */
  readonly ageOf?: number;
}

export interface EnumTerm {
  readonly kind: 'enum';
  readonly enumeration: Enumeration;
  readonly run: NumberRun;
  readonly slot?: number;
}

export interface TextTerm {
  readonly kind: 'text';
  readonly bytes: boolean;
  readonly run: TextRun;
  readonly literal?: string;
  readonly slot?: number;
}

export interface WordTerm {
  readonly kind: 'word';
  readonly word: string;
}

export type Term = TruthTerm | NumberTerm | EnumTerm | TextTerm | WordTerm;

/** What the parts of the compiler ask of each other. Undefined is a term whose fault has been reported. */
export interface Check {
  readonly plan: Plan;
  readonly scope: ConditionScope;
  term(node: Node): Term | undefined;
  /** The term, which must be a number that stands still. */
  number(node: Node): NumberTerm | undefined;
  truth(node: Node): TruthTerm | undefined;
  /** Reports a fault; gives undefined. */
  fault(at: number, message: string, help?: string): undefined;
}

export function literal(value: number, unit: Unit): NumberTerm {
  return { kind: 'number', unit, literal: value, run: () => value };
}

/** The number expressed in `unit`; undefined when it does not fit. A literal temperature may also be a difference. */
export function inUnit(term: NumberTerm, unit: Unit): NumberTerm | undefined {
  if (converts(term.unit, unit)) return converted(term, term.unit, unit);
  const { difference, spansDifferences } = term.unit;
  const readable = term.literal !== undefined && spansDifferences && converts(difference, unit);
  return readable ? converted(term, difference, unit) : undefined;
}

/** In words, for messages: `a voltage in V`. */
export function described(term: Term): string {
  if (term.kind === 'truth') return 'true or false';
  if (term.kind === 'enum') return `a value of ${term.enumeration.name}`;
  if (term.kind === 'text') return term.bytes ? 'bytes' : 'a text';
  if (term.kind === 'word') return `the word "${term.word}"`;
  if (term.unit === PLAIN) return 'a plain number';
  return `${kindOf(term.unit)} in ${term.unit.name}`;
}

/** Whether two numbers could be compared at all, in one unit or the other. */
export function isAbsolute(unit: Unit): boolean {
  return unit.difference !== unit;
}

function converted(term: NumberTerm, from: Unit, to: Unit): NumberTerm {
  if (term.literal !== undefined) return literal(toNumber(rescale(ratioOf(term.literal), from, to)), to);
  if (from.name === to.name) return { ...term, unit: to };
  const { factor, shift } = linear(from, to);
  const { run } = term;
  return { kind: 'number', unit: to, run: (history) => run(history) * factor + shift };
}

/** Reports that two terms cannot be compared, and what would fit. */
export function misfit(left: Term, right: Term, at: number, check: Check): undefined {
  const numbers = left.kind === 'number' && right.kind === 'number';
  const help = numbers ? unitHelp(left, right) : 'both sides must be of one kind';
  return check.fault(at, `${described(left)} cannot be compared with ${described(right)}`, help);
}

/** What to write where the literal stands, or on the right. */
function unitHelp(left: NumberTerm, right: NumberTerm): string {
  const { unit } = left.literal !== undefined && right.literal === undefined ? right : left;
  return unit === PLAIN ? 'write a number without unit' : writtenIn(unit);
}
