/**
 * How many seeds it takes until a planted defect is found: of a kind whose defects stand in one table.
 *
 * L1. Found by the checker that it is planted for; what else it breaks counts for nothing.
 */

import { attemptSeed } from '../trial.ts';
import type { RunOptions } from '../world.ts';
import { PLANTED_IN_ARCHIVES } from './archive-defects.ts';
import { PLANTED } from './transfer-defects.ts';

interface ToFind {
  readonly what: string;
  readonly options: RunOptions;
  readonly checker: string;
  readonly within: number;
}

const TABLES = {
  transfers: PLANTED.map(({ planted, ...each }): ToFind => ({ ...each, options: { wrapBus: planted } })),
  archive: PLANTED_IN_ARCHIVES,
} as const;

export type PlantedKind = keyof typeof TABLES;
export const PLANTED_KINDS = Object.keys(TABLES) as PlantedKind[];

/** Prints each; the number of those that take more seeds than they should. */
export async function findPlanted(
  kind: PlantedKind,
  first: number,
  print: (line: string) => void,
): Promise<number> {
  let missed = 0;
  for (const { what, options, checker, within } of TABLES[kind]) {
    let seeds = 0;
    let isFound = false;
    while (!isFound && seeds < within) {
      const { violations } = await attemptSeed(first + seeds, options, kind);
      isFound = violations.some((violation) => violation.checker === checker);
      seeds += 1;
    }
    if (!isFound) missed += 1;
    print(
      `${isFound ? `found by ${checker} with` : `not found by ${checker} within`} ${seeds} seeds: ${what}`,
    );
  }
  return missed;
}
