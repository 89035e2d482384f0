/**
 * The peers as `./mcs` would run them, compiled (`tools/compile.ts`). What runs the sources keeps the name of each
 * function by a call where it is made, which costs processor time and memory that no user pays.
 *
 * CP1. They are compiled once for each run of the benchmark, into a folder that is removed when it ends.
 */

import { rmSync } from 'node:fs';
import { mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from '../tools/compile.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

let compiling: Promise<string> | undefined;

/** The folder that holds `<name>.mjs` of each peer. */
export function compiledPeers(): Promise<string> {
  compiling ??= compiled();
  return compiling;
}

async function compiled(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mcs-benchmark-peers-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Packages that are not compiled along are found beside them.
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const names = await readdir(join(ROOT, 'benchmark', 'peers'));
  await compile(
    names.map((name) => `benchmark/peers/${name}`),
    folder,
  );
  return folder;
}
