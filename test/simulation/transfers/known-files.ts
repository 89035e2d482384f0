/** What one process of a run takes for the states of transfers when it ends. */

import type { SimulatedProcess } from '../simulated-process.ts';
import { FILE_TARGET_NAMES } from './mission.ts';
import { FILES, NEW_FILE } from './moving.ts';

export interface KnownState {
  readonly by: string;
  readonly target: string;
  readonly file: string;
  readonly generation: number | undefined;
  readonly transfer: string | undefined;
  /** The generation that is of. */
  readonly of: number | undefined;
}

/** None while it has no front end. */
export function knownFiles({ instance, api }: SimulatedProcess): KnownState[] {
  return FILE_TARGET_NAMES.flatMap((target) => {
    const files = api?.values.current(target)?.files;
    return [...FILES, NEW_FILE].flatMap((file) => {
      const known = files?.file(file);
      if (known === undefined) return [];
      const { generation, transfer, transferGeneration: of } = known;
      return [{ by: instance, target, file, generation, transfer, of }];
    });
  });
}
