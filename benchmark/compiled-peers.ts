/**
 * The peers as `./mcs` would run them, compiled (`tools/compile.ts`). What runs the sources keeps the name of each
 * function by a call where it is made: a fifth of the processor and two fifths of the memory of a large cell, which no
 * user has.
 *
 * CP1. They are compiled once for each run of the benchmark, and removed when it ends. `BENCHMARK_PEERS` names a folder
 *      that holds them already.
 */

import { mkdirSync, rmSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from '../tools/compile.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Under the packages: those that are not compiled along are found from there. */
const KEPT = join(ROOT, 'node_modules', '.cache');

let compiling: Promise<string> | undefined;

/** The folder that holds `<name>.mjs` of each peer. */
export function compiledPeers(): Promise<string> {
  const given = process.env['BENCHMARK_PEERS'];
  if (given !== undefined) return Promise.resolve(given);
  compiling ??= compiled();
  return compiling;
}

async function compiled(): Promise<string> {
  mkdirSync(KEPT, { recursive: true });
  const folder = await mkdtemp(join(KEPT, 'benchmark-peers-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const names = await readdir(join(ROOT, 'benchmark', 'peers'));
  await compile(
    names.map((name) => `benchmark/peers/${name}`),
    folder,
  );
  return folder;
}
