import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const tool = fileURLToPath(new URL('../../tools/check-citations.mjs', import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'citations-'));
  execFileSync('git', ['init', '--quiet', root]);
  write({
    'docs/invariants.md': '| O2 | Nothing leaves twice. | `a/lane.ts` | `test/a/lane.test.ts` |\n',
    'docs/decisions/0003-memory.md': '# Memory\n',
    'test/a/lane.test.ts': "it('O2 lane.J3, J5 keeps the order', () => {});\n",
    'a/lane.ts':
      "/**\n * A lane (J3, O2).\n *\n * J3. In order.\n * J5. Once\n *     each.\n */\nassert(ordered, 'J3');\n",
    'a/turn.ts': '/** The turn of a lane (lane.J3 and J5); see `lane.ts`, `a/lane.ts` and decision 3. */\n',
  });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function check(): Promise<{ code: number; lines: string[] }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [tool, root], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), lines: (stdout + stderr).trim().split('\n') });
    });
  });
}

/** Each is added alone to a tree that is good otherwise. */
const FAULTS: [what: string, path: string, text: string, fault: string][] = [
  [
    'K1 an invariant stated twice in its file',
    'a/lane.ts',
    '/**\n * J3. In order.\n * J5. Once.\n * J3. Again.\n */\n',
    'a/lane.ts:4: J3 is stated in line 2 already: give it another number',
  ],
  [
    'K2 one of another file without the name of that file',
    'b/cell.ts',
    '\n// As J3 says.\n',
    'b/cell.ts:2: J3 is not stated in this file nor in docs/invariants.md: cite it with its file, as lane.J3',
  ],
  [
    'K2 one that no file states',
    'b/cell.ts',
    '/** As Q7\n * says. */\n',
    'b/cell.ts:1: Q7 is not stated in this file nor in docs/invariants.md: no file states it',
  ],
  [
    'K2 a file that does not state it',
    'b/cell.ts',
    '/** lane.J4 */\n',
    'b/cell.ts:1: a/lane.ts does not state J4, only J3, J5',
  ],
  [
    'K2 a file that states none',
    'b/cell.ts',
    '/**\n * See exclusive-run.J3. */\n',
    'b/cell.ts:2: exclusive-run.J3: no file of this name states invariants',
  ],
  [
    'K2 a title of a test',
    'test/a/turn.test.ts',
    "it.each(rows)(\n  'MC-TC-001 J5 leaves once',\n  () => {},\n);\n",
    'test/a/turn.test.ts:2: J5 is not stated in this file nor in docs/invariants.md: cite it with its file, as lane.J5',
  ],
  [
    'K2 a row that becomes a title',
    'test/a/turn.test.ts',
    "const rows = ['J5 leaves once and never again'];\n",
    'test/a/turn.test.ts:1: J5 is not stated in this file nor in docs/invariants.md: cite it with its file, as lane.J5',
  ],
  [
    'K2 an assert',
    'b/cell.ts',
    "assert(left.size === 1, 'J5: one leaves');\n",
    'b/cell.ts:1: J5 is not stated in this file nor in docs/invariants.md: cite it with its file, as lane.J5',
  ],
  [
    'K3 a file that was moved',
    'b/cell.ts',
    '/**\n * Used by `turn.ts`.\n */\n',
    'b/cell.ts:2: `turn.ts` is no file: write a/turn.ts',
  ],
  [
    'K4 a decision',
    'b/cell.ts',
    '// Decisions 3 and 4.\n',
    'b/cell.ts:1: decision 4 is not in docs/decisions',
  ],
  [
    'K4 a link of a page',
    'docs/guide.md',
    'See [memory](decisions/0003-memory.md#why)\nand [lanes](lanes.md).\n',
    'docs/guide.md:2: the link leads to lanes.md, which is not there',
  ],
  [
    'K5 a test that does not cite what it shows',
    'test/a/lane.test.ts',
    "it('keeps the order', () => {});\n",
    'docs/invariants.md:1: test/a/lane.test.ts does not cite O2 in a title or comment',
  ],
];

describe('the check of citations', () => {
  it('passes where everything resolves, and says how much it has seen', async () => {
    expect(await check()).toEqual({
      code: 0,
      lines: ['citations resolve: 3 invariants in 2 files, 7 cited'],
    });
  });

  it.each(FAULTS)('reports %s with its line and what to write instead', async (_what, path, text, fault) => {
    write({ [path]: text });
    expect(await check()).toEqual({ code: 1, lines: [fault, '1 faults'] });
  });

  it('reports K2 a name of several files that state invariants, and how to tell them apart', async () => {
    write({ 'b/lane.ts': '/**\n * J3. Otherwise.\n */\n', 'b/turn.ts': '/** b/lane.J3, a/lane.J5 */\n' });
    const { lines } = await check();
    expect(lines).toContain('a/turn.ts:1: lane.J3 may mean several files: write a/lane.J3 or b/lane.J3');
    expect(lines.some((line) => line.startsWith('b/turn.ts'))).toBe(false);
  });

  it('reports K3 a name that is a file of the folder and another one of the root', async () => {
    write({ 'b/a/lane.ts': '', 'b/cell.ts': '/** `a/lane.ts` */\n' });
    const fault = 'b/cell.ts:1: `a/lane.ts` means b/a/lane.ts and a/lane.ts: write the path from the root';
    expect(await check()).toEqual({ code: 1, lines: [fault, '1 faults'] });
  });

  it('looks at what is said to people, not at data, code, fences or the changelog', async () => {
    write({
      'a/data.ts':
        "// `J9` is code.\nconst ids = ['J9', `K9`, /'J8' says/.source];\nconst J9 = 1 / 2; // no slash: V8\n",
      'docs/guide.md': '```\nJ9 `gone.ts` decision 99\n```\n',
      'CHANGELOG.md': 'J9, `gone.ts`, decision 99\n',
      'node_modules/x/index.ts': '// J9\n',
      '.gitignore': 'node_modules\n',
    });
    expect(await check()).toMatchObject({ code: 0 });
  });
});
