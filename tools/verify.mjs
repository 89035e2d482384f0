/**
 * `./mcs test`: runs every check of `npm run verify`, also after one has failed, so that one run shows everything. The
 * last line is `N passed, N failed`: the tests as the runner reports them, and one more failed for each check that
 * failed otherwise. Before it stand the test files over 20 s that `test/long-files.json` has no reason for. Exits 0
 * only when nothing failed. Arguments go to the test runner.
 *
 * V1. The checks run beside the tests, one after the other, on what the tests leave of the processor: half of those is
 *     waiting. What a check says is shown whole, behind what the tests say.
 */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** The commands of the script `verify`, in order: `npm run lint && … && npm test`. */
function checksOf(scripts) {
  return scripts.verify.split('&&').map((command) => command.trim().split(/\s+/));
}

const isTests = (command) => command.join(' ') === 'npm test';

const ended = (child) =>
  new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });

/** Runs it with the terminal; whether it succeeded. */
function run([program, ...args]) {
  console.log(`\n> ${[program, ...args].join(' ')}`);
  return ended(spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] }));
}

/** Runs it behind everything else that wants the processor (V1). */
async function runBeside([program, ...args]) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => said.push(piece));
  const command = [program, ...args].join(' ');
  const succeeded = await ended(child);
  return { command, succeeded, said: Buffer.concat(said).toString() };
}

async function runChecks(commands) {
  const checks = [];
  for (const command of commands) checks.push(await runBeside(command));
  return checks;
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

async function runTests(command, args) {
  const folder = mkdtempSync(join(tmpdir(), 'mcs-test-'));
  const path = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  const succeeded = await run([...command, '--', ...reporters, ...args]);
  const report = readReport(path);
  rmSync(folder, { recursive: true, force: true });
  return { ...countTests(report, succeeded), long: longWithoutReason(report) };
}

async function main(args) {
  const commands = checksOf(JSON.parse(readFileSync('package.json', 'utf8')).scripts);
  const tests = commands.find(isTests);
  const running = runChecks(commands.filter((command) => !isTests(command)));
  const { passed, failed, long } = await runTests(tests, args);
  const checks = await running;
  for (const { command, said } of checks) console.log(`\n> ${command}\n${said.trimEnd()}`);
  for (const line of long) console.log(line);
  console.log('');
  const broken = checks.filter(({ succeeded }) => !succeeded);
  for (const { command } of broken) console.log(`failed: ${command}`);
  console.log(`${passed} passed, ${failed + broken.length} failed`);
  process.exitCode = failed + broken.length === 0 ? 0 : 1;
}

await main(process.argv.slice(2));
