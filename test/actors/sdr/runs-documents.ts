/** Scenarios and campaigns of a few lines, for tests of how they run. */

import type { Campaign } from '../../../contract/bench/campaign.ts';
import type { Scenario, ScenarioAssertion, ScenarioStep } from '../../../contract/bench/scenario.ts';

export const proof: ScenarioAssertion = {
  name: 'byte exact',
  source: 'measure',
  ref: 'proof',
  field: 'verdict',
  op: '==',
  value: 'BytePerfect',
};

/** Measures at once and asks that it was byte-exact. */
export const measureStep: ScenarioStep = {
  at_ms: 0,
  id: 'measure',
  do: 'datapath.measure',
  with: { blocks: 4 },
  save: 'proof',
};

export function scenario(more: Partial<Scenario> = {}): Scenario {
  return { name: 'short', timeline: [measureStep], assertions: [proof], ...more };
}

export const waitStep = (
  at_ms: number,
  timeout_ms: number,
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  at_ms,
  id: `wait-${at_ms}`,
  do: 'wait',
  timeout_ms,
  ...more,
});

export function campaign(steps: Campaign['steps'], more: Partial<Campaign> = {}): Campaign {
  return { name: 'night', description: 'of two steps', steps, ...more };
}
