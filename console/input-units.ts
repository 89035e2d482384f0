/**
 * Units of the inputs of procedures, from what the mission says of them. Values of a run are in these units, and its
 * log has the numbers alone. Pure.
 */

import type { MissionView } from '../contract/mission-view.ts';
import type { RunStep } from '../contract/run.ts';
import type { UnitOf } from '../contract/run-words.ts';

/** A procedure by its names; without a library the first one of that name, as where a run is launched. */
interface Named {
  readonly procedure: string;
  readonly library?: string | undefined;
}

/** Nothing is known of a procedure that the mission does not have any more. */
export function unitsOf(mission: MissionView | undefined, { procedure, library }: Named): UnitOf {
  const found = mission?.procedures.find(
    (each) => each.procedure === procedure && (library === undefined || each.library === library),
  );
  return (input) => found?.inputs.find(({ name }) => name === input)?.unit;
}

/** Of the procedure in which the step at that path is: of the run itself, or of the innermost call around it. */
export function unitsIn(
  mission: MissionView | undefined,
  started: Named | undefined,
  steps: readonly RunStep[],
): (path: string | undefined) => UnitOf {
  const calls = steps.filter(({ kind }) => kind === 'call');
  return (path = '') => {
    const call = calls.findLast((each) => path.startsWith(`${each.path}/`));
    if (call === undefined) return started === undefined ? () => undefined : unitsOf(mission, started);
    const { procedure, library } = call;
    return procedure === undefined ? () => undefined : unitsOf(mission, { procedure, library });
  };
}
