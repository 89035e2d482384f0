/**
 * Compiles programs of the repository into a folder, each into `<name>.mjs`, with what it loads later in files of its
 * own beside it: a process begins without reading some thousand sources. Decision 81.
 *
 * C1. A file that looks for its neighbours finds them where it was written; packages with native code, and those that
 *     read files from where they are installed, stay where they are.
 * C2. A program begins its threads compiled too: each would otherwise read its sources again, and what reads them.
 */

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const EXTERNAL = [
  'uWebSockets.js',
  'msgpackr',
  'swagger-ui-dist',
  'elkjs',
  'pino',
  'esbuild',
  'fastify',
  'tsx',
].concat('@duckdb/node-api', 'playwright-core');
/** What packages written for `require` find in a module. */
const REQUIRE = [
  `import { createRequire as createRequireOfProgram } from 'node:module';`,
  `const require = createRequireOfProgram(${JSON.stringify(pathToFileURL(join(ROOT, 'cli/main.ts')).href)});`,
].join('\n');
/** Each is begun as `<name>.mjs` beside it. */
const THREADS = [
  'archive/work-thread.ts',
  'archive/table-thread.ts',
  'actors/sdr/datapath/measure-thread.ts',
] as const;
const THREAD_BEGUN = /new URL\('\.\/([a-z]+-thread)\.mjs', import\.meta\.url\)/g;

export interface Compiled {
  /** The files of the repository that the programs are made of, relative to its root. */
  readonly sources: readonly string[];
}

/**
 * `to`: where the folder will stand when the programs run; default: where it is. Rejects where a file does not compile,
 * once nothing is written any more.
 */
export async function compile(files: readonly string[], folder: string, to = folder): Promise<Compiled> {
  const plugins = [whereItWas(to)];
  const builds = await Promise.allSettled([
    inputsOf({ entryPoints: [...files], outdir: folder, plugins }),
    inputsOf({ entryPoints: [...THREADS], entryNames: '[name]', outdir: threadsIn(folder), plugins }),
  ]);
  const inputs = builds.flatMap((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
  const sources = new Set(inputs.filter((each) => !each.includes('node_modules/')));
  return { sources: [...sources].sort() };
}

async function inputsOf(
  asked: Required<Pick<BuildOptions, 'entryPoints' | 'outdir' | 'plugins'>> & BuildOptions,
): Promise<string[]> {
  const { metafile } = await build({
    ...asked,
    absWorkingDir: ROOT,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    external: EXTERNAL,
    banner: { js: REQUIRE },
    metafile: true,
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs);
}

function threadsIn(folder: string): string {
  return join(folder, 'threads');
}

/** C1, C2 */
function whereItWas(folder: string): Plugin {
  const names = new Set(THREADS.map((each) => basename(each, '.ts')));
  return {
    name: 'where it was',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const begun = source.replace(THREAD_BEGUN, (whole, name: string) =>
          names.has(name) ? `new URL(${urlText(join(threadsIn(folder), `${name}.mjs`))})` : whole,
        );
        return { loader: 'ts', contents: begun.replaceAll('import.meta.url', urlText(path)) };
      });
    },
  };
}

function urlText(path: string): string {
  return JSON.stringify(pathToFileURL(path).href);
}
