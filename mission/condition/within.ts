/**
 * `x within T of Y`: the tolerance is a difference, `2 K` or `3 dB`, its bounds belong to it.
 */

import { minus, plus, ratioOf, toNumber } from '../unit-scale.ts';
import type { TruthRun } from './history.ts';
import type { WithinNode } from './syntax.ts';
import { type Check, inUnit, misfit, type NumberTerm, type TruthTerm } from './term.ts';
import { type Kleene, kleene, UNKNOWN } from './truth.ts';

/** Whether the left side is at most the tolerance away from the right one. */
export function withinTerm(node: WithinNode, check: Check): TruthTerm | undefined {
  const left = check.number(node.left);
  const right = check.number(node.right);
  const tolerance = check.number(node.tolerance);
  if (left === undefined || right === undefined || tolerance === undefined) return undefined;
  const { unit } = left.literal !== undefined && right.literal === undefined ? right : left;
  const [from, to] = [inUnit(left, unit), inUnit(right, unit)];
  if (from === undefined || to === undefined) return misfit(left, right, node.at, check);
  const by = inUnit(tolerance, unit.difference);
  if (by === undefined)
    return misfit(tolerance, { ...right, unit: unit.difference }, node.tolerance.at, check);
  if ((by.literal ?? 0) < 0) {
    return check.fault(node.tolerance.at, 'the tolerance is negative', 'write zero or more');
  }
  return { kind: 'truth', run: withinRun(from, to, by) };
}

function withinRun(value: NumberTerm, middle: NumberTerm, tolerance: NumberTerm): TruthRun {
  const { run } = value;
  if (middle.literal !== undefined && tolerance.literal !== undefined) {
    // The bounds are rounded once, from the decimals: 7.1 V is within 0.1 V of 7.2 V.
    const [centre, width] = [ratioOf(middle.literal), ratioOf(tolerance.literal)];
    const [low, high] = [toNumber(minus(centre, width)), toNumber(plus(centre, width))];
    return (history) => between(run(history), low, high);
  }
  return (history) => {
    const [centre, width] = [middle.run(history), tolerance.run(history)];
    return between(run(history), centre - width, centre + width);
  };
}

function between(value: number, low: number, high: number): Kleene {
  if (Number.isNaN(value) || Number.isNaN(low) || Number.isNaN(high)) return UNKNOWN;
  return kleene(value >= low && value <= high);
}
