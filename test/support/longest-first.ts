/**
 * Starts the long test files first, in the order of `long-files.json`: the last worker is not left alone with one of
 * them.
 */

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LONG = Object.keys(
  JSON.parse(readFileSync(new URL('../long-files.json', import.meta.url), 'utf8')) as object,
);

/** Its place among the long ones; behind all of them otherwise. */
function placeOf({ moduleId }: TestSpecification): number {
  const place = LONG.indexOf(relative(ROOT, moduleId));
  return place === -1 ? LONG.length : place;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return bySize.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
