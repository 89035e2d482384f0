import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dependencies-'));
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  write({
    'ARCHITECTURE.md': 'Before.\n<!-- dependencies -->\n<!-- /dependencies -->\nBehind.\n',
    'contract/a.ts': 'export const a = 1;\n',
    'mission/b.ts': "import { a } from '../contract/a.ts';\nexport const b = a;\n",
    'http/c.ts':
      "import { a } from '../contract/a.ts';\nimport { b } from '../mission/b.ts';\nexport const c = a + b;\n",
  });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function draw(...more: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const tool = join(repository, 'tools/draw-dependencies.mjs');
    execFile(process.execPath, [tool, root, ...more], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

it('draws folders in layers, without what is reached over another one, and sees when the page is older', async () => {
  expect((await draw()).code).toBe(1);
  expect((await draw('--write')).code).toBe(0);
  expect(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')).toBe(
    [
      'Before.',
      '<!-- dependencies -->',
      '```',
      'http         ──> mission',
      '',
      'mission      ──> contract',
      '',
      'contract',
      '',
      '3 folders, 3 arrows between them',
      '```',
      '<!-- /dependencies -->',
      'Behind.',
      '',
    ].join('\n'),
  );
  expect((await draw()).code).toBe(0);
  write({ 'mission/b.ts': 'export const b = 2;\n' });
  const { code, output } = await draw();
  expect([code, output]).toEqual([
    1,
    expect.stringContaining('run node tools/draw-dependencies.mjs --write'),
  ]);
});

it('refuses a circle', async () => {
  write({ 'contract/a.ts': "import { b } from '../mission/b.ts';\nexport const a = () => b;\n" });
  expect((await draw()).output).toContain('circle');
});
