import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const tool = fileURLToPath(new URL('../../tools/check-words.mjs', import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'words-'));
  execFileSync('git', ['init', '--quiet', root]);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function check(at = root): Promise<{ code: number; lines: string[] }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [tool, at], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), lines: (stdout + stderr).trim().split('\n') });
    });
  });
}

describe('the check of retired words', () => {
  it('holds for this repository', async () => {
    expect(await check(fileURLToPath(new URL('../..', import.meta.url)))).toMatchObject({ code: 0 });
  });

  it('check-words.W1 finds them in comments, sentences, titles and pages, with the line and the word to use', async () => {
    write({
      'cli/a.ts': '/**\n * Writes to\n * the desk.\n */\nconst text = `nothing lent it`;\n',
      'docs/a.md': 'One\nhas mended it.\n',
      'test/cli/a.test.ts': "it('is told of it', () => {});\n",
    });
    expect(await check()).toEqual({
      code: 1,
      lines: [
        'cli/a.ts:3: "desk" is retired: command queue',
        'cli/a.ts:5: "lent" is retired: borrowed',
        'docs/a.md:2: "mended" is retired: repair, correct, remedy',
        'test/cli/a.test.ts:1: "told" is retired: reported, emitted, published, answered, informed: whichever it is',
        '4 faults; the words and their exceptions are in tools/retired-words.mjs',
      ],
    });
  });

  it('check-words.W2 holds sentences for users to more than comments', async () => {
    write({ 'cli/a.ts': "// Whoever reads this.\nconst text = 'for whoever asks';\n" });
    const { lines } = await check();
    expect(lines).toEqual([
      expect.stringMatching(/^cli\/a\.ts:2: "whoever"/),
      expect.stringMatching(/^1 faults/),
    ]);
  });

  it('check-words.W3 finds them in names', async () => {
    write({ 'bus/tenure.ts': 'export const searchEverywhere = 1;\n' });
    const { lines } = await check();
    expect(lines.slice(0, 2)).toEqual([
      'bus/tenure.ts:1: the name of the file is retired',
      'bus/tenure.ts:1: the name searchEverywhere is retired',
    ]);
  });

  it('passes other meanings, code, keys, data of tests and files with old words on purpose', async () => {
    write({
      'cli/a.ts':
        "// Nobody can tell one from the other; the noise floor; `told`.\nconst told = { kind: 'told' };\n",
      'test/cli/a.test.ts': "const profile = 'heard by all';\n",
      'docs/a.md': '```\ntold\n```\n',
      'docs/glossary.md': 'Told.\n',
    });
    expect(await check()).toEqual({ code: 0, lines: ['words hold: 3 files'] });
  });

  it('check-words.W4 keeps comments within 120 columns, and lets code and pages be wider', async () => {
    const wide = 'a '.repeat(60).trim();
    write({
      'cli/a.ts': `/**\n * ${'a '.repeat(58)}b\n * ${wide}\n */\nconst text = '${wide}';\n  // ${wide}\n`,
      'docs/a.md': `${wide} ${wide}\n`,
    });
    expect((await check()).lines).toEqual([
      'cli/a.ts:3: a comment of 122 columns; 120 at most',
      'cli/a.ts:6: a comment of 124 columns; 120 at most',
      expect.stringMatching(/^2 faults;/),
    ]);
  });
});
