/** What is held against the interface description fails the test that received it, in whichever file of a process. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('fails in the second file of a process as in the first', () => {
  const config = join(import.meta.dirname, 'each-file', 'config.fixture.ts');
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--config', config, '--reporter', 'json'];
  const env = { ...process.env, VITEST: undefined, VITEST_WORKER_ID: undefined, VITEST_POOL_ID: undefined };
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  const report = JSON.parse(stdout) as {
    testResults: { assertionResults: { failureMessages: string[] }[] }[];
  };
  const failed = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ failureMessages }) => failureMessages),
  );
  expect(failed.map((message) => /says:\n(\w+)/.exec(message)?.[1]).sort()).toEqual(['one', 'two']);
});
