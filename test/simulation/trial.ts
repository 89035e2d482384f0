/** One seed tried: run, judged and, when it fails, made small. */

import { violationsOf } from './checkers/all.ts';
import type { Violation } from './checkers/checker.ts';
import { describe } from './fault-plan.ts';
import type { Measurement } from './instruments.ts';
import type { Launch } from './launch.ts';
import { type Scenario, type ScenarioKind, scenarioOf } from './scenario.ts';
import { shrink } from './shrink.ts';
import { printed } from './trace.ts';
import { type Run, type RunOptions, run } from './world.ts';

/** Violations of one checker that a report shows. */
const SHOWN_OF_EACH = 3;

export interface Trial {
  readonly seed: number;
  readonly run: Run;
  readonly violations: readonly Violation[];
}

export async function attempt(scenario: Scenario, options: RunOptions = {}): Promise<Trial> {
  const result = await run(scenario, options);
  return { seed: scenario.seed, run: result, violations: violationsOf(result.history) };
}

export function attemptSeed(seed: number, options: RunOptions = {}, kind?: ScenarioKind): Promise<Trial> {
  return attempt(scenarioOf(seed, kind), options);
}

/** The smallest scenario that breaks the same promise as this seed does. */
export async function shrunk(
  seed: number,
  checker: string,
  options: RunOptions = {},
  kind?: ScenarioKind,
): Promise<Scenario> {
  return shrink(scenarioOf(seed, kind), async (candidate) => {
    const { violations } = await attempt(candidate, options);
    return violations.some((violation) => violation.checker === checker);
  });
}

/** A failing scenario for people: what was broken, what it took, what happened. */
export async function report(scenario: Scenario, options: RunOptions = {}): Promise<string> {
  const { run: result, violations } = await attempt(scenario, { ...options, keepTrace: true });
  const lines = result.trace.lines.filter(({ what }) => isWorthShowing(what));
  return [
    `seed ${scenario.seed}`,
    ...firstOfEach(violations).map(({ checker, what }) => `  broken: ${checker}: ${what}`),
    `  processes: ${scenario.slots.map(({ roles, host, skewMs }, n) => `p${n} (${roles.join(' ')}; ${host}; ${skewMs} ms)`).join(', ')}`,
    ...scenario.faults.map((fault) => `  fault at ${(fault.at / 1000).toFixed(3)}: ${describe(fault)}`),
    ...scenario.submissions.map(
      ({ at, telecommand, target, slot, again }) =>
        `  submission at ${(at / 1000).toFixed(3)}: ${telecommand} to ${target} through p${slot}${again.map(({ afterMs, slot: other }) => `, again after ${afterMs} ms through p${other}`).join('')}`,
    ),
    ...scenario.launches.map(describeLaunch),
    ...[...(scenario.stragglers ?? []), ...(scenario.watch?.measurements ?? [])].map(describeMeasurement),
    ...(scenario.planning?.publications ?? []).map(
      ({ at, variant }) => `  publication at ${(at / 1000).toFixed(3)}: ${variant}`,
    ),
    ...describeMoving(scenario),
    ...describeKeeping(scenario),
    ...lines.map(printed),
  ].join('\n');
}

function describeMoving({ moving }: Scenario): string[] {
  if (moving === undefined) return [];
  const items = [...moving.acts, ...moving.troubles, ...moving.last];
  return [
    `  radio ${JSON.stringify(moving.radio)}`,
    ...items.map((each) => `  files: ${JSON.stringify(each)}`),
  ];
}

function describeKeeping({ keeping, slots }: Scenario): string[] {
  if (keeping === undefined) return [];
  const { received, questions, troubles, retains, openMs } = keeping;
  return [
    `  archives in ${slots.map(({ state }) => state).join(', ')}, ${openMs} ms in memory${retains ? ', kept for a day' : ''}`,
    ...[...received, ...questions, ...troubles].map((each) => `  archives: ${JSON.stringify(each)}`),
  ];
}

function describeLaunch({ at, slot, what, commands }: Launch): string {
  const orders = commands.map(
    ({ afterMs, action, choice = '' }) => `${action} ${choice} after ${afterMs} ms`,
  );
  const run =
    what.kind === 'program' ? `program ${JSON.stringify(what.program)}` : JSON.stringify(what.request);
  return `  launch at ${(at / 1000).toFixed(3)} through p${slot}: ${[run, ...orders].join(', ')}`;
}

function describeMeasurement({ at, target, deferred, blocks }: Measurement): string {
  const rows = blocks.flatMap(({ measures, rows }) =>
    rows.map(({ ageMs, raw }) => `${measures.map((key, n) => `${key} ${raw[n]}`).join(' ')} (-${ageMs})`),
  );
  return `  measured at ${(at / 1000).toFixed(3)} on ${target}${deferred ? ', deferred' : ''}: ${rows.join('; ')}`;
}

/** One promise can be broken a hundred times by one cause. */
function firstOfEach(violations: readonly Violation[]): Violation[] {
  return violations.filter(
    ({ checker }, n) =>
      violations.slice(0, n).filter((other) => other.checker === checker).length < SHOWN_OF_EACH,
  );
}

/** Positions, heartbeats and batches are many and rarely the point. */
function isWorthShowing(what: string): boolean {
  return !/^(stores \d+ on mcs\.tm|writes (\$KV\.mcs_leader|member|checkpoint)\.)/.test(what);
}
