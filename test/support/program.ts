/**
 * `mcs` compiled once for a run of the tests, as `./mcs` compiles and keeps it (`tools/launch.mjs`). How a person
 * starts it is shown by `test/tools/launch.test.ts`, `test/tools/mcs.test.ts` and `test/flow/cold-start.test.ts`.
 *
 * P1. It is built by the first test that needs it, never from an earlier run, and removed after the last.
 * P2. Several workers may build it at once: the first that is ready wins, and nobody ever runs half of it. Who comes
 *     later builds nothing.
 */

import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { compile } from '../../tools/compile.ts';

let building: Promise<string> | undefined;

/**
 * What `node` is to be given to run `mcs`, before the words of a command. Positions in stacks are those of the compiled
 * program: reading its source maps is a fifth of what a process does until it is ready. Those of the sources:
 * `NODE_OPTIONS=--enable-source-maps`.
 */
export async function mcsProgram(): Promise<readonly string[]> {
  building ??= built(inject('programFolder'));
  return [await building];
}

async function built(folder: string): Promise<string> {
  const program = join(folder, 'main.mjs');
  if (existsSync(program)) return program;
  const draft = await mkdtemp(`${folder}-draft-`);
  await compile(['cli/main.ts'], draft, folder);
  await rename(draft, folder).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(draft, { recursive: true });
  });
  return program;
}

/**
 * Compiles other programs of the repository into a new folder that holds `<name>.mjs` of each, under the folder that
 * they share; removed after the last test.
 */
export async function compiledPrograms(...files: readonly string[]): Promise<string> {
  const folder = await mkdtemp(`${inject('programFolder')}-others-`);
  await compile(files, folder);
  return folder;
}
