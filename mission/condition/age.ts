/**
 * Comparing the age of a measure: it grows by itself, so its comparison turns at a moment that is known beforehand.
 */

import { findUnit } from '../unit.ts';
import type { NumberRun, TruthRun } from './history.ts';
import type { Comparison } from './syntax.ts';
import { type Check, described, inUnit, type NumberTerm } from './term.ts';
import { kleene, UNKNOWN } from './truth.ts';

const MILLISECOND = findUnit('ms')!;

/** The comparison of the age of `slot`; reports what is no duration and an equality, which would not last. */
export function ageCompared(
  slot: number,
  right: NumberTerm,
  op: Comparison,
  at: number,
  check: Check,
): TruthRun | undefined {
  if (op === '==' || op === '!=') {
    return check.fault(at, 'an age is never equal to anything for long', 'compare it with < or >');
  }
  const limit = inUnit(right, MILLISECOND);
  if (limit === undefined) {
    return check.fault(
      at,
      `an age is compared with a duration, this is ${described(right)}`,
      'write for example "60 s"',
    );
  }
  const turn = turnOf(slot, limit.run);
  const older = op === '>' || op === '>=';
  const after = op === '>' || op === '<=';
  check.plan.timers.push((history, from) => {
    const moment = after ? nextWhole(turn(history)) : turn(history);
    return moment > from ? moment : Number.POSITIVE_INFINITY;
  });
  return (history) => {
    const moment = turn(history);
    if (Number.isNaN(moment)) return UNKNOWN;
    const past = after ? history.now > moment : history.now >= moment;
    return kleene(past === older);
  };
}

/** The moment at which the age of the slot is the limit. */
function turnOf(slot: number, limit: NumberRun): NumberRun {
  return (history) => history.knownAt[slot]! + limit(history);
}

/** The first whole ms past the moment. */
function nextWhole(moment: number): number {
  return Math.floor(moment) + 1;
}
