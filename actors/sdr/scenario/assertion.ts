/**
 * What an assertion says of what a scenario run observed. RF Bench Service, section 2.
 *
 * A1. An assertion that observed nothing failed, whatever it compares.
 * A2. It is verified only when it read the link and there was something to read: neither the script of the scenario nor
 *     the settings of the board prove anything of the link.
 */

import type { Measurement } from '../../../contract/bench/datapath.ts';
import type { AssertionResult } from '../../../contract/bench/run.ts';
import type { MetricSample, ScenarioAssertion } from '../../../contract/bench/scenario.ts';
import { readsLink } from '../../../radio/document/assertion.ts';

type Of<Source extends ScenarioAssertion['source']> = Extract<ScenarioAssertion, { source: Source }>;
type Operand = number | boolean | string;
export type Comparison = Of<'metric'>['op'];

export type StepOutcome = 'done' | 'failed' | 'skipped';

/** A step that was begun; times in ms since the beginning of the run. */
export interface StepTimes {
  readonly begun: number;
  readonly ended: number;
}

export interface Observations {
  /** By the name they were saved under. */
  readonly measurements: ReadonlyMap<string, Measurement>;
  readonly samples: readonly MetricSample[];
  readonly times: ReadonlyMap<string, StepTimes>;
  /** Of every step of the timeline. */
  readonly outcomes: ReadonlyMap<string, StepOutcome>;
  readonly events: (kind: string | undefined) => number;
  readonly frames: () => number;
}

/** Undefined `passed`: there was nothing to observe. */
interface Finding {
  readonly passed: boolean | undefined;
  readonly found: string;
}

/** What the assertion comes to. */
export function judgeAssertion(assertion: ScenarioAssertion, seen: Observations): AssertionResult {
  const { passed, found } = findingOf(assertion, seen);
  const nothing = passed === undefined || (assertion.source === 'frames' && seen.frames() === 0);
  return {
    name: assertion.name,
    passed: passed === true,
    verified: readsLink(assertion) && !nothing,
    message: passed === undefined ? `observed nothing: ${found}` : `${found}; ${wordsOf(assertion)}`,
  };
}

/** Whether the comparison holds; never between values of different types, but for `!=`. */
export function compare(op: Comparison, left: Operand, right: Operand): boolean {
  switch (op) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return typeof left === typeof right && left < right;
    case '<=':
      return typeof left === typeof right && left <= right;
    case '>':
      return typeof left === typeof right && left > right;
    case '>=':
      return typeof left === typeof right && left >= right;
  }
}

function findingOf(assertion: ScenarioAssertion, seen: Observations): Finding {
  switch (assertion.source) {
    case 'measure':
      return ofMeasurement(assertion, seen);
    case 'metric':
      return ofMetric(assertion, seen);
    case 'script':
      return ofStep(assertion, seen);
    case 'event':
      return ofCount(assertion, seen.events(assertion.kind), `events ${assertion.kind ?? 'of any kind'}`);
    case 'frames':
      return ofCount(assertion, seen.frames(), 'frames');
  }
}

function ofMeasurement({ ref, field, op, value }: Of<'measure'>, { measurements }: Observations): Finding {
  const measured = measurements.get(ref)?.[field];
  if (measured === undefined) return { passed: undefined, found: `"${ref}" was not measured` };
  return { passed: compare(op, measured, value), found: `${ref}.${field} is ${measured}` };
}

function ofMetric({ metric, agg, window, op, value }: Of<'metric'>, seen: Observations): Finding {
  const [from, to] = boundsOf(window, seen);
  const values = seen.samples
    .filter(({ name, elapsed_ms: at }) => name === metric && at >= from && at <= to)
    .flatMap((sample) => sample.value ?? []);
  if (values.length === 0) return { passed: undefined, found: `no reading of ${metric}${inWindow(window)}` };
  const holds = (each: Operand): boolean => compare(op, each, value);
  const hits = values.filter(holds).length;
  if (agg === 'all' || agg === 'any')
    return {
      passed: agg === 'all' ? hits === values.length : hits > 0,
      found: `${hits} of ${values.length} readings of ${metric} hold`,
    };
  const aggregate = agg === 'last' ? values.at(-1)! : aggregated(agg, values.map(Number));
  return { passed: holds(aggregate), found: `${metric} ${agg} is ${aggregate}` };
}

function ofStep({ step, op, value }: Of<'script'>, { outcomes }: Observations): Finding {
  const outcome = outcomes.get(step) ?? 'skipped';
  return { passed: compare(op, outcome, value), found: `step ${step} is ${outcome}` };
}

function ofCount({ count }: Of<'event' | 'frames'>, found: number, what: string): Finding {
  return { passed: compare(count.op, found, count.value), found: `${what}: ${found}` };
}

function aggregated(agg: 'min' | 'max' | 'mean', values: readonly number[]): number {
  if (agg === 'mean') return values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((one, other) => (agg === 'min' ? Math.min(one, other) : Math.max(one, other)));
}

/** A step begins a window where it begins, and ends one where it ends. */
function boundsOf(window: Of<'metric'>['window'], { times }: Observations): [number, number] {
  if (window === undefined) return [0, Number.POSITIVE_INFINITY];
  const [from, to] = window;
  return [
    typeof from === 'number' ? from : (times.get(from)?.begun ?? Number.POSITIVE_INFINITY),
    typeof to === 'number' ? to : (times.get(to)?.ended ?? Number.NEGATIVE_INFINITY),
  ];
}

function inWindow(window: Of<'metric'>['window']): string {
  return window === undefined ? '' : ` from ${window[0]} to ${window[1]}`;
}

function wordsOf(assertion: ScenarioAssertion): string {
  const { op, value } = 'count' in assertion ? assertion.count : assertion;
  return `required: ${op} ${value}`;
}
