/**
 * Sums, products and signs, with their units. Volts times amperes are watts; a temperature less a temperature is a
 * difference; a temperature plus a difference is a temperature. The same holds for power levels (dBm) and decibels.
 *
 * A1. A literal temperature after `+` is a difference. After `-` it is one when written in K, which has no offset;
 *     `t - 20 degC` is how far t is from 20 degC.
 * A2. Absolute temperatures and levels are neither added nor multiplied: the outcome would depend on their scale.
 */

import { productUnit, quotientUnit, type Unit } from '../unit.ts';
import { minus, plus, ratioOf, toNumber } from '../unit-scale.ts';
import type { NumberRun } from './history.ts';
import type { BinaryNode, Node } from './syntax.ts';
import { type Check, described, inUnit, isAbsolute, literal, type NumberTerm } from './term.ts';

/** The sum, difference, product or quotient; reports units that do not go together. */
export function binaryTerm(node: BinaryNode, check: Check): NumberTerm | undefined {
  const left = check.number(node.left);
  const right = check.number(node.right);
  if (left === undefined || right === undefined) return undefined;
  if (node.op === '*' || node.op === '/') return scaledTerm(left, right, node, check);
  const added = node.op === '+' ? sumOf(left, right) : differenceOf(left, right);
  if (added !== undefined) return added;
  const verb = node.op === '+' ? 'added to' : 'taken from';
  const message = `${described(right)} cannot be ${verb} ${described(left)}`;
  return check.fault(node.at, message, sumHelp(left, right));
}

/** The number with the other sign; reports an absolute temperature or level, which has none. */
export function negativeTerm(of: Node, at: number, check: Check): NumberTerm | undefined {
  const term = check.number(of);
  if (term === undefined) return undefined;
  if (term.literal !== undefined) return literal(-term.literal, term.unit);
  if (isAbsolute(term.unit)) return absoluteFault(term, at, check);
  const { run } = term;
  return { kind: 'number', unit: term.unit, run: (history) => -run(history) };
}

/** The number as a difference, so that it may be scaled; reports an absolute temperature or level. */
export function asDifference(term: NumberTerm, at: number, check: Check): NumberTerm | undefined {
  if (!isAbsolute(term.unit)) return term;
  if (term.literal !== undefined && term.unit.spansDifferences)
    return literal(term.literal, term.unit.difference);
  return absoluteFault(term, at, check);
}

function sumOf(left: NumberTerm, right: NumberTerm): NumberTerm | undefined {
  const turned = isAbsolute(right.unit) && (!isAbsolute(left.unit) || left.literal !== undefined);
  const [base, step] = turned && right.literal === undefined ? [right, left] : [left, right];
  if (isAbsolute(base.unit)) return combined(base, inUnit(step, base.unit.difference), '+', base.unit);
  if (isAbsolute(step.unit)) return combined(step, inUnit(base, step.unit.difference), '+', step.unit);
  return inOneUnit(left, right, '+');
}

function differenceOf(left: NumberTerm, right: NumberTerm): NumberTerm | undefined {
  if (!isAbsolute(left.unit))
    return isAbsolute(right.unit) ? fromDifference(left, right) : inOneUnit(left, right, '-');
  const step = isAbsolute(right.unit) && !isStep(right) ? undefined : inUnit(right, left.unit.difference);
  if (step !== undefined) return combined(left, step, '-', left.unit);
  return combined(left, inUnit(right, left.unit), '-', left.unit.difference);
}

/** A literal temperature without offset (A1). */
function isStep(term: NumberTerm): boolean {
  return term.literal !== undefined && term.unit.spansDifferences && term.unit.offset.numerator === 0n;
}

/** `delta(t, 60 s) - 5 K`: the literal is a difference since the left side is one. */
function fromDifference(left: NumberTerm, right: NumberTerm): NumberTerm | undefined {
  return combined(left, inUnit(right, left.unit), '-', left.unit);
}

function inOneUnit(left: NumberTerm, right: NumberTerm, op: '+' | '-'): NumberTerm | undefined {
  const { unit } = left.literal !== undefined && right.literal === undefined ? right : left;
  const inLeft = inUnit(left, unit);
  return inLeft && combined(inLeft, inUnit(right, unit), op, unit);
}

function combined(
  left: NumberTerm,
  right: NumberTerm | undefined,
  op: '+' | '-',
  unit: Unit,
): NumberTerm | undefined {
  if (right === undefined) return undefined;
  if (left.literal !== undefined && right.literal !== undefined) {
    const exact = (op === '+' ? plus : minus)(ratioOf(left.literal), ratioOf(right.literal));
    return literal(toNumber(exact), unit);
  }
  const [a, b] = [left.run, right.run];
  return {
    kind: 'number',
    unit,
    run: op === '+' ? (history) => a(history) + b(history) : (history) => a(history) - b(history),
  };
}

function scaledTerm(
  left: NumberTerm,
  right: NumberTerm,
  node: BinaryNode,
  check: Check,
): NumberTerm | undefined {
  const a = asDifference(left, node.left.at, check);
  const b = asDifference(right, node.right.at, check);
  if (a === undefined || b === undefined) return undefined;
  const unit = node.op === '*' ? productUnit(a.unit, b.unit) : quotientUnit(a.unit, b.unit);
  const run = node.op === '*' ? product(a.run, b.run) : quotient(a.run, b.run);
  if (a.literal === undefined || b.literal === undefined) return { kind: 'number', unit, run };
  const value = node.op === '*' ? a.literal * b.literal : a.literal / b.literal;
  if (Number.isFinite(value)) return literal(value, unit);
  return check.fault(node.at, 'the result is not a number', 'do not divide by zero');
}

function product(a: NumberRun, b: NumberRun): NumberRun {
  return (history) => a(history) * b(history);
}

/** Unknown where the divisor is zero. */
function quotient(a: NumberRun, b: NumberRun): NumberRun {
  return (history) => {
    const divisor = b(history);
    return divisor === 0 ? Number.NaN : a(history) / divisor;
  };
}

function sumHelp(left: NumberTerm, right: NumberTerm): string {
  if (isAbsolute(left.unit) && isAbsolute(right.unit)) return 'for a mean write "a + (b - a) / 2"';
  return 'both sides must measure the same';
}

function absoluteFault(term: NumberTerm, at: number, check: Check): undefined {
  return check.fault(
    at,
    `${described(term)} is absolute: scaled, it would depend on where its scale begins`,
    `take a difference first, for example "(a - b) * 2"`,
  );
}
