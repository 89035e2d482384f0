/** One seed of the radio tried: run, judged and, when it fails, made small. */

import { shrinkLists } from '../shrink.ts';
import { printed } from '../trace.ts';
import type { RadioChecker, RadioViolation } from './checker.ts';
import { ANSWERING } from './checkers-answering.ts';
import { STOPPING } from './checkers-stopping.ts';
import { WRITING } from './checkers-writing.ts';
import { describeFault } from './fault.ts';
import type { RadioHistory } from './history.ts';
import { type RadioScenario, radioScenarioOf } from './scenario.ts';
import { type RadioRun, type RadioRunOptions, runRadio } from './world.ts';

/** Violations of one checker that a report shows. */
const SHOWN_OF_EACH = 3;

export const radioCheckers: readonly RadioChecker[] = [...WRITING, ...STOPPING, ...ANSWERING];

export interface RadioTrial {
  readonly seed: number;
  readonly run: RadioRun;
  readonly violations: readonly RadioViolation[];
}

export function radioViolationsOf(history: RadioHistory): RadioViolation[] {
  return radioCheckers.flatMap((checker) =>
    checker.broken(history).map((what) => ({ checker: checker.name, what })),
  );
}

export async function attemptRadio(
  scenario: RadioScenario,
  options: RadioRunOptions = {},
): Promise<RadioTrial> {
  const run = await runRadio(scenario, options);
  return { seed: scenario.seed, run, violations: radioViolationsOf(run.history) };
}

/** The smallest scenario that breaks the same promise as this seed does. */
export function shrunkRadio(
  seed: number,
  checker: string,
  options: RadioRunOptions = {},
): Promise<RadioScenario> {
  return shrinkLists(radioScenarioOf(seed), ['faults', 'visits', 'acts'], async (candidate) => {
    const { violations } = await attemptRadio(candidate, options);
    return violations.some((violation) => violation.checker === checker);
  });
}

/** A failing scenario for people: what was broken, what it took, what happened. */
export async function reportRadio(scenario: RadioScenario, options: RadioRunOptions = {}): Promise<string> {
  const { run, violations } = await attemptRadio(scenario, { ...options, keepTrace: true });
  const shown = violations.filter(
    ({ checker }, n) =>
      violations.slice(0, n).filter((other) => other.checker === checker).length < SHOWN_OF_EACH,
  );
  return [
    `seed ${scenario.seed}`,
    ...shown.map(({ checker, what }) => `  broken: ${checker}: ${what}`),
    ...scenario.faults.map((fault) => `  fault at ${(fault.at / 1000).toFixed(3)}: ${describeFault(fault)}`),
    ...run.trace.lines.map(printed),
  ].join('\n');
}
