/**
 * Makes a failing scenario small: leaves out faults, submissions, launches, samples and what is asked of runs and
 * alarms as long as the same promise stays broken. Delta debugging: halves first, then smaller and smaller parts, until
 * no single item can go.
 *
 * S1. The result is one that was run and failed; it replays like any other.
 * S2. What leaves nothing out gives back the very scenario it was given: a round that does is the last.
 */

import type { Scenario } from './scenario.ts';

/** Most runs one shrinking may take: a minute's worth. */
const MOST_RUNS = 400;

/** The smallest scenario found that still `fails`. */
export async function shrink(
  scenario: Scenario,
  fails: (scenario: Scenario) => Promise<boolean>,
): Promise<Scenario> {
  let left = MOST_RUNS;
  const stillFails = async (candidate: Scenario): Promise<boolean> => {
    left -= 1;
    return left >= 0 && fails(candidate);
  };
  let smallest = scenario;
  for (let before: Scenario | undefined; before !== smallest && left > 0; ) {
    before = smallest;
    smallest = await without(smallest, 'faults', stillFails);
    smallest = await without(smallest, 'submissions', stillFails);
    smallest = await without(smallest, 'launches', stillFails);
    smallest = await withoutWatched(smallest, 'measurements', stillFails);
    smallest = await withoutWatched(smallest, 'acts', stillFails);
    for (const list of ['writes', 'acts', 'publications'] as const)
      smallest = await withoutPlanned(smallest, list, stillFails);
    for (const list of ['acts', 'troubles', 'last'] as const)
      smallest = await withoutMoved(smallest, list, stillFails);
    for (const list of ['troubles', 'questions', 'received'] as const)
      smallest = await withoutKept(smallest, list, stillFails);
    if (hasStragglers(smallest)) smallest = await without(smallest, 'stragglers', stillFails);
    smallest = await withoutCommands(smallest, stillFails);
    smallest = await withoutRepetitions(smallest, stillFails);
  }
  return smallest;
}

/** The smallest found that still `fails`, of a scenario that is nothing but these lists. */
export async function shrinkLists<List extends string, Of extends Readonly<Record<List, readonly unknown[]>>>(
  scenario: Of,
  lists: readonly List[],
  fails: (scenario: Of) => Promise<boolean>,
): Promise<Of> {
  let left = MOST_RUNS;
  const stillFails = async (candidate: Of): Promise<boolean> => {
    left -= 1;
    return left >= 0 && fails(candidate);
  };
  let smallest = scenario;
  for (let before: Of | undefined; before !== smallest && left > 0; ) {
    before = smallest;
    for (const list of lists) smallest = await without(smallest, list, stillFails);
  }
  return smallest;
}

async function without<List extends string, Of extends Readonly<Record<List, readonly unknown[]>>>(
  scenario: Of,
  list: List,
  fails: (scenario: Of) => Promise<boolean>,
): Promise<Of> {
  let smallest = scenario;
  for (let size = Math.ceil(scenario[list].length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < smallest[list].length; ) {
      const fewer: Of = { ...smallest, [list]: smallest[list].toSpliced(at, size) };
      if (await fails(fewer)) smallest = fewer;
      else at += size;
    }
  }
  return smallest;
}

function hasStragglers(scenario: Scenario): scenario is Scenario & Required<Pick<Scenario, 'stragglers'>> {
  return scenario.stragglers !== undefined;
}

async function withoutWatched(
  scenario: Scenario,
  list: 'measurements' | 'acts',
  fails: (scenario: Scenario) => Promise<boolean>,
): Promise<Scenario> {
  let smallest = scenario;
  for (
    let size = Math.ceil((scenario.watch?.[list].length ?? 0) / 2);
    size >= 1;
    size = Math.floor(size / 2)
  ) {
    for (let at = 0; at < (smallest.watch?.[list].length ?? 0); ) {
      const watch = { ...smallest.watch!, [list]: smallest.watch![list].toSpliced(at, size) };
      const fewer = { ...smallest, watch } as Scenario;
      if (await fails(fewer)) smallest = fewer;
      else at += size;
    }
  }
  return smallest;
}

async function withoutPlanned(
  scenario: Scenario,
  list: keyof NonNullable<Scenario['planning']>,
  fails: (scenario: Scenario) => Promise<boolean>,
): Promise<Scenario> {
  const { planning } = scenario;
  if (planning === undefined) return scenario;
  const smallest = await without(planning, list, (fewer) => fails({ ...scenario, planning: fewer }));
  return smallest === planning ? scenario : { ...scenario, planning: smallest };
}

async function withoutMoved(
  scenario: Scenario,
  list: 'acts' | 'troubles' | 'last',
  fails: (scenario: Scenario) => Promise<boolean>,
): Promise<Scenario> {
  const { moving } = scenario;
  if (moving === undefined) return scenario;
  const smallest = await without(moving, list, (fewer) => fails({ ...scenario, moving: fewer }));
  return smallest === moving ? scenario : { ...scenario, moving: smallest };
}

async function withoutKept(
  scenario: Scenario,
  list: 'received' | 'questions' | 'troubles',
  fails: (scenario: Scenario) => Promise<boolean>,
): Promise<Scenario> {
  const { keeping } = scenario;
  if (keeping === undefined) return scenario;
  const smallest = await without(keeping, list, (fewer) => fails({ ...scenario, keeping: fewer }));
  return smallest === keeping ? scenario : { ...scenario, keeping: smallest };
}

async function withoutRepetitions(
  scenario: Scenario,
  fails: (scenario: Scenario) => Promise<boolean>,
): Promise<Scenario> {
  const submissions = scenario.submissions.map((submission) => ({ ...submission, again: [] }));
  if (scenario.submissions.every(({ again }) => again.length === 0)) return scenario;
  const plain = { ...scenario, submissions };
  return (await fails(plain)) ? plain : scenario;
}

async function withoutCommands(
  scenario: Scenario,
  fails: (scenario: Scenario) => Promise<boolean>,
): Promise<Scenario> {
  let smallest = scenario;
  for (const [n, { commands }] of scenario.launches.entries()) {
    for (let at = commands.length - 1; at >= 0; at -= 1) {
      const launch = smallest.launches[n]!;
      const fewer = { ...launch, commands: launch.commands.toSpliced(at, 1) };
      const candidate = { ...smallest, launches: smallest.launches.with(n, fewer) };
      if (await fails(candidate)) smallest = candidate;
    }
  }
  return smallest;
}
