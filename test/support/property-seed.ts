/**
 * Seeds of property tests. In CI they are fixed, so that a change is judged by the change and not by what was drawn
 * that day; everywhere else each run draws again and finds what nobody thought of. `PROPERTY_SEED=N` repeats a run (a
 * failure prints its seed), `PROPERTY_SEED=random` draws in CI too. Tests of `test/fuzz` have seeds of their own.
 */

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

const CI_SEED = 20_261_122;

const { CI, PROPERTY_SEED: asked } = process.env;
const seed = asked === 'random' ? undefined : Number(asked ?? (CI === 'true' ? CI_SEED : Number.NaN));
const { testPath } = expect.getState();

// Reading the library costs a fraction of a second, which the files without properties need not pay.
if (seed !== undefined && Number.isInteger(seed) && usesProperties(testPath)) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}

function usesProperties(path: string | undefined): boolean {
  return path !== undefined && readFileSync(path, 'utf8').includes("'fast-check'");
}
