/**
 * Runs `mcs` from the program that was compiled of these sources, and compiles it where there is none: it starts in a
 * fifth of the time that the sources take. Decision 81.
 *
 * L1. A compiled program is run only where it was made here, of files that are as they were: of the same size, and not
 *     written since. One that changes meanwhile is seen at the next start.
 * L2. It is whole as soon as it is there, and where it is not any more it is compiled again: several processes may
 *     compile at once, one may be killed meanwhile, and the power may fail.
 * L3. Where nothing can be kept (a checkout that nobody may write) or the sources do not compile, they are run.
 * L4. Programs of before stay, the last few and those of the last hour: a process that lives loads parts of its own
 *     when they are first needed, and others may be compiling.
 */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const KEPT = join(ROOT, 'node_modules', '.cache', 'mcs');
const CURRENT = join(KEPT, 'current.json');
/** Beside the sources: what decides how they are compiled, and which packages are compiled with them. */
const MADE_WITH = ['package-lock.json', 'tsconfig.json', 'tools/compile.ts', 'tools/launch.mjs'];
const PROGRAMS = 8;
const HOUR_MS = 3_600_000;
/** By which the time of a file may be behind the clock. */
const CLOCK_MS = 20;
/** Those that live long: what their logs say of an error names places in the sources. Reading the maps takes a moment. */
const LONG_LIVED = ['serve', 'demo'];

if (LONG_LIVED.includes(process.argv[2] ?? '')) process.setSourceMapsEnabled(true);
await run(current() ?? (await compiled()));

/** @param {string | undefined} program */
async function run(program) {
  if (program !== undefined) return import(pathToFileURL(program).href);
  const { register } = await import('tsx/esm/api');
  register();
  return import('../cli/main.ts');
}

/** L1 */
function current() {
  try {
    const { root, folder, files } = JSON.parse(readFileSync(CURRENT, 'utf8'));
    if (root !== ROOT || !files.every(([path, stamp]) => stampOf(path) === stamp)) return undefined;
    return join(KEPT, folder, 'main.mjs');
  } catch {
    return undefined;
  }
}

/** L2, L3 */
async function compiled() {
  const folder = `${Date.now()}-${process.pid}`;
  try {
    mkdirSync(KEPT, { recursive: true });
    await keep(folder);
    forget(folder);
    return join(KEPT, folder, 'main.mjs');
  } catch {
    discard(folder);
    return undefined;
  }
}

/** @param {string} folder */
function discard(folder) {
  try {
    rmSync(join(KEPT, folder), { recursive: true, force: true });
  } catch {
    // It is in nobody's way.
  }
}

/** @param {string} folder */
async function keep(folder) {
  const { register } = await import('tsx/esm/api');
  const unregister = register();
  const { compile } = await import('./compile.ts');
  await unregister();
  const before = Date.now() - CLOCK_MS;
  const { sources } = await compile(['cli/main.ts'], join(KEPT, folder));
  await (await import('esbuild')).stop();
  const madeOf = [...sources, ...MADE_WITH];
  const parts = readdirSync(join(KEPT, folder), { recursive: true })
    .filter((each) => each.endsWith('.mjs'))
    .map((each) => join('node_modules', '.cache', 'mcs', folder, each));
  for (const part of parts) onDisk(join(ROOT, part));
  const files = [...madeOf, ...parts].map((path) => [path, stampOf(path)]);
  // What is written while it is read is not taken for what was compiled.
  const changed = madeOf.find((path) => statSync(join(ROOT, path)).mtimeMs >= before);
  if (changed !== undefined) throw new Error(`${changed} was written meanwhile`);
  const draft = join(KEPT, `${folder}.json`);
  writeFileSync(draft, JSON.stringify({ root: ROOT, folder, files }));
  try {
    renameSync(draft, CURRENT);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** L2. @param {string} path */
function onDisk(path) {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

/** @param {string} path */
function stampOf(path) {
  const { size, mtimeMs } = statSync(join(ROOT, path));
  return `${size} ${mtimeMs}`;
}

/** L4 */
function forget(newest) {
  const programs = readdirSync(KEPT).filter((each) => /^\d+-\d+$/.test(each) && each !== newest);
  const old = programs.sort((one, other) => madeAt(one) - madeAt(other)).slice(0, 1 - PROGRAMS);
  for (const each of old) if (madeAt(each) < Date.now() - HOUR_MS) discard(each);
}

/** @param {string} folder */
function madeAt(folder) {
  return Number.parseInt(folder, 10);
}
