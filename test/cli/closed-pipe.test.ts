import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MCS = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

it('a reader that has enough ends the command without a word', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', MCS, 'help'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (data: Buffer) => {
    said += data;
  });
  const [code] = (await once(child, 'close')) as [number];
  expect([code, said]).toEqual([0, '']);
}, 60_000);
