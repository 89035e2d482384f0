/**
 * The identity of an archive: a ULID in a file of its folder, given once. Processes that share the folder share the
 * archive, whatever path leads there; a copy of the folder is the same archive.
 *
 * I1. Of processes that give it at the same moment one gives it: the file gets its name by a link, which fails where
 *     the name is there.
 */

import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isToken } from '../../contract/token.ts';

const NAME = 'identity';

/** The identity of the folder, given now where it has none; `newId` draws one. Rejects where the disk refuses. */
export async function identityOf(folder: string, newId: () => string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, NAME);
  const known = await read(path);
  if (known !== undefined) return known;
  const drawn = newId();
  const draft = join(folder, `${NAME}.${drawn}`);
  try {
    await write(draft, `${drawn}\n`);
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await sync(folder);
  } finally {
    await rm(draft, { force: true });
  }
  return (await read(path)) ?? drawn;
}

async function read(path: string): Promise<string | undefined> {
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (!isToken(text))
    throw new Error(`${path} has no identity of an archive: put back what was there, or remove it`);
  return text;
}

async function write(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function sync(folder: string): Promise<void> {
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
