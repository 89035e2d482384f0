import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const folders: string[] = [];

/** A project of a user: the example copied, the package and what it needs linked. */
function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'harness-'));
  folders.push(folder);
  cpSync(join(REPOSITORY, 'test/harness/example'), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'door', type: 'module' }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(REPOSITORY, join(folder, 'node_modules/open-mission-control'));
  for (const name of ['xstate', 'tsx'])
    symlinkSync(join(REPOSITORY, 'node_modules', name), join(folder, 'node_modules', name));
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

it('the example runs as it stands in a project that depends on the package', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'door.example.ts'], {
    cwd: project(),
    env: { PATH: process.env['PATH'] },
    timeout: 150_000,
  });
  expect(stdout).toBe('11 states, 5 pairs listed, 16 stay put\n');
}, 180_000);
