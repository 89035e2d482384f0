/** Before the first test: where this run keeps the compiled `mcs` (`program.ts`), removed after the last. */

import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Exists as soon as the program in it is whole. */
    programFolder: string;
  }
}

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));

export default async function keepPrograms(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'mcs-program-'));
  await symlink(PACKAGES, join(folder, 'node_modules'));
  let runs = 0;
  const provide = (): void => {
    runs += 1;
    project.provide('programFolder', join(folder, `run-${runs}`));
  };
  provide();
  // What changed since is in no program of an earlier run.
  project.onTestsRerun(provide);
  return () => rm(folder, { recursive: true, force: true });
}
