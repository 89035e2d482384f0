/**
 * A service whose outputs take nothing: neither a full disk behind them nor a closed terminal keeps it from its work.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { STEADY } from '../support/mcs.ts';
import { mcsProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FULL = '/dev/full';

it.skipIf(!existsSync(FULL))(
  'starts, answers and drains at SIGHUP with a full disk behind stdout and stderr',
  { timeout: 120_000 },
  async () => {
    const port = await freePort('tcp');
    const full = openSync(FULL, 'w');
    const args = [...(await mcsProgram()), 'serve', '--roles', 'api', '--port', `${port}`];
    const env = { ...process.env, ...STEADY };
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', full, full] });
    const exited = once(child, 'exit');
    const status = async (path: string): Promise<number> =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        ({ status: answered }) => answered,
        () => 0,
      );
    try {
      await until(async () => child.exitCode !== null || (await status('/readyz')) === 200, {
        what: 'it to be ready',
        timeoutMs: 60_000,
      });
      // The ready line is written behind the first moment of readiness; what it costs must be over.
      for (let times = 0; times < 50; times += 1) expect(await status('/healthz')).toBe(200);
      child.kill('SIGHUP');
      expect(await exited).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  },
);
