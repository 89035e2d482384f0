/**
 * `mcs` compiled once for a run of the tests: each process that a test starts would otherwise compile some 400 files
 * again, four seconds of a core before its first line. What runs is the same program, in a file of its own for each
 * command; how a person starts it is shown by `test/tools/mcs.test.ts` and `test/flow/cold-start.test.ts`.
 *
 * P1. It is built by the first test that needs it, never from an earlier run, and removed after the last.
 * P2. Several workers may build it at once: the first that is ready wins, and nobody ever runs half of it. Who comes
 *     later builds nothing.
 */

import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { inject } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Native code, and what is read as a file from where it is installed. */
const EXTERNAL = [
  'uWebSockets.js',
  'msgpackr',
  'swagger-ui-dist',
  'elkjs',
  'pino',
  'esbuild',
  'fastify',
].concat('@duckdb/node-api', 'playwright-core');
/** What packages written for `require` find in a module. */
const REQUIRE = [
  `import { createRequire as createRequireOfProgram } from 'node:module';`,
  `const require = createRequireOfProgram(${JSON.stringify(pathToFileURL(join(ROOT, 'cli/main.ts')).href)});`,
].join('\n');

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
  await compile(['cli/main.ts'], draft);
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

async function compile(files: readonly string[], folder: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...files],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // What each process reads at its start is kept small: some three hundred start in a run of all tests.
    minifyWhitespace: true,
    sourcemap: 'linked',
    sourcesContent: false,
    external: EXTERNAL,
    banner: { js: REQUIRE },
    plugins: [whereItWas],
    logLevel: 'error',
  });
}

/** A file that looks for its neighbours finds them where it was written. */
const whereItWas: Plugin = {
  name: 'where it was',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const here = JSON.stringify(pathToFileURL(path).href);
      return { loader: 'ts', contents: source.replaceAll('import.meta.url', here) };
    });
  },
};
