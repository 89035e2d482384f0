/** How a process of the service ends that cannot continue. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('process-end.fixture.ts', import.meta.url));

it.each([
  ['process-end.N1 says why, and exits with 1 once it has stopped', 'stops', 'mcs: ended: gave up\n'],
  [
    'process-end.N3 exits with 1 although its stopping fails and leaves something open',
    'fails',
    'mcs: ended: gave up; stopping failed: still at it\n',
  ],
])(
  '%s',
  async (_what, how, last) => {
    const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, how], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 15_000,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stderr.on('data', (data: Buffer) => {
      said += data;
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(said).toBe(last);
  },
  20_000,
);
