/** One seed of CFDP tried: run, judged and, when it fails, made small. */

import { shrinkLists } from '../shrink.ts';
import { type CfdpScenario, cfdpScenarioOf } from './scenario.ts';
import { type CfdpRun, runCfdp } from './world.ts';

export interface CfdpViolation {
  readonly checker: string;
  readonly what: string;
}

export interface CfdpTrial {
  readonly seed: number;
  readonly run: CfdpRun;
  readonly violations: readonly CfdpViolation[];
}

const checkers: Readonly<Record<string, (run: CfdpRun) => readonly string[]>> = {
  'comes-to-an-end': ({ faults }) => faults,
  'never-wrong': ({ parties }) => [...parties.ground.faults, ...parties.space.faults],
  /** What is said to be delivered is whole at the end where it belongs. */
  'delivered-is-whole': ({ parties: { ground, space } }) =>
    ground.wishes
      .filter(({ state, order }) => {
        const there = order.direction === 'down' ? ground : space;
        return state === 'done' && !there.whole.has(order.name);
      })
      .map(({ order }) => `${order.name} is said to be delivered and is not`),
  /** Where little is lost and both ends know of each outage. */
  'fails-without-cause': ({ scenario: { isGentle }, parties: { ground, space } }) => {
    const again = ground.wishes.filter(({ attempts }) => attempts > 1);
    const failures = [...ground.failures, ...space.failures];
    return isGentle ? [...failures, ...again.map(({ order }) => `${order.name} is asked for again`)] : [];
  },
  'is-delivered': ({ parties: { ground } }) =>
    ground.wishes
      .filter(({ state }) => state !== 'done' && state !== 'cancelled')
      .map(({ order, state }) => `${order.name} is ${state}`),
};

export function attemptCfdp(scenario: CfdpScenario): CfdpTrial {
  const run = runCfdp(scenario);
  const violations = Object.entries(checkers).flatMap(([checker, broken]) =>
    broken(run).map((what) => ({ checker, what })),
  );
  return { seed: scenario.seed, run, violations };
}

/** The smallest scenario that breaks the same promise as this seed does. */
export function shrunkCfdp(seed: number, checker: string): Promise<CfdpScenario> {
  return shrinkLists(cfdpScenarioOf(seed), ['outages', 'acts', 'files'], async (candidate) =>
    attemptCfdp(candidate).violations.some((violation) => violation.checker === checker),
  );
}

export function reportCfdp(scenario: CfdpScenario): string {
  const { violations, run } = attemptCfdp(scenario);
  const shown = violations.slice(0, 5).map(({ checker, what }) => `  broken: ${checker}: ${what}`);
  return [
    `seed ${scenario.seed}, ended at ${run.endedAt}`,
    ...shown,
    JSON.stringify(scenario, undefined, 1),
  ].join('\n');
}
