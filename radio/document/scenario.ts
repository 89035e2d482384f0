/**
 * Scenarios: text or value to a scenario that can be run. RF Bench Service, sections 2 and 4, rule 2.
 *
 * S1. Every fault is reported at once, each as `path: reason`; rules are only asked of a scenario whose shape fits.
 */

import { isMetric } from '../../contract/bench/metric.ts';
import type { Profile } from '../../contract/bench/profile.ts';
import { Scenario } from '../../contract/bench/scenario.ts';
import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import { checkShape } from '../../contract/shape.ts';
import { checkAssertions } from './assertion.ts';
import { AD9361_BOUNDS, type BoardBounds } from './bounds.ts';
import { DocumentFaults } from './fault.ts';
import { checkName, checkUnique } from './name.ts';
import { readDocument } from './read.ts';
import { checkTimeline, nearMetric } from './timeline.ts';

type Profiles = ReadonlyMap<string, Profile>;

/** The scenario that a text is, YAML or JSON; `profiles` are those there are. */
export function readScenario(
  text: string,
  profiles: Profiles,
  bounds: BoardBounds = AD9361_BOUNDS,
): Result<Scenario, string> {
  const document = readDocument(text);
  return document.ok ? checkScenario(document.value, profiles, bounds) : document;
}

/** The value as a scenario; refused with everything that is wrong with it. */
export function checkScenario(
  value: unknown,
  profiles: Profiles,
  bounds: BoardBounds = AD9361_BOUNDS,
): Result<Scenario, string> {
  const faults = new DocumentFaults();
  if (checkShape(Scenario, value, faults)) {
    const scenario = value as Scenario;
    checkName(scenario.name, faults);
    checkTimeline(scenario, { profiles, bounds }, faults);
    checkSampler(scenario, faults);
    checkAssertions(scenario, faults);
  }
  return faults.found === 0 ? accepted(value as Scenario) : refusedAll(faults.told());
}

function checkSampler({ sampler }: Scenario, faults: DocumentFaults): void {
  const metrics = sampler?.metrics ?? [];
  const at = faults.in('sampler', 'metrics');
  checkUnique(metrics.map((name, index) => ({ name, faults: at.in(index) })));
  for (const [index, name] of metrics.entries())
    if (!isMetric(name)) at.in(index).fault(`no metric "${name}"`, nearMetric(name));
}
