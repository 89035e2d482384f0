/**
 * `./mcs test`: runs every check of `npm run verify`, also after one has failed, so that one run shows everything. The
 * last line is `N passed, N failed`: the tests as the runner reports them, and one more failed for each check that
 * failed otherwise. Before it stand the test files over 20 s that `test/long-files.json` has no reason for. Exits 0
 * only when nothing failed. Arguments go to the test runner.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** The commands of the script `verify`, in order: `npm run lint && … && npm test`. */
function checksOf(scripts) {
  return scripts.verify.split('&&').map((command) => command.trim().split(/\s+/));
}

const isTests = (command) => command.join(' ') === 'npm test';

function run([program, ...args]) {
  console.log(`\n> ${[program, ...args].join(' ')}`);
  return spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}

/** The numbers of the runner's report; a run that failed without a failed test counts as one. */
function countTests(report, succeeded) {
  const passed = report?.numPassedTests ?? 0;
  const failed = report?.numFailedTests ?? 0;
  const brokenFiles = (report?.testResults ?? []).filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  return { passed, failed: Math.max(failed + brokenFiles, succeeded ? 0 : 1) };
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** A test file that takes longer has its reason in `long-files.json`, and is started before the others. */
const LONG_MS = 20_000;

/** Files that took long without a reason; no failure, since a busy machine makes any file long. */
function longWithoutReason(report) {
  const reasons = readReport(join('test', 'long-files.json')) ?? {};
  return (report?.testResults ?? [])
    .filter(({ startTime, endTime }) => endTime - startTime > LONG_MS)
    .map(({ name, startTime, endTime }) => ({ file: relative(process.cwd(), name), ms: endTime - startTime }))
    .filter(({ file }) => !Object.hasOwn(reasons, file))
    .map(({ file, ms }) => `${file}: ${Math.round(ms / 1000)} s, and no reason in test/long-files.json`);
}

function runTests(command, args) {
  const folder = mkdtempSync(join(tmpdir(), 'mcs-test-'));
  const path = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  const succeeded = run([...command, '--', ...reporters, ...args]);
  const report = readReport(path);
  const counts = countTests(report, succeeded);
  for (const line of longWithoutReason(report)) console.log(line);
  rmSync(folder, { recursive: true, force: true });
  return counts;
}

function main(args) {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const total = { passed: 0, failed: 0 };
  const broken = [];
  for (const command of checksOf(scripts)) {
    if (isTests(command)) {
      const counts = runTests(command, args);
      total.passed += counts.passed;
      total.failed += counts.failed;
    } else if (!run(command)) {
      broken.push(command.join(' '));
    }
  }
  console.log('');
  for (const command of broken) console.log(`failed: ${command}`);
  total.failed += broken.length;
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

main(process.argv.slice(2));
