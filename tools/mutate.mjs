/**
 * `npm run mutate -- FILES`: breaks the source on purpose, one place at a time, and lists what no test noticed. Without
 * files: those of the working tree that differ from `main`; with `--sample N`: N windows of lines, drawn from all
 * source. Stryker does it, in a copy of the project below the folder for temporary files, with packages of its own:
 * nothing here changes, and nobody else has to install it.
 *
 * U1. Of the tests those are run that stand in the same place below `test/` and reach the file by their imports, or
 *     those that `--tests` names. What survives may be seen by tests that start whole processes: a mutant would take
 *     them minutes.
 * U2. A mutant that keeps its file from being loaded is noticed: Stryker counts failed tests, and a file that is not
 *     loaded has none. So one more test loads what is broken, but for pages, which need a browser. One that breaks the
 *     table of an `it.each` while its test file is loaded is still listed: tables say what a test is about, and make
 *     nothing.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STRYKER = '9.6.1';
/** Lines that are drawn together: most blocks stand within. */
const WINDOW = 8;
const LOADS = 'mutate.test.ts';
const USAGE = `npm run mutate -- [FILE[:FROM-TO] ...] [--tests GLOB]... [--sample N [--seed S]]
the files to break, FROM-TO: in these lines only; default: those that differ from main. GLOB: the tests
to run; default: those that stand in the same folders below test/. --sample: N windows of ${WINDOW} lines, of
the whole files given or of all source; --seed draws others
`;

const git = (...args) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);

const isSource = (file) =>
  /\.ts(:\d+-\d+)?$/.test(file) && !/^(test|tools|benchmark)\/|^vitest\.config/.test(file);

/** The files to break, relative to the root; with their lines where these are said. */
function filesOf({ named, sample, seed }) {
  const files = named.map((file) => relative(ROOT, resolve(file)));
  const asked = () => (files.length > 0 ? files : git('ls-files'));
  if (sample !== undefined) return drawn(windowsOf(asked().filter(isSource)), sample, seed);
  const changed = () => [...git('diff', '--name-only', 'main'), ...untracked()];
  return [...new Set(files.length > 0 ? files : changed())].filter(isSource);
}

function windowsOf(files) {
  const windows = [];
  for (const file of files) {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n').length;
    for (let from = 1; from < lines; from += WINDOW) windows.push(`${file}:${from}-${from + WINDOW - 1}`);
  }
  return windows;
}

/** Some of them, the same for the same seed. */
function drawn(all, count, seed) {
  const keyed = all.map((each) => [createHash('sha256').update(`${seed} ${each}`).digest('hex'), each]);
  const first = keyed.sort(([one], [other]) => (one < other ? -1 : 1)).slice(0, count);
  return first.map(([, each]) => each).sort();
}

/** The files of each set of tests: those of one run. */
function runsOf(files, tests) {
  if (tests !== undefined) return new Map([[tests, files]]);
  const runs = new Map();
  for (const file of files) {
    const beside = testsOf(file);
    runs.set(beside, [...(runs.get(beside) ?? []), file]);
  }
  return runs;
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
    include: ${JSON.stringify([LOADS, ...[tests].flat()])},
    isolate: false,
    globalSetup: ['test/support/program-folder.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    testTimeout: 30_000,
  },
});
`;

/** U2 */
const loads = (files) => `import { it } from 'vitest';
it('tests are run', () => undefined);
${[...new Set(files.map((file) => file.split(':')[0]))]
  .filter((file) => !file.startsWith('console/'))
  .map((file) => `it('${file} is loaded', () => import('./${file}'));`)
  .join('\n')}
`;

const stryker = (files) => ({
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'mutate.vitest.config.ts', related: true },
  mutate: files,
  inPlace: true,
  coverageAnalysis: 'perTest',
  timeoutMS: 6_000,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: 'mutants.json' },
});

/** How many there are, and how many of them nobody waited for: a busy machine takes long as well. */
function countOf(report) {
  const all = Object.values(report.files).flatMap(({ mutants }) => mutants);
  return { mutants: all.length, late: all.filter(({ status }) => status === 'Timeout').length };
}

const summaryOf = ({ survived, mutants, late }) =>
  `${survived} of ${mutants} survived, ${late} ran out of time`;

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
      options: {
        tests: { type: 'string', multiple: true },
        sample: { type: 'string' },
        seed: { type: 'string', default: '1' },
      },
    });
    const { tests, seed } = values;
    const sample = values.sample === undefined ? undefined : Number(values.sample);
    if (sample !== undefined && !(Number.isSafeInteger(sample) && sample > 0)) return undefined;
    if (sample !== undefined && positionals.some((each) => each.includes(':'))) return undefined;
    return { tests, named: positionals, sample, seed };
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
  const absent = asked.named.find((file) => !existsSync(resolve(file.replace(/:\d+-\d+$/, ''))));
  if (absent !== undefined) {
    process.stderr.write(`there is no file ${absent}\n`);
    return 2;
  }
  const files = filesOf(asked);
  if (files.length === 0) {
    process.stdout.write('nothing to break: no source differs from main\n');
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'mcs-mutate-'));
  // The web server reads it when it is loaded.
  const env = { ...process.env, UWS_HTTP_MAX_HEADERS_SIZE: '65536' };
  const run = (program, ...more) =>
    spawnSync(program, more, { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    copyTo(folder);
    run('npm', 'ci', '--include=dev', '--silent');
    const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${STRYKER}`);
    if (run('npm', 'install', '--no-save', '--silent', ...packages).status !== 0) return 1;
    const sum = { survived: 0, mutants: 0, late: 0 };
    let failed = 0;
    for (const [tests, of] of runsOf(files, asked.tests)) {
      writeFileSync(join(folder, 'mutate.vitest.config.ts'), vitest(tests));
      writeFileSync(join(folder, LOADS), loads(of));
      writeFileSync(join(folder, 'stryker.config.json'), JSON.stringify(stryker(of)));
      rmSync(join(folder, 'mutants.json'), { force: true });
      if (run('npx', 'stryker', 'run').status !== 0) {
        failed += 1;
        process.stdout.write(`\n${tests}: the run failed; nothing is known of ${of.join(', ')}\n`);
        continue;
      }
      const report = JSON.parse(readFileSync(join(folder, 'mutants.json'), 'utf8'));
      const found = [...survivors(report)];
      const count = { survived: found.length, ...countOf(report) };
      process.stdout.write(`\n${found.join('\n')}\n${tests}: ${summaryOf(count)}\n`);
      for (const [name, more] of Object.entries(count)) sum[name] += more;
    }
    const names = new Set(files.map((each) => each.split(':')[0]));
    process.stdout.write(`\n${summaryOf(sum)}, in ${names.size} files\n`);
    return failed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = main(process.argv.slice(2));
