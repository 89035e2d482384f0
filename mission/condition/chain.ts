/** `and` and `or` of many (truth.K1): what decides ends the evaluation. */

import type { TruthRun } from './history.ts';
import { FALSE, type Kleene, TRUE, UNKNOWN } from './truth.ts';

/** True when all are, false when one is. */
export function allOf(runs: readonly TruthRun[]): TruthRun {
  return (history) => {
    let all: Kleene = TRUE;
    for (const run of runs) {
      const one = run(history);
      if (one === FALSE) return FALSE;
      if (one === UNKNOWN) all = UNKNOWN;
    }
    return all;
  };
}

/** True when one is, false when all are. */
export function anyOf(runs: readonly TruthRun[]): TruthRun {
  return (history) => {
    let any: Kleene = FALSE;
    for (const run of runs) {
      const one = run(history);
      if (one === TRUE) return TRUE;
      if (one === UNKNOWN) any = UNKNOWN;
    }
    return any;
  };
}
