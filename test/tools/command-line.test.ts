/** Scripts of the engineers on the command line, as they are started. */

import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { helpOf } from '../../tools/command-line.ts';

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, ['--import', 'tsx', script, ...args], { encoding: 'utf8' });

it('--help prints the comment that a script begins with', () => {
  const { status, stdout, stderr } = run('test/simulation/simulate.ts', '--help');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^`npm run simulate -- --seed N --runs M`: /);
  expect(stdout).toContain('looks\nfor each planted defect');
});

it('an option that it does not know is a sentence and exit code 2', () => {
  const { status, stdout, stderr } = run('benchmark/scale/bus-memory.ts', '--mesages', '3');
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^Unknown option '--mesages'.*\nwith --help it says what it takes\n$/);
});

it('of a source without a comment nothing is said', () => {
  expect(helpOf('const one = 1;\n/** Not at the beginning. */\n')).toBe('\n');
  expect(helpOf('/** One line. */\n')).toBe('One line.\n');
});
