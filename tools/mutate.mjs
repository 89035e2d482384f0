/**
 * `npm run mutate -- FILES`: breaks the source on purpose, one place at a time, and lists what no test noticed. Without
 * files: those of the working tree that differ from `main`. Stryker does it, in a copy of the project below the folder
 * for temporary files, with packages of its own: nothing here changes, and nobody else has to install it.
 *
 * U1. Of the tests those are run that stand in the same place below `test/` and reach the file by their imports, or
 *     those that `--tests` names. What survives may be seen by tests that start whole processes: a mutant would take
 *     them minutes.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STRYKER = '9.6.1';
const USAGE = `npm run mutate -- [FILE[:FROM-TO] ...] [--tests GLOB ...]
the files to break, FROM-TO: in these lines only; default: those that differ from main. GLOB: the tests
to run; default: those that stand in the same folders below test/
`;

const git = (...args) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);

const isSource = (file) => /\.ts(:\d+-\d+)?$/.test(file) && !/^(test|tools|benchmark)\//.test(file);

/** The files to break, relative to the root; with their lines where these are said. */
function filesOf(args) {
  const named = args.map((file) => relative(ROOT, resolve(file)));
  const files = named.length > 0 ? named : [...git('diff', '--name-only', 'main'), ...untracked()];
  return [...new Set(files)].filter(isSource);
}

const untracked = () => git('ls-files', '--others', '--exclude-standard');

/** A copy of the working tree, without what git ignores. */
function copyTo(folder) {
  for (const file of new Set([...git('ls-files'), ...untracked()])) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file), { force: true });
  }
}

/** U1 */
function testsOf(file) {
  const folder = dirname(file);
  return existsSync(join(ROOT, 'test', folder)) ? `test/${folder}/**/*.test.ts` : testsOf(folder);
}

// Modules are loaded once for all files, as in the suite: that is most of what a mutant costs.
const vitest = (tests) => `import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: {
    include: ${JSON.stringify(tests)},
    isolate: false,
    globalSetup: ['test/support/program-folder.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    testTimeout: 30_000,
  },
});
`;

const stryker = (files) => ({
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'mutate.vitest.config.ts', related: true },
  mutate: files,
  inPlace: true,
  coverageAnalysis: 'perTest',
  timeoutMS: 20_000,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: 'mutants.json' },
});

/** What nobody noticed: its place, and what stood there and stands there now. */
function* survivors(report) {
  for (const [file, { source, mutants }] of Object.entries(report.files)) {
    const lines = source.split('\n');
    for (const { status, location, mutatorName, replacement = '' } of mutants) {
      if (status !== 'Survived' && status !== 'NoCoverage') continue;
      const { line, column } = location.start;
      const became = replacement.replace(/\s+/g, ' ').slice(0, 100);
      yield `${file}:${line}:${column}  ${mutatorName}${status === 'NoCoverage' ? ' (not run by any)' : ''}\n    ${lines[line - 1].trim()}\n    -> ${became}`;
    }
  }
}

/** The words of the command line; undefined where they are none. */
function read(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { tests: { type: 'string', multiple: true } },
    });
    return { tests: values.tests, named: positionals };
  } catch {
    return undefined;
  }
}

function main(args) {
  const asked = read(args);
  if (asked === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const files = filesOf(asked.named);
  if (files.length === 0) {
    process.stdout.write('nothing to break: no source differs from main\n');
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'mcs-mutate-'));
  const run = (program, ...more) =>
    spawnSync(program, more, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    copyTo(folder);
    const tests = asked.tests ?? [...new Set(files.map(testsOf))];
    writeFileSync(join(folder, 'mutate.vitest.config.ts'), vitest(tests));
    writeFileSync(join(folder, 'stryker.config.json'), JSON.stringify(stryker(files)));
    run('npm', 'ci', '--include=dev', '--silent');
    const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${STRYKER}`);
    if (run('npm', 'install', '--no-save', '--silent', ...packages).status !== 0) return 1;
    if (run('npx', 'stryker', 'run').status !== 0) return 1;
    const found = [...survivors(JSON.parse(readFileSync(join(folder, 'mutants.json'), 'utf8')))];
    process.stdout.write(`\n${found.join('\n')}\n\n${found.length} survived in ${files.length} files\n`);
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = main(process.argv.slice(2));
