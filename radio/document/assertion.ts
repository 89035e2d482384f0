/**
 * Assertions of a scenario. RF Bench Service, section 2: a report is verified when an assertion read the link rather
 * than the script of the scenario.
 *
 * A1. A scenario of which no assertion reads the link is refused: its reports could never be a pass.
 * A2. An assertion that can observe nothing (no sampler, an empty window, an unknown name) or always holds is refused.
 */

import { MEASURE_VERDICTS } from '../../contract/bench/datapath.ts';
import { isMetric, METRICS } from '../../contract/bench/metric.ts';
import type { Scenario, ScenarioAssertion } from '../../contract/bench/scenario.ts';
import { nearHelp } from '../../contract/near.ts';
import type { DocumentFaults } from './fault.ts';
import { checkUnique } from './name.ts';
import { operandProblem } from './operand.ts';
import { nearMetric, runLimitMs } from './timeline.ts';

type Of<Source extends ScenarioAssertion['source']> = Extract<ScenarioAssertion, { source: Source }>;
type CountAssertion = Of<'event' | 'frames'>;
type Bound = NonNullable<Of<'metric'>['window']>[0];

const FIELD_TYPES = {
  verdict: MEASURE_VERDICTS,
  overall_ratio: 'number',
  worst_block_ratio: 'number',
  rotation_slip: 'boolean',
} as const satisfies Record<Of<'measure'>['field'], Parameters<typeof operandProblem>[0]>;

/** Whether what an assertion compares comes from the link, and not from the script or the settings of the board. */
export function readsLink(assertion: ScenarioAssertion): boolean {
  switch (assertion.source) {
    case 'measure':
    case 'frames':
      return true;
    case 'metric':
      return isMetric(assertion.metric) && METRICS[assertion.metric].of === 'link';
    default:
      return false;
  }
}

export function checkAssertions(scenario: Scenario, faults: DocumentFaults): void {
  const at = faults.in('assertions');
  checkUnique(scenario.assertions.map(({ name }, index) => ({ name, faults: at.in(index, 'name') })));
  if (!scenario.assertions.some(readsLink))
    at.fault('no assertion reads the link', 'assert on a measurement, on frames or on a metric of the link');
  for (const [index, assertion] of scenario.assertions.entries())
    checkAssertion(assertion, scenario, at.in(index));
}

function checkAssertion(assertion: ScenarioAssertion, scenario: Scenario, faults: DocumentFaults): void {
  switch (assertion.source) {
    case 'measure':
      return checkMeasurement(assertion, scenario, faults);
    case 'metric':
      return checkMetric(assertion, scenario, faults);
    case 'script':
      return checkStep(assertion.step, scenario, faults.in('step'));
    default:
      return checkCount(assertion, faults);
  }
}

function checkMeasurement(assertion: Of<'measure'>, { timeline }: Scenario, faults: DocumentFaults): void {
  const saves = timeline.flatMap(({ save }) => save ?? []);
  if (!saves.includes(assertion.ref))
    faults
      .in('ref')
      .fault(`no step saves "${assertion.ref}"`, nearHelp(assertion.ref, saves, 'saved', 'nothing is saved'));
  const problem = operandProblem(FIELD_TYPES[assertion.field], assertion);
  if (problem !== undefined) faults.in(problem.field).fault(problem.reason);
}

function checkMetric(assertion: Of<'metric'>, scenario: Scenario, faults: DocumentFaults): void {
  const { metric, agg, window } = assertion;
  if (!isMetric(metric)) return faults.in('metric').fault(`no metric "${metric}"`, nearMetric(metric));
  if (!(scenario.sampler?.metrics ?? []).includes(metric))
    faults.in('metric').fault(`"${metric}" is not sampled`, 'add it to sampler.metrics');
  const { type } = METRICS[metric];
  if (type === 'boolean' && (agg === 'min' || agg === 'max' || agg === 'mean'))
    faults.in('agg').fault(`is ${agg}; "${metric}" is true or false`, 'use last, all or any');
  const problem = operandProblem(type, assertion);
  if (problem !== undefined) faults.in(problem.field).fault(problem.reason);
  if (window !== undefined) checkWindow(window, scenario, faults.in('window'));
}

function checkWindow([from, to]: readonly [Bound, Bound], scenario: Scenario, faults: DocumentFaults): void {
  for (const [index, bound] of [from, to].entries())
    if (typeof bound === 'string') checkStep(bound, scenario, faults.in(index));
  const begin = beginsAt(from, scenario);
  const limit = runLimitMs(scenario);
  if (begin >= limit) faults.in(0).fault(`is at ${begin} ms; the run ends at ${limit}`);
  // A step ends at some time behind its beginning, a number at once.
  if (typeof to === 'number' && to <= begin) faults.fault(`is empty: from ${begin} to ${to} ms`);
  if (typeof to === 'string' && isBefore(to, from, scenario))
    faults.fault(`is empty: step "${to}" ends before ${from}`);
}

function beginsAt(bound: Bound, { timeline }: Scenario): number {
  if (typeof bound === 'number') return bound;
  return timeline.find(({ id }) => id === bound)?.at_ms ?? 0;
}

function isBefore(to: string, from: Bound, { timeline }: Scenario): boolean {
  const place = (id: string) => timeline.findIndex((step) => step.id === id);
  return typeof from === 'string' && place(to) >= 0 && place(to) < place(from);
}

function checkStep(step: string, { timeline }: Scenario, faults: DocumentFaults): void {
  const ids = timeline.map(({ id }) => id);
  if (!ids.includes(step)) faults.fault(`no step "${step}"`, nearHelp(step, ids, 'steps'));
}

function checkCount({ count: { op, value }, kind, source }: CountAssertion, faults: DocumentFaults): void {
  if (op === '>=' && value === 0) faults.in('count').fault('always holds: no count is below 0');
  if (op === '<' && value === 0) faults.in('count').fault('never holds: no count is below 0');
  if (source === 'event' && kind === undefined)
    faults.fault('counts every event', 'write the intended kind, like dma.overflow');
}
