/** What one process of a run takes for the current values when it ends. */

import type { KnownValue } from './history.ts';
import { TARGETS } from './mission.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** Every current value of the process, in the order of targets and measures; none while it has no front end. */
export function knownValues({ instance, api }: SimulatedProcess): KnownValue[] {
  return TARGETS.flatMap((target) => {
    const store = api?.values.current(target);
    if (store === undefined) return [];
    return store.platform.measures.flatMap(({ key }, ordinal) => {
      const sample = store.sample(ordinal);
      return sample === undefined ? [] : [{ by: instance, target, key, sample }];
    });
  });
}
