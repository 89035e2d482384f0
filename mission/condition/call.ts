/**
 * The functions of the condition language: `avg min max rate delta count` over a window of ground time, `age`, `valid`,
 * `abs`. Mission Control Service, section 4.4 (history).
 *
 * L1. An empty window is unknown, except to `count`: once its measure has had a value, nothing in the window is 0.
 * L2. `rate` is per second; `rate` and `delta` of a temperature are differences.
 * L3. `age` is the time since the last sample with a value, and stands in comparisons only, where it can say when it
 *     will turn.
 */

import { findUnit, PLAIN, quotientUnit, type Unit } from '../unit.ts';
import { asDifference } from './arithmetic.ts';
import type { NumberRun } from './history.ts';
import { listed } from './listing.ts';
import { unknownWord } from './reference.ts';
import type { CallNode, Node } from './syntax.ts';
import { type Check, described, inUnit, type NumberTerm, type Term, type TruthTerm } from './term.ts';
import { kleene, UNKNOWN } from './truth.ts';

interface WindowFunction {
  readonly ofNumbers: boolean;
  unit(of: Unit): Unit;
  run(window: number, slot: number): NumberRun;
}

const SECOND = findUnit('s')!;
const MILLISECOND = findUnit('ms')!;

const WINDOW_FUNCTIONS: Readonly<Record<string, WindowFunction>> = {
  avg: { ofNumbers: true, unit: (of) => of, run: (window) => (history) => history.windows[window]!.mean },
  min: { ofNumbers: true, unit: (of) => of, run: (window) => (history) => history.windows[window]!.min },
  max: { ofNumbers: true, unit: (of) => of, run: (window) => (history) => history.windows[window]!.max },
  delta: {
    ofNumbers: true,
    unit: (of) => of.difference,
    run: (window) => (history) => history.windows[window]!.delta,
  },
  rate: {
    ofNumbers: true,
    unit: (of) => quotientUnit(of.difference, SECOND),
    run: (window) => (history) => history.windows[window]!.rate,
  },
  count: {
    ofNumbers: false,
    unit: () => PLAIN,
    run: (window, slot) => (history) =>
      Number.isNaN(history.knownAt[slot]!) ? Number.NaN : history.windows[window]!.count,
  },
};

/** What the call gives; reports an unknown function, a wrong number of arguments and arguments that do not fit. */
export function callTerm(node: CallNode, check: Check): Term | undefined {
  const windowed = Object.hasOwn(WINDOW_FUNCTIONS, node.name) ? WINDOW_FUNCTIONS[node.name] : undefined;
  if (windowed !== undefined) return windowTerm(node, windowed, check);
  if (node.name === 'age') return ageTerm(node, check);
  if (node.name === 'valid') return validTerm(node, check);
  if (node.name === 'abs') return absTerm(node, check);
  const known = [...Object.keys(WINDOW_FUNCTIONS), 'age', 'valid', 'abs'];
  return check.fault(node.at, `no function "${node.name}"`, `there are: ${listed(known)}`);
}

/** A duration in ms that is written out and positive; reports anything else. */
export function durationOf(node: Node, check: Check): number | undefined {
  const term = check.number(node);
  if (term === undefined) return undefined;
  const ms = inUnit(term, MILLISECOND)?.literal;
  if (ms === undefined) {
    return check.fault(
      node.at,
      `a duration is expected, this is ${described(term)}`,
      'write for example "10 s"',
    );
  }
  return ms > 0 ? ms : check.fault(node.at, 'the duration is not positive', 'write for example "10 s"');
}

function windowTerm(node: CallNode, of: WindowFunction, check: Check): NumberTerm | undefined {
  const [measure, length] = node.args;
  if (measure === undefined || length === undefined || node.args.length !== 2) {
    return check.fault(
      node.at,
      `${node.name} takes a measure and a window`,
      `write ${node.name}(measure, 60 s)`,
    );
  }
  const term = measureOf(measure, node.name, check);
  const lengthMs = durationOf(length, check);
  if (term === undefined || lengthMs === undefined) return undefined;
  if (of.ofNumbers && term.kind !== 'number') {
    return check.fault(
      measure.at,
      `${node.name} is of a number, this is ${described(term)}`,
      'count takes any measure',
    );
  }
  const window = check.plan.window(term.slot, lengthMs);
  const run = of.run(window, term.slot);
  return {
    kind: 'number',
    unit: of.unit(term.kind === 'number' ? term.unit : PLAIN),
    run: (history) => {
      history.windows[window]!.expire(history.now);
      return run(history);
    },
  };
}

function ageTerm(node: CallNode, check: Check): NumberTerm | undefined {
  const of = single(node, 'a measure', check);
  const slot = of && measureOf(of, 'age', check)?.slot;
  if (slot === undefined) return undefined;
  check.plan.temporal = true;
  return {
    kind: 'number',
    unit: MILLISECOND,
    run: (history) => Math.max(0, history.now - history.knownAt[slot]!),
    ageOf: slot,
  };
}

function validTerm(node: CallNode, check: Check): TruthTerm | undefined {
  const of = single(node, 'a value', check);
  const term = of && check.term(of);
  if (of === undefined || term === undefined) return undefined;
  if (term.kind === 'word') return unknownWord(term.word, of.at, check);
  if (term.kind === 'truth') {
    return { kind: 'truth', run: (history) => kleene(term.run(history) !== UNKNOWN) };
  }
  if (term.kind === 'text') return { kind: 'truth', run: (history) => kleene(term.run(history) !== null) };
  return { kind: 'truth', run: (history) => kleene(!Number.isNaN(term.run(history))) };
}

function absTerm(node: CallNode, check: Check): NumberTerm | undefined {
  const of = single(node, 'a number', check);
  const number = of && check.number(of);
  const term = of && number && asDifference(number, of.at, check);
  if (term === undefined) return undefined;
  const { run } = term;
  return { kind: 'number', unit: term.unit, run: (history) => Math.abs(run(history)) };
}

function single(node: CallNode, what: string, check: Check): Node | undefined {
  const [of, ...more] = node.args;
  if (of !== undefined && more.length === 0) return of;
  return check.fault(node.at, `${node.name} takes ${what} and nothing else`, `write ${node.name}(measure)`);
}

function measureOf(
  node: Node,
  name: string,
  check: Check,
): (Exclude<Term, { kind: 'word' }> & { readonly slot: number }) | undefined {
  const term = check.term(node);
  if (term === undefined) return undefined;
  if (term.kind === 'word') return unknownWord(term.word, node.at, check);
  const { slot } = term;
  if (slot !== undefined) return { ...term, slot };
  return check.fault(
    node.at,
    `${name} is of a measure, this is ${described(term)}`,
    'name a derived measure for it',
  );
}
