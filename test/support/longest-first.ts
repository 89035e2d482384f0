/**
 * Starts the long test files first, in the order of `long-files.json`: the last worker is not left alone with one of
 * them. Files with a process of their own come before all that share one: a worker whose next file is not to be shared
 * with ends, and the one behind it would load everything again.
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

const sharing = ({ project }: TestSpecification): number => (project.config.isolate ? 0 : 1);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return bySize.toSorted((one, other) => sharing(one) - sharing(other) || placeOf(one) - placeOf(other));
  }
}
