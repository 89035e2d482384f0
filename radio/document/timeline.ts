/**
 * The timeline of a scenario: order, times, what steps wait for and under which names they keep measurements. RF Bench
 * Service, section 2.
 *
 * T1. The steps are walked in order with what is known of the board by then, so that a gain in a loopback is seen for
 *     what it is, whichever step switched there.
 */

import { isMetric, METRICS } from '../../contract/bench/metric.ts';
import type { Scenario, ScenarioStep } from '../../contract/bench/scenario.ts';
import { SCENARIO_TIMEOUT_S } from '../../contract/limits/bench.ts';
import { nearHelp } from '../../contract/near.ts';
import type { DocumentFaults } from './fault.ts';
import { checkUnique } from './name.ts';
import { operandProblem } from './operand.ts';
import { checkAction, NOTHING_KNOWN, type Setting, underProfile, type VerbContext } from './verb.ts';

/** How long a run of the scenario may take. */
export function runLimitMs({ timeout_s = SCENARIO_TIMEOUT_S }: Pick<Scenario, 'timeout_s'>): number {
  return timeout_s * 1000;
}

export function checkTimeline(scenario: Scenario, context: VerbContext, faults: DocumentFaults): void {
  const { timeline, on_end = [] } = scenario;
  const at = faults.in('timeline');
  checkUnique(timeline.map(({ id }, index) => ({ name: id, faults: at.in(index, 'id') })));
  const saves = timeline.flatMap(({ save }, index) =>
    save === undefined ? [] : [{ name: save, faults: at.in(index, 'save') }],
  );
  checkUnique(saves);
  checkTimes(scenario, at);
  let setting = begin(scenario, context, faults);
  for (const [index, step] of timeline.entries()) {
    checkWaiting(step, at.in(index));
    setting = checkAction(step, setting, context, at.in(index));
  }
  for (const [index, action] of on_end.entries()) {
    const end = faults.in('on_end', index);
    if (action.do === 'wait')
      end.in('do').fault('nothing is waited for at the end', 'put it into the timeline');
    setting = checkAction(action, setting, context, end);
  }
}

function begin({ target, profile_ref }: Scenario, context: VerbContext, faults: DocumentFaults): Setting {
  const setting = { ...NOTHING_KNOWN, target };
  return profile_ref === undefined
    ? setting
    : underProfile(profile_ref, setting, context, faults.in('profile_ref'));
}

function checkTimes(scenario: Scenario, faults: DocumentFaults): void {
  const limit = runLimitMs(scenario);
  let latest = 0;
  for (const [index, { at_ms, timeout_ms = 0 }] of scenario.timeline.entries()) {
    if (at_ms < latest)
      faults
        .in(index, 'at_ms')
        .fault(`is ${at_ms}; a step before is at ${latest}`, 'put the steps in order of time');
    if (at_ms + timeout_ms > limit)
      faults
        .in(index, timeout_ms > 0 ? 'timeout_ms' : 'at_ms')
        .fault(
          `ends at ${at_ms + timeout_ms} ms; the run ends at ${limit}`,
          'raise timeout_s of the scenario',
        );
    latest = Math.max(latest, at_ms);
  }
}

function checkWaiting(step: ScenarioStep, faults: DocumentFaults): void {
  const { do: verb, until, timeout_ms, save } = step;
  if (save !== undefined && verb !== 'datapath.measure')
    faults.in('save').fault(`${verb} gives no measurement`, 'only datapath.measure does');
  if (until !== undefined && verb !== 'wait')
    faults.in('until').fault(`${verb} waits for nothing`, 'use wait');
  if (verb !== 'wait') return;
  if (timeout_ms === undefined) faults.fault('waits without end', 'write timeout_ms');
  if (until === undefined) return;
  if (!isMetric(until.metric))
    faults.in('until', 'metric').fault(`no metric "${until.metric}"`, nearMetric(until.metric));
  const problem = isMetric(until.metric) ? operandProblem(METRICS[until.metric].type, until) : undefined;
  if (problem !== undefined) faults.in('until', problem.field).fault(problem.reason);
  if ((until.for_ms ?? 0) > (timeout_ms ?? Number.POSITIVE_INFINITY))
    faults.in('until', 'for_ms').fault(`is ${until.for_ms}; the wait ends after ${timeout_ms}`);
}

/** The metric that may have been meant, or those there are. */
export function nearMetric(name: string): string {
  return nearHelp(name, Object.keys(METRICS), 'metrics');
}
