/** The launcher in a repository of its own, of a few files, with the packages of this one. */

import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const HOUR_MS = 3_600_000;

let sandbox: string;
let root: string;

beforeEach(() => {
  sandbox = mkdtempSync(join(tmpdir(), 'launch '));
  root = join(sandbox, 'a repository');
  for (const name of ['esbuild', '@esbuild', 'tsx', 'get-tsconfig', 'resolve-pkg-maps']) linked(name);
  for (const file of ['tools/launch.mjs', 'tools/compile.ts', 'tsconfig.json']) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    copyFileSync(join(REPOSITORY, file), join(root, file));
  }
  write('package.json', '{ "type": "module" }');
  write('package-lock.json', '{}');
  write('archive/table-thread.ts', '');
  write('actors/sdr/datapath/measure-thread.ts', '');
  write(
    'archive/work-thread.ts',
    `import { parentPort } from 'node:worker_threads'; parentPort?.postMessage('of a thread');`,
  );
  write('cli/later.ts', `export const later: string = 'later';`);
  main('first');
});
afterEach(() => rmSync(sandbox, { recursive: true, force: true }));

function linked(name: string): void {
  const to = join(root, 'node_modules', name);
  mkdirSync(dirname(to), { recursive: true });
  try {
    symlinkSync(
      statSync(join(REPOSITORY, 'node_modules', name)).isDirectory()
        ? join(REPOSITORY, 'node_modules', name)
        : '',
      to,
    );
  } catch {
    // Not every version of a package brings it.
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  // As one that was written a while ago.
  const past = new Date(Date.now() - HOUR_MS);
  utimesSync(join(root, file), past, past);
}

function main(says: string): void {
  write(
    'cli/main.ts',
    `const words: readonly string[] = process.argv.slice(2);
     const isCompiled = !new Error().stack!.includes('cli/main.ts');
     console.log('${says}', words.join('|'), isCompiled ? 'compiled' : 'from its sources');
     if (words[0] === 'fail') throw new Error('as it was asked to');
     if (words[0] === 'serve') console.log(new Error('where').stack);
     if (words[0] === 'later') console.log((await import('./later.ts')).later);
     if (words[0] === 'thread') {
       const { Worker } = await import('node:worker_threads');
       const { thread } = await import('../archive/thread.ts');
       new Worker(thread).on('message', console.log);
     }`,
  );
  write('archive/thread.ts', `export const thread = new URL('./work-thread.mjs', import.meta.url);`);
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function launch(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, 'tools/launch.mjs'), ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const kept = (): string => join(root, 'node_modules/.cache/mcs');
const programs = (): string[] => readdirSync(kept()).filter((each) => !each.endsWith('.json'));
const compiled = (says: string, words = ''): string => `${says} ${words} compiled\n`;

it('tools/launch.L1 runs the program that was compiled at the first start, with its words and its exit code', async () => {
  expect(await launch('a b', 'c')).toEqual({ code: 0, stdout: compiled('first', 'a b|c'), stderr: '' });
  const [program] = programs();
  expect((await launch('later')).stdout).toBe(`${compiled('first', 'later')}later\n`);
  const failed = await launch('fail');
  expect([failed.code, failed.stdout]).toEqual([1, compiled('first', 'fail')]);
  expect(failed.stderr).toContain('as it was asked to');
  expect(programs()).toEqual([program]);
});

it.each([
  ['another size', 'cli/main.ts', () => main('the second')],
  ['another time', 'cli/later.ts', () => utimesSync(join(root, 'cli/later.ts'), new Date(0), new Date(0))],
  ['other packages', 'package-lock.json', () => write('package-lock.json', '{ "changed": true }')],
  [
    'a file gone that is needed no more',
    'archive/thread.ts',
    () => {
      write('cli/main.ts', `console.log('the second', '', 'compiled')`);
      rmSync(join(root, 'archive/thread.ts'));
    },
  ],
])('tools/launch.L1 compiles again where a file has %s: %s', async (_, __, change) => {
  await launch();
  const [before] = programs();
  change();
  const { stdout } = await launch();
  expect(stdout).toMatch(/^(first|the second) {2}compiled\n$/);
  expect(programs()).toHaveLength(2);
  await launch();
  expect(programs()).toHaveLength(2);
  expect(programs()).toContain(before);
});

it('tools/launch.L1 runs none that was compiled at another place, or of which not all is there', async () => {
  await launch();
  renameSync(root, `${root} moved`);
  root = `${root} moved`;
  expect((await launch()).stdout).toBe(compiled('first'));
  expect(programs()).toHaveLength(2);
  const { folder } = JSON.parse(readFileSync(join(kept(), 'current.json'), 'utf8')) as { folder: string };
  rmSync(join(kept(), folder), { recursive: true });
  expect((await launch()).stdout).toBe(compiled('first'));
  for (const text of ['', '{}', '{"root":1}', 'null']) {
    writeFileSync(join(kept(), 'current.json'), text);
    expect((await launch()).stdout).toBe(compiled('first'));
  }
});

it('tools/launch.L2 compiles at several starts at once, and each runs a whole program', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => launch('later')));
  expect(all.map(({ stdout }) => stdout)).toEqual(
    Array.from({ length: 4 }, () => `${compiled('first', 'later')}later\n`),
  );
  const before = programs();
  expect((await launch('later')).stdout).toBe(`${compiled('first', 'later')}later\n`);
  expect(programs()).toEqual(before);
});

it.each([
  ['empty', (file: string) => writeFileSync(file, '')],
  ['gone', (file: string) => rmSync(file)],
])(
  'tools/launch.L2 compiles again where a part of the program is %s, as behind a power cut',
  async (_, lose) => {
    await launch('later');
    const folder = join(kept(), programs()[0]!);
    for (const part of ['main.mjs', readdirSync(folder).find((each) => /^later.*mjs$/.test(each))!]) {
      const before = programs().length;
      lose(join(kept(), programs().sort().at(-1)!, part));
      expect((await launch('later')).stdout).toBe(`${compiled('first', 'later')}later\n`);
      expect(programs()).toHaveLength(before + 1);
    }
  },
);

it('tools/launch.L3 runs the sources where nothing can be kept', async () => {
  writeFileSync(join(root, 'node_modules/.cache'), 'no folder');
  expect(await launch('a')).toEqual({ code: 0, stdout: 'first a from its sources\n', stderr: '' });
});

it('tools/launch.L3 leaves nothing of a program that cannot be kept', async () => {
  mkdirSync(join(kept(), 'current.json', 'in the way'), { recursive: true });
  expect((await launch('a')).stdout).toBe('first a from its sources\n');
  expect(programs()).toEqual([]);
});

it('tools/launch.L3 runs the sources where they do not compile, and they say why', async () => {
  write('cli/main.ts', 'const broken = ;');
  const { code, stderr } = await launch();
  expect(code).toBe(1);
  expect(stderr).toContain('cli/main.ts');
  expect(programs()).toEqual([]);
  main('again');
  expect((await launch()).stdout).toBe(compiled('again'));
});

it('tools/launch.L1 keeps none of a file that is written while it is compiled', async () => {
  const future = new Date(Date.now() + HOUR_MS);
  utimesSync(join(root, 'cli/later.ts'), future, future);
  expect((await launch()).stdout).toBe('first  from its sources\n');
  expect(programs()).toEqual([]);
});

it('tools/launch.L4 keeps the last programs and those of the last hour', async () => {
  await launch();
  const old = Array.from({ length: 9 }, (_, n) => `${n + 1}-1`);
  const young = `${Date.now() - 1_000}-1`;
  for (const each of [...old, young]) mkdirSync(join(kept(), each));
  main('another');
  await launch();
  const left = programs();
  expect(left).toHaveLength(8);
  expect(left).toEqual(expect.arrayContaining([young, ...old.slice(-5)]));
});

it('tools/compile.C2 begins its threads from what was compiled', async () => {
  expect((await launch('thread')).stdout).toBe(`${compiled('first', 'thread')}of a thread\n`);
});

it('names places in the sources where a process that lives long reports an error', async () => {
  expect((await launch('serve')).stdout).toContain(`${join('cli', 'main.ts')}:`);
  expect((await launch('fail')).stderr).not.toContain(`${join('cli', 'main.ts')}:`);
});
