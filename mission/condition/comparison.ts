/**
 * Comparisons: `< <= == != > >=`, `in [..]`, `changes`. Both sides are expressed in one unit at compile time; a lone
 * word is looked up in the enumeration of the other side.
 *
 * C1. Unknown on either side is unknown.
 * C2. Only numbers have an order.
 */

import type { Enumeration } from '../platform.ts';
import { ageCompared } from './age.ts';
import { anyOf } from './chain.ts';
import type { NumberRun, TextRun, TruthRun } from './history.ts';
import { listed } from './listing.ts';
import { unknownWord } from './reference.ts';
import type { CompareNode, Comparison, Node } from './syntax.ts';
import { type Check, described, inUnit, misfit, type NumberTerm, type Term, type TruthTerm } from './term.ts';
import { type Kleene, kleene, negated, UNKNOWN } from './truth.ts';

const MIRRORED: Readonly<Record<Comparison, Comparison>> = {
  '<': '>',
  '<=': '>=',
  '==': '==',
  '!=': '!=',
  '>': '<',
  '>=': '<=',
};

/** The comparison; reports sides that cannot be compared. */
export function compareTerm(node: CompareNode, check: Check): TruthTerm | undefined {
  const left = check.term(node.left);
  const right = check.term(node.right);
  if (left === undefined || right === undefined) return undefined;
  const first = explained(left, right, node.left.at, check);
  const second = explained(right, left, node.right.at, check);
  const run = first && second && compared(first, second, node.op, node.at, check);
  return run && { kind: 'truth', run };
}

/** Whether the left side equals one of the list; reports what it cannot be compared with. */
export function inTerm(leftNode: Node, list: readonly Node[], check: Check): TruthTerm | undefined {
  const left = check.term(leftNode);
  const members = list.map((node) => ({ node, term: check.term(node) }));
  if (left === undefined) return undefined;
  if (left.kind === 'word') return unknownWord(left.word, leftNode.at, check);
  const runs = members.map(({ node, term }) => {
    const member = term && explained(term, left, node.at, check);
    return member && compared(left, member, '==', node.at, check);
  });
  const known = runs.filter((run) => run !== undefined);
  return known.length < runs.length ? undefined : { kind: 'truth', run: anyOf(known) };
}

/** Whether the last sample differed from the one before; reports anything but a measure. */
export function changesTerm(left: Node, at: number, check: Check): TruthTerm | undefined {
  const term = check.term(left);
  if (term === undefined) return undefined;
  if (term.kind === 'word') return unknownWord(term.word, left.at, check);
  const { slot } = term;
  if (slot === undefined) {
    return check.fault(at, 'only a measure changes', 'name one measure in front of "changes"');
  }
  check.plan.temporal = true;
  return { kind: 'truth', run: (history) => history.changed[slot]! };
}

/** The term; a word, or a text beside an enumeration, as the value it names. */
function explained(term: Term, other: Term, at: number, check: Check): Term | undefined {
  const name = term.kind === 'word' ? term.word : term.kind === 'text' ? term.literal : undefined;
  if (other.kind === 'enum' && name !== undefined) return namedValue(other.enumeration, name, at, check);
  return term.kind === 'word' ? unknownWord(term.word, at, check) : term;
}

function namedValue(enumeration: Enumeration, name: string, at: number, check: Check): Term | undefined {
  const number = enumeration.numberOf(name);
  if (number !== undefined) return { kind: 'enum', enumeration, run: () => number };
  const help = `it has: ${listed(enumeration.names)}`;
  return check.fault(at, `"${name}" is no value of ${enumeration.name}`, help);
}

function compared(left: Term, right: Term, op: Comparison, at: number, check: Check): TruthRun | undefined {
  if (left.kind === 'number' && right.kind === 'number') return numbersCompared(left, right, op, at, check);
  const run = equality(left, right);
  if (run === undefined) return misfit(left, right, at, check);
  if (op === '==') return run;
  if (op === '!=') return (history) => negated(run(history));
  return check.fault(at, `${described(left)} has no order`, 'compare it with == or !=');
}

/** Whether both sides are equal; undefined for sides of different kinds. */
function equality(left: Term, right: Term): TruthRun | undefined {
  if (left.kind === 'enum' && right.kind === 'enum') {
    const same = left.enumeration === right.enumeration || left.enumeration.name === right.enumeration.name;
    return same ? ordered(left.run, right.run, '==') : undefined;
  }
  if (left.kind === 'truth' && right.kind === 'truth') return sameTruth(left.run, right.run);
  if (left.kind === 'text' && right.kind === 'text') {
    return left.bytes || right.bytes
      ? sameText(hexadecimal(left.run), hexadecimal(right.run))
      : sameText(left.run, right.run);
  }
  return undefined;
}

function sameTruth(a: TruthRun, b: TruthRun): TruthRun {
  return (history) => {
    const [x, y] = [a(history), b(history)];
    return x === UNKNOWN || y === UNKNOWN ? UNKNOWN : kleene(x === y);
  };
}

function sameText(a: TextRun, b: TextRun): TruthRun {
  return (history) => {
    const [x, y] = [a(history), b(history)];
    return x === null || y === null ? UNKNOWN : kleene(x === y);
  };
}

function hexadecimal(run: TextRun): TextRun {
  return (history) => run(history)?.toLowerCase().replace(/^0x/, '') ?? null;
}

function numbersCompared(
  left: NumberTerm,
  right: NumberTerm,
  op: Comparison,
  at: number,
  check: Check,
): TruthRun | undefined {
  if (left.ageOf !== undefined && right.ageOf !== undefined) {
    return check.fault(at, 'two ages cannot be compared', 'compare each with a duration');
  }
  if (left.ageOf !== undefined) return ageCompared(left.ageOf, right, op, at, check);
  if (right.ageOf !== undefined) return ageCompared(right.ageOf, left, MIRRORED[op], at, check);
  if (left.literal !== undefined && right.literal === undefined) {
    return numbersCompared(right, left, MIRRORED[op], at, check);
  }
  const same = inUnit(right, left.unit);
  if (same === undefined) return misfit(left, right, at, check);
  const { slot } = left;
  const number = same.literal;
  return slot !== undefined && number !== undefined
    ? slotCompared(slot, number, op)
    : ordered(left.run, same.run, op);
}

/** The common case, a measure and a number, without further calls. */
function slotCompared(slot: number, number: number, op: Comparison): TruthRun {
  return (history) => {
    const value = history.numbers[slot]!;
    return Number.isNaN(value) ? UNKNOWN : decided(value, number, op);
  };
}

function ordered(a: NumberRun, b: NumberRun, op: Comparison): TruthRun {
  return (history) => {
    const [x, y] = [a(history), b(history)];
    return Number.isNaN(x) || Number.isNaN(y) ? UNKNOWN : decided(x, y, op);
  };
}

function decided(a: number, b: number, op: Comparison): Kleene {
  switch (op) {
    case '<':
      return kleene(a < b);
    case '<=':
      return kleene(a <= b);
    case '>':
      return kleene(a > b);
    case '>=':
      return kleene(a >= b);
    case '==':
      return kleene(a === b);
    case '!=':
      return kleene(a !== b);
  }
}
