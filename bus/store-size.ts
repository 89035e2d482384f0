/**
 * How much the embedded server may store: a share of what the disk has free when its directory is made, kept in a file
 * beside it.
 *
 * E1. It never becomes less by itself: a server whose store may take less than its streams have reserved does not
 *     bring them back at its start (seen with nats-server 2.9.10), and they seem to be gone.
 * E2. A store that was there before there was such a file keeps what it had.
 */

import { mkdir, readFile, rename, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const MOST_BYTES = 64 * 2 ** 30;
const FREE_SHARE = 0.8;
const FILE = 'store-bytes';

/** Bytes. Rejects with what is wrong with the file. */
export async function storeBytes(stateDir: string): Promise<number> {
  const path = join(stateDir, FILE);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text !== undefined) return bytesIn(text, path);
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const bytes = (await exists(join(stateDir, 'store'))) ? MOST_BYTES : await shareOfFree(stateDir);
  await writeFile(`${path}.new`, `${bytes}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  return bytes;
}

function bytesIn(text: string, path: string): number {
  const bytes = Number(text.trim());
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new Error(`${path} must hold a number of bytes: how much the embedded nats-server may store`);
}

async function shareOfFree(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.max(1, Math.min(MOST_BYTES, Math.floor(bavail * bsize * FREE_SHARE)));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
